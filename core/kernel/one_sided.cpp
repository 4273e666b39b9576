// put and get: a window of messages into the peer's memory, or out of it. The peer's kernel takes no part.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "kernel/windows.hpp"

namespace everylink {
namespace {

// A lap of puts ends when all of them are in the peer's memory, a lap of gets when all have arrived.
template <bool fetches>
Outcome lead(Link& link, OneSided& peer, const Transport& clock, const Turn& turn, Laps& laps) {
  const Windows windows(turn);
  Readings readings(clock, windows.warm(), windows.all() - windows.warm(), turn.rounds_per_reading, laps);
  std::vector<int> tickets;
  tickets.reserve(static_cast<std::size_t>(turn.window));
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int lap = 0, message = 0; lap < windows.all(); ++lap) {
    const int count = windows.messages(lap);
    std::size_t done = 0;
    readings.before(lap);
    for (int i = 0; i < count; ++i) {
      if (tickets.size() - done == most_open)
        if (const auto o = link.wait(tickets[done++], turn.until); o != Outcome::ok) return o;
      const Slice slice = turn.slice(message++);
      tickets.push_back(fetches ? peer.start_get(slice, slice.offset) : peer.start_put(slice, slice.offset));
      if (tickets.back() == no_ticket) return Outcome::broken;
    }
    while (fetches && done < tickets.size())
      if (const auto o = link.wait(tickets[done++], turn.until); o != Outcome::ok) return o;
    if (!fetches)
      if (const auto o = peer.flush(turn.until); o != Outcome::ok) return o;
    readings.after(lap, count);
    tickets.clear();
  }
  return link.meet(turn.until);
}

// Takes no part; learns only at the end that everything has arrived.
Outcome follow(Link& link, const Turn& turn, Laps& laps) {
  laps.arrived = -1;
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  if (const auto o = link.meet(turn.until); o != Outcome::ok) return o;
  laps.arrived = turn.warmups + turn.messages;
  return Outcome::ok;
}

template <bool fetches>
Outcome run(Link& link, const Sides& sides, const Transport& clock, bool leads, const Turn& turn,
            Laps& laps) {
  return leads ? lead<fetches>(link, *sides.one_sided, clock, turn, laps) : follow(link, turn, laps);
}

int messages_per_lap(const Turn& turn) { return std::min(turn.window, turn.messages); }

}  // namespace

extern const Kernel put{
    .name = "put",
    .summary = "a window of messages into the peer's memory; a lap is one one-way time per message",
    .run = run<false>,
    .both_lead = false,
    .replies = false,
    .windowed = true,
    .messages_per_lap = messages_per_lap,
    .one_sided = true,
    .fetches = false};

extern const Kernel get{
    .name = "get",
    .summary = "a window of messages out of the peer's memory; a lap is one one-way time per message",
    .run = run<true>,
    .both_lead = false,
    .replies = false,
    .windowed = true,
    .messages_per_lap = messages_per_lap,
    .one_sided = true,
    .fetches = true};

}  // namespace everylink
