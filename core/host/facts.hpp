// Collects the facts that a rank knows about itself and its machine. They are recorded in the results file,
// and decide how ranks wait.
#pragma once

#include <cstddef>
#include <string>

#include "base/rank_facts.hpp"

namespace everylink {

inline constexpr std::size_t longest_host_name = 255;

// Binds this process to core `rank` of the allowed ones, unless they are fewer than `ranks`. True: bound.
bool pin_to_core(int rank, int ranks);

// The host name is `host` (a host of a simulated network, without switches), else `node_name`, else
// SLURMD_NODENAME, else gethostname. Of a simulated host, which may also be known by HWLOC_SYNTHETIC, no
// cores are known: nothing waits for them.
RankFacts own_facts(const std::string& host, const std::string& node_name);

}  // namespace everylink
