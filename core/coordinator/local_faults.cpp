// Names hosts and what they lacked. links/unmeasured.py says the same of a file.
#include "coordinator/local_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ranks.hpp"

namespace everylink {

std::string LocalFaults::text(const std::vector<std::string>& hosts) const {
  std::vector<std::string> parts;
  for (const auto& [cause, set] : ranks_) {
    const std::vector<int> ranks(set.begin(), set.end());
    std::vector<std::string> names;
    for (const int rank : ranks)
      if (const auto& host = hosts[static_cast<std::size_t>(rank)];
          std::find(names.begin(), names.end(), host) == names.end())
        names.push_back(host);
    parts.push_back(fmt::format("{} on host{} {} ({})", cause, names.size() == 1 ? "" : "s",
                                first_names(names), named_ranks(ranks)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace everylink
