// semidirectional: the message there and back; one clock, one message in flight at a time.
#include <algorithm>
#include <deque>
#include <vector>

#include "base/outcome.hpp"
#include "kernel/kernel.hpp"

namespace everylink {
namespace {

// Everything else is done while the message is in flight: posting the next receive, completing the last send.
Outcome lead(Link& link, const Transport& clock, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  Readings readings(clock, turn.warmups, turn.messages, turn.rounds_per_reading, laps);
  int in = link.start_recv(turn.slice(0)), next = in, last = in;
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
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
  return link.wait(last, turn.until);
}

// Two receives are posted, so that the answer can leave at once.
Outcome follow(Link& link, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  int in[2] = {link.start_recv(turn.slice(0)), 0}, last = 0;
  if (all > 1) in[1] = link.start_recv(turn.slice(1));
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int i = 0; i < all; ++i) {
    if (const auto o = link.wait(in[i % 2], turn.until); o != Outcome::ok) return o;
    const int out = link.start_send(turn.slice(i));
    ++laps.arrived;
    if (i + 2 < all) in[i % 2] = link.start_recv(turn.slice(i + 2));
    if (i > 0)
      if (const auto o = link.wait(last, turn.until); o != Outcome::ok) return o;
    last = out;
  }
  return link.wait(last, turn.until);
}

constexpr int most_rounds_ahead = 16;

// In batches of equal length, as far as possible.
int rounds_of_a_batch(int messages) {
  const int batches = (messages + most_rounds_ahead - 1) / most_rounds_ahead;
  return batches > 0 ? (messages + batches - 1) / batches : most_rounds_ahead;
}

// Rounds of which the first message is held back until all of them are started; then they run without the
// processors of both ranks. One reading of the clock spans one or more such batches.
Outcome lead_chained(Link& link, Chained& chained, const Transport& clock, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  const int batch = rounds_of_a_batch(turn.messages);
  const int batches_per_reading = (turn.rounds_per_reading + batch - 1) / batch;
  Readings readings(clock, turn.warmups, turn.messages, batch * batches_per_reading, laps);
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int first = 0; first < all;) {
    const int end_of_part = first < turn.warmups ? turn.warmups : all;
    const int count = std::min(end_of_part - first, batch);
    const int held = chained.hold();
    std::vector<int> tickets;
    for (int i = 0, after = held; i < count; ++i) {
      const int in = link.start_recv(turn.slice(first + i));
      tickets.push_back(chained.start_send_after(after, turn.slice(first + i)));
      tickets.push_back(after = in);
    }
    for (int i = 0; i < count; ++i) readings.before(first + i);
    chained.release(held);
    if (const auto o = link.wait(tickets.back(), turn.until); o != Outcome::ok) return o;
    for (int i = 0; i < count; ++i) readings.after(first + i, 2);
    laps.arrived += count;
    for (const int ticket : tickets)
      if (const auto o = link.wait(ticket, turn.until); o != Outcome::ok) return o;
    first += count;
  }
  return Outcome::ok;
}

// Answers up to three batches ahead.
Outcome follow_chained(Link& link, Chained& chained, const Turn& turn, Laps& laps) {
  const int all = turn.warmups + turn.messages;
  std::deque<int> in, out;
  if (const auto o = link.begin(turn.until); o != Outcome::ok) return o;
  for (int started = 0; laps.arrived < all; ++laps.arrived) {
    for (; started < all && started < laps.arrived + 3 * most_rounds_ahead; ++started) {
      in.push_back(link.start_recv(turn.slice(started)));
      out.push_back(chained.start_send_after(in.back(), turn.slice(started)));
    }
    for (auto* tickets : {&in, &out}) {
      if (const auto o = link.wait(tickets->front(), turn.until); o != Outcome::ok) return o;
      tickets->pop_front();
    }
  }
  return Outcome::ok;
}

}  // namespace

extern const Kernel semidirectional{
    .name = "semidirectional",
    .summary = "the message there and back; a lap is two one-way times",
    .run =
        [](Link& link, const Sides& sides, const Transport& clock, bool leads, const Turn& turn, Laps& laps) {
          if (auto* chained = sides.chained)
            return leads ? lead_chained(link, *chained, clock, turn, laps)
                         : follow_chained(link, *chained, turn, laps);
          return leads ? lead(link, clock, turn, laps) : follow(link, turn, laps);
        },
    .both_lead = false,
    .replies = true,
    .windowed = false,
    .messages_per_lap = [](const Turn&) { return 1; }};

}  // namespace everylink
