// bidirectional: both ends send at once and both hold a clock, so one turn measures both links.
#include "base/outcome.hpp"
#include "kernel/kernel.hpp"

namespace everylink {
namespace {

// A lap is two exchanges. It ends when all four messages have been sent and received, so both ends read the
// slower direction. The peer may send its next message as soon as it has received our last one, so two
// receives are posted before we send; the third is posted while the message is in flight.
Outcome exchange(Link& link, const Sides&, const Transport& clock, bool, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages, messages = 2 * all;
  Readings readings(clock, turn.warmups, turn.messages, turn.rounds_per_reading, laps);
  int in[3], out[2];
  for (int i = 0; i < 2; ++i) in[i] = link.start_recv(turn.slice(i));
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int lap = 0; lap < all; ++lap) {
    readings.before(lap);
    for (int half = 0; half < 2; ++half) {
      const int message = 2 * lap + half;
      out[half] = link.start_send(turn.slice(message));
      if (message + 2 < messages) in[(message + 2) % 3] = link.start_recv(turn.slice(message + 2));
      if (const auto o = link.wait(in[message % 3], turn.until); o != Outcome::ok) return o;
      ++laps.arrived;
    }
    for (const int ticket : out)
      if (const auto o = link.wait(ticket, turn.until); o != Outcome::ok) return o;
    readings.after(lap, 2);
  }
  return Outcome::ok;
}

}  // namespace

extern const Kernel bidirectional{
    .name = "bidirectional",
    .summary =
        "both messages there and both back, at once; a lap is two one-way times, measured at both ends",
    .run = exchange,
    .both_lead = true,
    .replies = true,
    .windowed = false,
    .messages_per_lap = [](const Turn&) { return 2; }};

}  // namespace everylink
