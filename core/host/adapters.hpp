// Which high-speed network adapters this host has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace everylink {

// An active port of InfiniBand, Omni-Path or RoCE: "mlx5_0", "1".
struct ActivePort {
  std::string device, number;
  bool ethernet;
};
std::vector<ActivePort> active_ports(const std::filesystem::path& sys = "/sys");

// The number of InfiniBand or Omni-Path devices with an active port; if there is none, of RoCE devices.
int active_adapters(const std::filesystem::path& sys = "/sys");

}  // namespace everylink
