// Reads the switch of each host from Slurm's addresses, or from a file.
#include "coordinator/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "schedule/pairs.hpp"

namespace everylink {
namespace {

// `s1` in "s0.s1.n17" with the pattern "switch.switch.node": the last one is nearest to the host. "": none.
std::string leaf_of(const std::string& address, const std::string& pattern) {
  if (address.empty() || pattern.empty()) return "";
  const auto names = split(address, '.'), kinds = split(pattern, '.');
  if (kinds.back() != "node" || names.size() < kinds.size()) return "";
  for (std::size_t i = kinds.size() - 1; i-- > 0;)
    if (kinds[i] == "switch" || kinds[i] == "block") return names[i];
  return "";
}

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

// The name of each host, as its first rank gives it.
std::vector<std::string> names_of_hosts(const std::vector<RankFacts>& ranks,
                                        const std::vector<int>& host_of) {
  std::vector<std::string> names(static_cast<std::size_t>(*std::max_element(host_of.begin(), host_of.end())) +
                                 1);
  for (std::size_t rank = ranks.size(); rank-- > 0;)
    names[static_cast<std::size_t>(host_of[rank])] = ranks[rank].host;
  return names;
}

std::vector<int> numbered(const std::vector<std::string>& leaves) {
  std::map<std::string, int> numbers;
  std::vector<int> switches;
  int next = 0;
  for (const auto& leaf : leaves) {
    if (leaf.empty()) {
      switches.push_back(next++);
      continue;
    }
    const auto [known, is_new] = numbers.try_emplace(leaf, next);
    next += is_new;
    switches.push_back(known->second);
  }
  return numbers.size() < 2 ? std::vector<int>() : switches;
}

}  // namespace

std::vector<int> switches_told(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  std::vector<std::string> leaves(names_of_hosts(ranks, host_of).size());
  for (std::size_t rank = ranks.size(); rank-- > 0;)
    leaves[static_cast<std::size_t>(host_of[rank])] =
        leaf_of(ranks[rank].topology_address, ranks[rank].topology_pattern);
  return numbered(leaves);
}

std::vector<int> switches_in(const std::string& text, const std::string& asked_by,
                             const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  const PairsOption option{asked_by, static_cast<int>(ranks.size())};
  std::map<std::string, std::pair<std::string, int>> leaf_of_host;  // and the line
  std::map<std::string, std::string> of_short;                      // host; "": several
  for (const auto& line : lines_of(text)) {
    if (line.words.size() != 2) option.refuse(line, "write 'HOST SWITCH'");
    const auto& [host, leaf] = std::pair(line.words[0], line.words[1]);
    const auto [known, is_new] = leaf_of_host.try_emplace(host, leaf, line.number);
    if (!is_new && known->second.first != leaf)
      option.refuse(
          line, fmt::format("{} is behind {} by line {}", host, known->second.first, known->second.second));
    const auto [like, is_first] = of_short.try_emplace(short_name(host), host);
    if (!is_first && like->second != host) like->second.clear();
  }
  const auto names = names_of_hosts(ranks, host_of);
  std::vector<std::string> leaves;
  for (const auto& name : names) {
    auto found = leaf_of_host.find(name);
    if (found == leaf_of_host.end())
      if (const auto like = of_short.find(short_name(name)); like != of_short.end())
        found = leaf_of_host.find(like->second);
    leaves.push_back(found == leaf_of_host.end() ? "" : found->second.first);
  }
  if (std::all_of(leaves.begin(), leaves.end(), [](const auto& leaf) { return leaf.empty(); }))
    throw UsageError(fmt::format("{}: names none of the hosts, such as {}", asked_by, names.front()));
  return numbered(leaves);
}

}  // namespace everylink
