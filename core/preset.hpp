// Published rules of how to measure, each chosen by one word (docs/jupiter.md).
#pragma once

#include <string>
#include <vector>

#include "config.hpp"
#include "facts.hpp"
#include "lines.hpp"

namespace everylink {

// Fills what the rule of --preset says, before the rest of the command line is understood. Throws UsageError
// for a name that there is none of.
void begin_with_preset(Options&);

// Throws UsageError, naming the option, where what was understood breaks the rule.
void check_preset(const Options&);

// What makes the results others than the rule means, as far as the ranks tell: sentences.
std::vector<std::string> doubts_of_preset(const Options&, const std::vector<RankFacts>&,
                                          const std::vector<int>& host_of);

// The table to hand in.
std::string table_of_preset(const Options&, std::size_t ranks, int hosts, const Lines&);

}  // namespace everylink
