// The command line as one value.
#pragma once

#include <optional>

#include "base/options.hpp"

namespace everylink {

// Throws UsageError. Gives nothing when the line asked for help or the version, which is then printed.
std::optional<Options> parse_command_line(int argc, const char* const* argv);

}  // namespace everylink
