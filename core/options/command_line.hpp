// The command line as one value.
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"

namespace everylink {

// A command line in our options, whichever name the program was called by (linktest/command_line.hpp).
struct Line {
  std::vector<std::string> words;  // after the program's name
  Options defaults;                // for options that are not given
};

enum class Action { measure, show_help, show_version, list };

struct Command {
  Action action = Action::measure;
  Options options;
  std::string form = {};  // of the help: text, short, json, ...
};

// Throws UsageError.
Command parse(Line);

}  // namespace everylink
