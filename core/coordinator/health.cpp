// Finds the ranks that look dark or slow.
#include "coordinator/health.hpp"

#include "base/outcome.hpp"

#include <algorithm>
#include <bit>

namespace everylink {
namespace {

constexpr double timeout_factor = 20;                                      // times the usual time of a pair
constexpr std::size_t enough = 3, kept_times = 1001, taken_per_step = 64;  // times of pairs
constexpr int dark_after = 8;

}  // namespace

// Both ends of a pair report. A pair with an end that is gone is left out.
std::vector<Health::Pair> Health::pairs_of(const std::vector<Report>& reports, const Measure& order,
                                           std::span<const int> gone) const {
  std::map<std::pair<int, int>, Pair> pairs;
  for (const auto& report : reports) {
    if (report.step != order.step().row || report.led.samples.empty()) continue;
    if (is_among(gone, report.peer)) continue;
    const auto ends = std::minmax(report.rank, report.peer);
    Pair& pair =
        pairs.emplace(ends, Pair{ends.first, ends.second, reach_of(host_of_, ends.first, ends.second)})
            .first->second;
    for (std::size_t i = 0; i < report.led.samples.size(); ++i) {
      const Sample& sample = report.led.samples[i];
      pair.answered &= sample.outcome != Outcome::timeout;
      const auto rounds = i < order.tunings.size() ? order.tunings[i].rounds_per_reading : 1;
      pair.done = std::max(pair.done, sample.one_way.n * rounds);
    }
    for (const auto& note : report.notes)
      if (note.arrived > 0) pair.done = std::max(pair.done, static_cast<std::uint32_t>(note.arrived));
    pair.took = std::max(pair.took, report.took);
    if (report.fault_is_local) pair.lacking.push_back(report.rank);
  }
  std::vector<Pair> list;
  for (const auto& [ends, pair] : pairs) list.push_back(pair);
  return list;
}

void Health::learn(const std::vector<Report>& reports, const Measure& order, std::span<const int> gone) {
  std::size_t taken[2] = {0, 0};
  for (const auto& pair : pairs_of(reports, order, gone)) {
    for (const int rank : pair.lacking) note_lacking(rank, pair.reach, order.step().row);
    if (!pair.lacking.empty()) continue;
    const bool moved = pair.done > 0;  // something arrived before any fault
    const bool whole = messages_of(order, pair.reach, pair.a, pair.b) == 0;
    if ((pair.answered || moved) && whole && taken[index(pair.reach)]++ < taken_per_step) note_time(pair);
    if (pair.answered) {
      note_answer(pair, pair.a);
      note_answer(pair, pair.b);
    } else if (moved) {
      note_slow(pair, pair.a, pair.b);
      note_slow(pair, pair.b, pair.a);
    } else {
      const bool a_is = is_suspect(pair.a, pair.reach), b_is = is_suspect(pair.b, pair.reach);
      if (!b_is) note_silent(pair.a, pair.b, pair.reach, order.step().row);
      if (!a_is) note_silent(pair.b, pair.a, pair.reach, order.step().row);
    }
  }
}

void Health::note_time(const Pair& pair) {
  auto& times = times_[index(pair.reach)];
  if (times.size() < kept_times) times.push_back(0);
  times[next_[index(pair.reach)]++ % kept_times] = pair.took;
}

// A slow rank stays slow until one of its pairs would have been fast enough with all messages.
void Health::note_answer(const Pair& pair, int rank) {
  const auto found = troubles_.find({rank, pair.reach});
  if (found == troubles_.end()) return;
  const auto messages = found->second.messages;
  const Seconds whole = messages ? pair.took * options_.most_messages() / messages : 0;
  found->second = Trouble();
  if (whole > timeout_factor / 2 * usual(pair.reach))
    found->second.messages = messages;
  else
    troubles_.erase(found);
}

bool Health::is_suspect(int rank, Reach reach) const {
  const auto found = troubles_.find({rank, reach});
  return found != troubles_.end() && found->second.suspect;
}

// One silent pair may be the fault of the peer; a second peer makes the rank suspect.
void Health::note_silent(int rank, int peer, Reach reach, std::uint32_t step) {
  Trouble& trouble = troubles_[{rank, reach}];
  if (trouble.first_silent == no_rank) trouble.first_silent = peer;
  note_silence(trouble, trouble.first_silent != peer, step);
}

// Its peers wait for it in vain, so it is tried like a dark one. It is not the fault of a peer.
void Health::note_lacking(int rank, Reach reach, std::uint32_t step) {
  Trouble& trouble = troubles_[{rank, reach}];
  trouble.lacks = true;
  note_silence(trouble, trouble.silent_in_row > 0, step);
}

void Health::note_silence(Trouble& trouble, bool is_suspect, std::uint32_t step) {
  ++trouble.silent_in_row;
  trouble.suspect |= is_suspect;
  if (trouble.suspect && trouble.silent_in_row >= dark_after && trouble.dark_since == 0)
    trouble.dark_since = std::max(step, 1u);
}

// A rank that was slow with two peers gets fewer messages, so that its pairs end in time with a result.
void Health::note_slow(const Pair& pair, int rank, int peer) {
  Trouble& trouble = troubles_[{rank, pair.reach}];
  trouble.silent_in_row = 0;
  if (trouble.first_slow == no_rank) trouble.first_slow = peer;
  if (trouble.first_slow == peer && trouble.messages == 0) return;
  const std::uint32_t known = trouble.messages ? trouble.messages : ~0u;
  trouble.messages = std::min(known, std::max(1u, pair.done / 3));
}

Seconds Health::usual(Reach reach) const {
  auto times = times_[index(reach)];
  if (times.size() < enough) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// A dark rank is tried at growing intervals: 1, 2, 4, 8, ... steps after it was found dark.
void Health::advise(Measure& order) const {
  for (const Reach reach : {Reach::near, Reach::far})
    order.timeouts[index(reach)] = timeout_factor * usual(reach);
  order.care.clear();
  for (const auto& [key, trouble] : troubles_) {
    const bool dark = trouble.dark_since > 0;
    if (!dark && !trouble.suspect && trouble.messages == 0) continue;
    const std::uint32_t distance = dark ? order.step().row - trouble.dark_since : 0;
    order.care.push_back({.rank = key.first,
                          .reach = key.second,
                          .suspect = trouble.suspect,
                          .dark = dark && !std::has_single_bit(distance),
                          .lacks = trouble.lacks,
                          .messages = trouble.messages});
  }
}

}  // namespace everylink
