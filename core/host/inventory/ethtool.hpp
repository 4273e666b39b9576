// What a driver of a network interface says of itself, asked as `ethtool` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace everylink::inventory {

struct EthtoolDriver {
  std::string name, version, firmware;
};
std::optional<EthtoolDriver> ethtool_driver(const std::string& interface);
// By name, in the driver's order; empty: it has none, or is not asked by us.
std::vector<std::pair<std::string, std::uint64_t>> ethtool_statistics(const std::string& interface);

}  // namespace everylink::inventory
