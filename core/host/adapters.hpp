// Which high-speed network adapters this host has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace everylink {

// A port of InfiniBand, Omni-Path or RoCE that carries something: "mlx5_0", "1".
struct ActivePort {
  std::string device, number;
  bool ethernet;
};
std::vector<ActivePort> active_ports(const std::filesystem::path& sys = "/sys");

// Devices of InfiniBand or Omni-Path that have an active port; where there is none, those of RoCE.
int active_adapters(const std::filesystem::path& sys = "/sys");

}  // namespace everylink
