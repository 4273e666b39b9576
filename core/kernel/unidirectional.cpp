// unidirectional: a window of messages one way, and one receipt of 0 bytes.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "kernel/windows.hpp"

namespace everylink {
namespace {

constexpr Slice receipt{0, 0};
Outcome wait_for(Link& link, std::span<const int> tickets, Seconds until, int& done) {
  for (const int ticket : tickets) {
    if (const auto o = link.wait(ticket, until); o != Outcome::ok) return o;
    ++done;
  }
  return Outcome::ok;
}

Outcome lead(Link& link, const Transport& clock, const Turn& turn, Laps& laps) {
  const Windows windows(turn);
  Readings readings(clock, windows.warm(), windows.all() - windows.warm(), turn.rounds_per_reading, laps);
  std::vector<int> out;
  out.reserve(static_cast<std::size_t>(turn.window));
  int in = link.start_recv(receipt);
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int lap = 0, message = 0, sent = 0; lap < windows.all(); ++lap) {
    const int count = windows.messages(lap);
    std::size_t gone = 0;
    readings.before(lap);
    for (int i = 0; i < count; ++i) {
      if (out.size() - gone == most_open)
        if (const auto o = link.wait(out[gone++], turn.until); o != Outcome::ok) return o;
      out.push_back(link.start_send(turn.slice(message++)));
    }
    if (const auto o = link.wait(in, turn.until); o != Outcome::ok) return o;
    readings.after(lap, count);
    if (lap + 1 < windows.all()) in = link.start_recv(receipt);
    if (const auto o = wait_for(link, std::span(out).subspan(gone), turn.until, sent); o != Outcome::ok)
      return o;
    out.clear();
  }
  return Outcome::ok;
}

// The receives of the next window are posted before the receipt lets the peer send it.
Outcome follow(Link& link, const Turn& turn, Laps& laps) {
  const Windows windows(turn);
  std::vector<int> in, next;
  int message = 0;
  const auto make_ready = [&](int lap, std::vector<int>& tickets) {
    for (int i = 0; i < windows.messages(lap); ++i) tickets.push_back(link.start_recv(turn.slice(message++)));
  };
  make_ready(0, in);
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int lap = 0; lap < windows.all(); ++lap) {
    if (const auto o = wait_for(link, in, turn.until, laps.arrived); o != Outcome::ok) return o;
    if (lap + 1 < windows.all()) make_ready(lap + 1, next);
    if (const auto o = link.wait(link.start_send(receipt), turn.until); o != Outcome::ok) return o;
    in.clear();
    in.swap(next);
  }
  return Outcome::ok;
}

}  // namespace

extern const Kernel unidirectional{
    .name = "unidirectional",
    .summary = "a window of messages one way and one receipt; a lap is one one-way time per message",
    .run = [](Link& link, const Sides&, const Transport& clock, bool leads, const Turn& turn,
              Laps& laps) { return leads ? lead(link, clock, turn, laps) : follow(link, turn, laps); },
    .both_lead = false,
    .replies = false,
    .windowed = true,
    .messages_per_lap = [](const Turn& turn) { return std::min(turn.window, turn.messages); }};

}  // namespace everylink
