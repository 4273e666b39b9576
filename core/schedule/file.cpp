// file: the user's pairs, either lines `from to`, packed greedily into steps, or lines `step from to`.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

struct Line {
  std::int64_t step;  // no_rank: not given
  int from, to, number;
};

std::string place(const Population& population, int number) {
  return fmt::format("{}: line {}", population.asked_by, number);
}

[[noreturn]] void refuse(const Population& population, int number, const std::string& why) {
  throw UsageError(fmt::format("{}: {}", place(population, number), why));
}

int rank_in(const std::string& word, const Population& population, int number) {
  const auto rank = parse_integer(word, place(population, number));
  if (rank < 0 || rank >= population.size)
    refuse(population, number, fmt::format("rank {} is not one of 0 to {}", rank, population.size - 1));
  return static_cast<int>(rank);
}

std::vector<Line> read_lines(const Population& population) {
  std::vector<Line> lines;
  std::istringstream in(population.option);
  std::string row;
  for (int number = 1; std::getline(in, row); ++number) {
    std::istringstream words(row.substr(0, row.find('#')));
    std::vector<std::string> parts;
    for (std::string word; words >> word;) parts.push_back(word);
    if (parts.empty()) continue;
    if (parts.size() > 3 || parts.size() < 2) refuse(population, number, "write 'from to' or 'step from to'");
    const bool with_step = parts.size() == 3;
    if (!lines.empty() && with_step != (lines[0].step != no_rank))
      refuse(population, number, "give a step in all lines or in none");
    Line line{no_rank, rank_in(parts[parts.size() - 2], population, number),
              rank_in(parts.back(), population, number), number};
    if (with_step) line.step = parse_integer(parts[0], place(population, number));
    if (with_step && line.step < 0) refuse(population, number, "the step must be 0 or more");
    if (line.from == line.to) refuse(population, number, "a rank has no link to itself");
    lines.push_back(line);
  }
  if (lines.empty())
    throw UsageError(fmt::format("{}: the file has no pairs; write lines 'from to'", population.asked_by));
  return lines;
}

using Steps = std::vector<std::map<int, int>>;  // step -> rank -> partner

// A pair measures both of its links, so 'a b' and 'b a' are the same.
Steps pack(std::vector<Line> lines, std::uint64_t order) {
  std::set<std::pair<int, int>> seen;
  Steps steps;
  std::vector<Line> shuffled(lines);
  const Shuffle place(static_cast<std::int64_t>(lines.size()), order);
  for (std::size_t i = 0; i < lines.size(); ++i)
    shuffled[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))] = lines[i];
  for (const auto& line : shuffled) {
    if (!seen.insert(std::minmax(line.from, line.to)).second) continue;
    std::size_t step = 0;
    while (step < steps.size() && (steps[step].count(line.from) || steps[step].count(line.to))) ++step;
    if (step == steps.size()) steps.emplace_back();
    steps[step][line.from] = line.to;
    steps[step][line.to] = line.from;
  }
  return steps;
}

Steps as_written(const std::vector<Line>& lines, const Population& population) {
  std::map<std::int64_t, std::map<int, int>> by_step;
  for (const auto& line : lines) {
    auto& step = by_step[line.step];
    if (const auto known = step.find(line.from); known != step.end() && known->second == line.to) continue;
    for (const int rank : {line.from, line.to})
      if (step.count(rank))
        refuse(population, line.number, fmt::format("rank {} is already busy in step {}", rank, line.step));
    step[line.from] = line.to;
    step[line.to] = line.from;
  }
  Steps steps(by_step.size());
  const Shuffle place(static_cast<std::int64_t>(steps.size()), population.order);
  std::int64_t i = 0;
  for (auto& [number, pairs] : by_step) steps[static_cast<std::size_t>(place(i++))] = std::move(pairs);
  return steps;
}

Plan make_file(const Population& population) {
  const auto lines = read_lines(population);
  const auto steps = std::make_shared<const Steps>(lines[0].step == no_rank ? pack(lines, population.order)
                                                                            : as_written(lines, population));
  std::int64_t ends = 0;
  for (const auto& step : *steps) ends += static_cast<std::int64_t>(step.size());
  return {static_cast<std::int64_t>(steps->size()),
          ends / 2,
          [steps](std::int64_t step, int rank) {
            const auto& pairs = (*steps)[static_cast<std::size_t>(step)];
            const auto found = pairs.find(rank);
            return found == pairs.end() ? no_rank : found->second;
          },
          {}};
}

}  // namespace

extern const ScheduleEntry schedule_file{"file", "the pairs of a file: lines 'from to' or 'step from to'",
                                         "PAIRS", make_file};

}  // namespace everylink
