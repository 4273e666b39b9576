// Published rules of how to measure, each chosen by one word (docs/jupiter.md).
#pragma once

#include "base/options.hpp"

namespace everylink {

// Fills what the rule of --preset says, before the rest of the command line is applied.
void begin_with_preset(Options&);

// Throws UsageError, naming the option, where they break the rule.
void check_preset(const Options&);

}  // namespace everylink
