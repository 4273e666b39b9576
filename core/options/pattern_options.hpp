// The command line of a load pattern: everylink-measure PATTERN [options].
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "options/command_line.hpp"

namespace everylink {

struct PatternWords {
  std::string duration;
  std::map<std::string, std::string> own;  // of the pattern
  std::map<std::string, bool> own_flags;
};

// The options that a pattern has of its own.
void bind_pattern(CLI::App&, const Options&, PatternWords&);
// Throws UsageError.
void understand_pattern(const PatternWords&, Options&);
std::string help_of_patterns();
std::string names_of_patterns();  // with commas

}  // namespace everylink
