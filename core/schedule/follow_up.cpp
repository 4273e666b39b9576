// Reads the plan of --confirm, and makes the steps of its phases.
#include "schedule/follow_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/names.hpp"
#include "base/units.hpp"

namespace everylink {
namespace {

constexpr std::array<std::string_view, 2> usual{"order", "one-way"};  // phases of a line without a phase

std::vector<std::size_t> phases_in(const PairsLine& line, const PairsOption& option) {
  std::vector<std::size_t> meant;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto name = phases[i].name;
    known.emplace_back(name);
    if (line.words.size() == 2 ? std::find(usual.begin(), usual.end(), name) != usual.end()
                               : line.words[2] == name)
      meant.push_back(i);
  }
  if (meant.empty()) option.refuse(line, unknown_name("phase", line.words[2], known));
  return meant;
}

const Phase* parallel_phase_of(Attempt attempt) {
  for (const auto& phase : phases)
    if (phase.attempt == attempt && !phase.is_serial()) return &phase;
  return nullptr;
}

RankPairs pairs_of(const FollowUp& plan, const Phase* phase) {
  return phase ? plan.of_phase[static_cast<std::size_t>(phase - phases.data())] : plan.all();
}

}  // namespace

RankPairs FollowUp::all() const {
  std::set<std::pair<int, int>> pairs;
  for (const auto& some : of_phase)
    for (const auto& [a, b] : some) pairs.insert(std::minmax(a, b));
  return {pairs.begin(), pairs.end()};
}

std::string FollowUp::text() const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (!of_phase[i].empty())
      parts.push_back(fmt::format("{} {}", phases[i].name, text_of_count(of_phase[i].size(), "pair")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

FollowUp follow_up_of(const std::string& text, const PairsOption& option) {
  FollowUp plan;
  std::array<std::map<std::pair<int, int>, int>, phases.size()> line_of;
  const auto lines = lines_of(text);
  for (const auto& line : lines) {
    if (line.words.size() != 2 && line.words.size() != 3) option.refuse(line, "write 'RANK RANK PHASE'");
    const auto pair = option.pair_in(line, 0);
    for (const auto i : phases_in(line, option)) {
      const auto [known, is_new] = line_of[i].insert({std::minmax(pair.first, pair.second), line.number});
      if (!is_new)
        option.refuse(line, fmt::format("ranks {} and {} are already in phase {} by line {}", pair.first,
                                        pair.second, phases[i].name, known->second));
      plan.of_phase[i].push_back(pair);
    }
  }
  if (lines.empty())
    throw UsageError(
        fmt::format("{}: the plan has no pairs; write lines 'RANK RANK PHASE'", option.asked_by));
  return plan;
}

Plan plan_of(const FollowUp& plan, Attempt attempt, int size, std::uint64_t key) {
  const Phase* phase = parallel_phase_of(attempt);
  const auto most = std::max(1, static_cast<int>((phase ? phase->busy : 1) * size / 2));
  return filled(plan_of(packed(pairs_of(plan, phase), key, static_cast<std::size_t>(most))), size, key, most);
}

Plan serial_plan_of(const FollowUp& plan, Attempt attempt, int size, std::uint64_t key) {
  return serial(plan_of(packed(pairs_of(plan, parallel_phase_of(attempt)), key)), size);
}

}  // namespace everylink
