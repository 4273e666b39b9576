// What a rank knows of itself and its machine; it goes into the file, and it decides how ranks wait.
#pragma once

#include <string>
#include <vector>

#include "base/rank_facts.hpp"
#include "base/types.hpp"

namespace everylink {

// Binds this process to core `rank` of those allowed, where there are at least `ranks`; says whether it did.
bool pin_to_core(int rank, int ranks);

// `host`: a made-up name, which hangs on no switch; else `node_name`, else SLURMD_NODENAME, else gethostname.
RankFacts own_facts(const std::string& host, const std::string& node_name);

}  // namespace everylink
