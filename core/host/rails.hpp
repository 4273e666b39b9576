// --rails: the ranks of a host take its network devices in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace everylink {

// The mode's options with --rails added, so that results and --resume contain it. Throws UsageError for a
// mode without a choice of devices, and if a device is already chosen.
std::string with_rails(const std::string& mode, const std::string& mode_options, const std::string& rails);

std::vector<std::string> modes_with_rails();

// The options of this rank's transport, with one device in place of the rails. `auto` asks this machine for
// its devices.
Settings on_own_rail(const std::string& mode, Settings options, const std::vector<std::int32_t>& host_of,
                     int rank);

// The devices that `auto` selects: those that can carry the mode's messages.
std::vector<std::string> rails_here(const std::string& mode);

}  // namespace everylink
