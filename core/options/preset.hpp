// Published rules of how to measure, each chosen by one word (docs/jupiter.md).
#pragma once

#include "base/options.hpp"

namespace everylink {

// Fills what the rule of --preset says, before the rest of the command line is understood. Throws UsageError
// for a name that there is none of.
void begin_with_preset(Options&);

// Throws UsageError, naming the option, where what was understood breaks the rule.
void check_preset(const Options&);

}  // namespace everylink
