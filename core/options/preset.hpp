// Published measurement rules, each selected by one word (docs/jupiter.md).
#pragma once

#include "base/options.hpp"

namespace everylink {

// Sets what the rule of --preset prescribes, before the rest of the command line is applied.
void begin_with_preset(Options&);

// Throws UsageError, which names the option, if the options break the rule.
void check_preset(const Options&);

}  // namespace everylink
