// file: the user's pairs, either lines `from to`, packed greedily into steps, or lines `step from to`.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "schedule/pairs.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

constexpr std::size_t with_step = 3;  // words of a line

std::vector<PairsLine> read_lines(const PairsOption& option, const std::string& text) {
  const auto lines = lines_of(text);
  for (const auto& line : lines) {
    if (line.words.size() != 2 && line.words.size() != with_step)
      option.refuse(line, "write 'from to' or 'step from to'");
    if (line.words.size() != lines.front().words.size())
      option.refuse(line, "give a step in all lines or in none");
  }
  if (lines.empty())
    throw UsageError(fmt::format("{}: the file has no pairs; write lines 'from to'", option.asked_by));
  return lines;
}

// A pair measures both of its links, so 'a b' and 'b a' are the same.
Steps as_listed(const std::vector<PairsLine>& lines, const PairsOption& option, std::uint64_t order) {
  std::set<std::pair<int, int>> seen;
  RankPairs pairs;
  for (const auto& line : lines) {
    const auto pair = option.pair_in(line, 0);
    if (seen.insert(std::minmax(pair.first, pair.second)).second) pairs.push_back(pair);
  }
  return packed(pairs, order);
}

Steps as_written(const std::vector<PairsLine>& lines, const PairsOption& option, std::uint64_t order) {
  std::map<std::int64_t, std::map<int, int>> by_step;
  for (const auto& line : lines) {
    const auto number = parse_integer(line.words[0], option.place(line));
    if (number < 0) option.refuse(line, "the step must be 0 or more");
    const auto [from, to] = option.pair_in(line, 1);
    auto& step = by_step[number];
    if (const auto known = step.find(from); known != step.end() && known->second == to) continue;
    for (const int rank : {from, to})
      if (step.contains(rank))
        option.refuse(line, fmt::format("rank {} is already busy in step {}", rank, number));
    step[from] = to;
    step[to] = from;
  }
  Steps steps(by_step.size());
  const Shuffle place(static_cast<std::int64_t>(steps.size()), order);
  std::int64_t i = 0;
  for (auto& [number, pairs] : by_step) steps[static_cast<std::size_t>(place(i++))] = std::move(pairs);
  return steps;
}

Plan make_file(const Population& population) {
  const PairsOption option{population.asked_by, population.size};
  const auto lines = read_lines(option, population.option);
  return plan_of(lines.front().words.size() == with_step ? as_written(lines, option, population.order)
                                                         : as_listed(lines, option, population.order));
}

}  // namespace

extern const ScheduleEntry schedule_file{"file", "the pairs of a file: lines 'from to' or 'step from to'",
                                         "PAIRS", make_file};

}  // namespace everylink
