// --rails: the ranks of a host take its network devices in turn.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace everylink {

// The options of a mode with --rails among them, where results and --resume find it. Throws UsageError for a
// mode whose device nobody can choose, or whose device is chosen already.
std::string with_rails(const std::string& mode, const std::string& mode_options, const std::string& rails);

std::vector<std::string> modes_with_rails();

// The options of this rank's transport: in place of the rails the one that is its turn. `auto` asks this
// machine which devices it has.
Settings on_own_rail(const std::string& mode, Settings options, const std::vector<std::int32_t>& host_of,
                     int rank);

// What `auto` takes: of a mode's devices those that could carry its messages.
std::vector<std::string> rails_here(const std::string& mode);

}  // namespace everylink
