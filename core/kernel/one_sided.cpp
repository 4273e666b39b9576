// put and get: a window of messages into the peer's memory, or out of it, of which its kernel knows nothing.
#include <vector>

#include "kernel/windows.hpp"

namespace everylink {
namespace {

// A lap of puts ends when all lie in the peer's memory, one of gets when all are here.
template <bool fetches>
Outcome lead(Link& link, OneSided& peer, const Transport& clock, const Shot& shot, Laps& laps) {
  const Windows windows(shot);
  Readings readings(clock, windows.warm(), windows.all() - windows.warm(), shot.rounds_per_reading, laps);
  std::vector<int> tickets;
  tickets.reserve(static_cast<std::size_t>(shot.window));
  if (const auto o = link.meet(shot.until); o != Outcome::ok) return o;
  for (int lap = 0, message = 0; lap < windows.all(); ++lap) {
    const int count = windows.messages(lap);
    std::size_t done = 0;
    readings.before(lap);
    for (int i = 0; i < count; ++i) {
      if (tickets.size() - done == most_open)
        if (const auto o = link.wait(tickets[done++], shot.until); o != Outcome::ok) return o;
      const Slice slice = shot.slice(message++);
      tickets.push_back(fetches ? peer.start_get(slice, slice.offset) : peer.start_put(slice, slice.offset));
      if (tickets.back() == no_ticket) return Outcome::broken;
    }
    while (fetches && done < tickets.size())
      if (const auto o = link.wait(tickets[done++], shot.until); o != Outcome::ok) return o;
    if (!fetches)
      if (const auto o = peer.flush(shot.until); o != Outcome::ok) return o;
    readings.after(lap, count);
    tickets.clear();
  }
  return link.meet(shot.until);
}

// Has no part in it, and knows only at the end that all has come.
Outcome follow(Link& link, const Shot& shot, Laps& laps) {
  laps.arrived = -1;
  if (const auto o = link.meet(shot.until); o != Outcome::ok) return o;
  if (const auto o = link.meet(shot.until); o != Outcome::ok) return o;
  laps.arrived = shot.warmups + shot.messages;
  return Outcome::ok;
}

template <bool fetches>
Outcome run(Link& link, OneSided* peer, const Transport& clock, bool leads, const Shot& shot, Laps& laps) {
  return leads ? lead<fetches>(link, *peer, clock, shot, laps) : follow(link, shot, laps);
}

int messages_a_lap(const Shot& shot) { return std::min(shot.window, shot.messages); }

}  // namespace

extern const Kernel put{
    "put",          "a window of messages into the peer's memory; a lap is a one-way time for each",
    run<false>,     false,
    false,          true,
    messages_a_lap, true,
    false};

extern const Kernel get{"get",
                        "a window of messages out of the peer's memory; a lap is a one-way time for each",
                        run<true>,
                        false,
                        false,
                        true,
                        messages_a_lap,
                        true,
                        true};

}  // namespace everylink
