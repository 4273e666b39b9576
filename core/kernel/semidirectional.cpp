// semidirectional: the message there and back; one clock, one message in flight at a time.
#include "base/outcome.hpp"
#include "kernel/kernel.hpp"

namespace everylink {
namespace {

// Everything else is done while the message is in flight: posting the next receive, completing the last send.
Outcome lead(Link& link, const Transport& clock, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  Readings readings(clock, turn.warmups, turn.messages, turn.rounds_per_reading, laps);
  int in = link.start_recv(turn.slice(0)), next = in, last = in;
  if (const auto o = link.meet(turn.until); o != Outcome::ok) return o;
  for (int i = 0; i < all; ++i) {
    readings.before(i);
    const int out = link.start_send(turn.slice(i));
    if (i + 1 < all) next = link.start_recv(turn.slice(i + 1));
    if (i > 0)
      if (const auto o = link.wait(last, turn.until); o != Outcome::ok) return o;
    if (const auto o = link.wait(in, turn.until); o != Outcome::ok) return o;
    readings.after(i, 2);
    ++laps.arrived;
    in = next;
    last = out;
  }
  if (const auto o = link.wait(last, turn.until); o != Outcome::ok) return o;
  return link.meet(turn.until);
}

// Two receives are posted, so that the answer can leave at once.
Outcome follow(Link& link, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  int in[2] = {link.start_recv(turn.slice(0)), 0}, last = 0;
  if (all > 1) in[1] = link.start_recv(turn.slice(1));
  if (const auto o = link.meet(turn.until); o != Outcome::ok) return o;
  for (int i = 0; i < all; ++i) {
    if (const auto o = link.wait(in[i % 2], turn.until); o != Outcome::ok) return o;
    const int out = link.start_send(turn.slice(i));
    ++laps.arrived;
    if (i + 2 < all) in[i % 2] = link.start_recv(turn.slice(i + 2));
    if (i > 0)
      if (const auto o = link.wait(last, turn.until); o != Outcome::ok) return o;
    last = out;
  }
  if (const auto o = link.wait(last, turn.until); o != Outcome::ok) return o;
  return link.meet(turn.until);
}

}  // namespace

extern const Kernel semidirectional{
    .name = "semidirectional",
    .summary = "the message there and back; a lap is two one-way times",
    .run = [](Link& link, OneSided*, const Transport& clock, bool leads, const Turn& turn,
              Laps& laps) { return leads ? lead(link, clock, turn, laps) : follow(link, turn, laps); },
    .both_lead = false,
    .replies = true,
    .windowed = false,
    .messages_per_lap = [](const Turn&) { return 1; }};

}  // namespace everylink
