// Ranks by host and by machine.
#include "base/rank_facts.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {
namespace {

constexpr int most_cores = 1 << 16;

// Parses "0-3,8".
std::set<int> core_numbers(const std::string& text) {
  std::set<int> cores;
  if (text.empty()) return cores;
  for (const auto& part : split(text, ',')) {
    const auto ends = split(part, '-');
    const auto first = parse_integer(ends.front(), "cores"), last = parse_integer(ends.back(), "cores");
    if (first < 0 || last >= most_cores) throw MachineError("a rank's list of cores makes no sense: " + text);
    for (auto core = first; core <= last; ++core) cores.insert(static_cast<int>(core));
  }
  return cores;
}

}  // namespace

std::string host_of_unjoined(int rank) { return fmt::format("rank {}", rank); }

std::vector<int> hosts_of(const std::vector<RankFacts>& ranks) {
  std::map<std::tuple<std::string, std::string, std::string>, int> known;
  std::vector<int> hosts;
  for (const auto& rank : ranks)
    hosts.push_back(
        known.emplace(std::make_tuple(rank.host, rank.machine, rank.network), static_cast<int>(known.size()))
            .first->second);
  return hosts;
}

std::vector<char> crowded_of(const std::vector<RankFacts>& ranks) {
  struct Machine {
    std::size_t ranks = 0;
    std::set<int> cores;
  };
  std::map<std::string, Machine> machines;
  for (const auto& rank : ranks) {
    auto& machine = machines[rank.machine];
    ++machine.ranks;
    machine.cores.merge(core_numbers(rank.cores));
  }
  std::vector<char> crowded;
  for (const auto& rank : ranks) {
    const auto& machine = machines[rank.machine];
    crowded.push_back(!machine.cores.empty() && machine.ranks > machine.cores.size());
  }
  return crowded;
}

}  // namespace everylink
