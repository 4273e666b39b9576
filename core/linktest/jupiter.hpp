// The JUPITER Benchmark Suite's rule for LinkTest (docs/jupiter.md).
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/rank_facts.hpp"
#include "linktest/lines.hpp"

namespace everylink {

// Sentences: how this run departs from the rule, as far as the ranks' facts show.
std::vector<std::string> doubts_of_preset(const Options&, const std::vector<RankFacts>&,
                                          const std::vector<int>& host_of);

// The table to submit.
std::string table_of_preset(const Options&, std::size_t ranks, int hosts, const Lines&);

}  // namespace everylink
