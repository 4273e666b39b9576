// Texts that name ranks.
#include "base/ranks.hpp"

#include <fmt/format.h>

namespace everylink {

std::string first_names(const std::vector<std::string>& names, std::size_t most) {
  const auto shown = std::span(names).first(std::min(names.size(), most));
  const auto more = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), more ? fmt::format(" and {} more", more) : "");
}

std::string first_ranks(std::span<const int> ranks, const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const int rank : ranks)
    names.push_back(hosts.empty() ? fmt::to_string(rank)
                                  : fmt::format("{} ({})", rank, hosts[static_cast<std::size_t>(rank)]));
  return first_names(names);
}

std::string named_ranks(std::span<const int> ranks, const std::vector<std::string>& hosts) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + first_ranks(ranks, hosts);
}

std::string named_hosts(std::span<const int> ranks, const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const int rank : ranks)
    if (const auto& host = hosts[static_cast<std::size_t>(rank)];
        std::find(names.begin(), names.end(), host) == names.end())
      names.push_back(host);
  return (names.size() == 1 ? "host " : "hosts ") + first_names(names);
}

}  // namespace everylink
