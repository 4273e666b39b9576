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

// Whether --rails auto was given: `options` are those of with_rails.
bool rails_are_auto(const Settings& options);

// The options of this rank's transport, with one device in place of the rails. `auto` asks this machine for
// its devices. `gpus`: by rank the PCI addresses of the GPUs whose memory holds messages, or empty; with
// `auto` a rank takes a device that is nearest to its GPU.
Settings on_own_rail(const std::string& mode, Settings options, const std::vector<std::int32_t>& host_of,
                     int rank, const std::vector<std::string>& gpus = {});

// The devices that `auto` selects: those that can carry the mode's messages.
std::vector<std::string> rails_here(const std::string& mode);

}  // namespace everylink
