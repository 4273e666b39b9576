// How many high-speed network adapters this host has.
#pragma once

#include <filesystem>

namespace everylink {

// Devices of InfiniBand or Omni-Path that have an active port; where there is none, those of RoCE.
int active_adapters(const std::filesystem::path& sys = "/sys");

}  // namespace everylink
