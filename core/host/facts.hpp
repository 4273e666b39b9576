// Finds out what a rank knows of itself and its machine. It is recorded in the results file, and decides how
// ranks wait.
#pragma once

#include <cstddef>
#include <string>

#include "base/rank_facts.hpp"

namespace everylink {

inline constexpr std::size_t longest_host_name = 255;

// Binds this process to core `rank` of the allowed ones, if there are at least `ranks`; returns whether it
// did.
bool pin_to_core(int rank, int ranks);

// `host`: a host of a simulated network, without switches above it; else `node_name`, else SLURMD_NODENAME,
// else gethostname.
RankFacts own_facts(const std::string& host, const std::string& node_name);

}  // namespace everylink
