// Lines of a file of pairs, and greedy packing into steps.
#include "schedule/pairs.hpp"

#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"

namespace everylink {

std::vector<PairsLine> lines_of(const std::string& text) {
  std::vector<PairsLine> lines;
  std::istringstream in(text);
  std::string row;
  for (int number = 1; std::getline(in, row); ++number) {
    std::istringstream words(row.substr(0, row.find('#')));
    PairsLine line{number, {}};
    for (std::string word; words >> word;) line.words.push_back(word);
    if (!line.words.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string PairsOption::place(const PairsLine& line) const {
  return fmt::format("{}: line {}", asked_by, line.number);
}

void PairsOption::refuse(const PairsLine& line, const std::string& why) const {
  throw UsageError(fmt::format("{}: {}", place(line), why));
}

int PairsOption::rank_in(const std::string& word, const PairsLine& line) const {
  const auto rank = parse_integer(word, place(line));
  if (rank < 0 || rank >= size) refuse(line, fmt::format("rank {} is not one of 0 to {}", rank, size - 1));
  return static_cast<int>(rank);
}

std::pair<int, int> PairsOption::pair_in(const PairsLine& line, std::size_t first) const {
  const std::pair ranks{rank_in(line.words[first], line), rank_in(line.words[first + 1], line)};
  if (ranks.first == ranks.second) refuse(line, "a rank has no link to itself");
  return ranks;
}

Steps packed(const RankPairs& pairs, std::uint64_t order, std::size_t most) {
  Steps steps;
  std::size_t full = 0;  // no pair fits into the first `full` steps
  const Shuffle place(static_cast<std::int64_t>(pairs.size()), order);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [a, b] = pairs[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))];
    const auto fits = [&, a = a, b = b](const std::map<int, int>& step) {
      return step.size() / 2 < most && !step.contains(a) && !step.contains(b);
    };
    std::size_t step = full;
    while (step < steps.size() && !fits(steps[step])) ++step;
    if (step == steps.size()) steps.emplace_back();
    steps[step][a] = b;
    steps[step][b] = a;
    while (full < steps.size() && steps[full].size() / 2 >= most) ++full;
  }
  return steps;
}

Plan plan_of(Steps all) {
  const auto steps = std::make_shared<const Steps>(std::move(all));
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

}  // namespace everylink
