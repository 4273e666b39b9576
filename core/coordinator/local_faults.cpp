// Names hosts and what they lacked. links/unmeasured.py says the same of a file.
#include "coordinator/local_faults.hpp"

#include <fmt/format.h>

#include "base/ranks.hpp"

namespace everylink {

std::string LocalFaults::text(const std::vector<std::string>& hosts) const {
  std::vector<std::string> parts;
  for (const auto& [cause, set] : ranks_) {
    const std::vector<int> ranks(set.begin(), set.end());
    parts.push_back(fmt::format("{} on {} ({})", cause, named_hosts(ranks, hosts), named_ranks(ranks)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace everylink
