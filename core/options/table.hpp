// The one table of options. Parsing, refusals, help, the man page, completion and docs/options.md are
// generated from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "load/pattern.hpp"

namespace everylink {

// In the order of --help: options of pairs, of patterns, and of single patterns.
const std::vector<Option>& all_options();
const std::vector<Exclusion>& exclusions();

// The options of `everylink-measure` ("pairs") or of `everylink-measure PATTERN`, with its names and
// defaults.
std::vector<Option> options_of(std::string_view command);

const Option& option_named(std::string_view name);  // the first one of this name, whatever the command

std::string group_of(const Pattern&);  // the title of the pattern's own options
std::vector<std::string> pattern_names();

}  // namespace everylink
