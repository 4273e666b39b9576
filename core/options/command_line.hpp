// The command line as one value.
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"

namespace everylink {

// A line in our words, by whatever name the program was called (linktest/command_line.hpp).
struct Line {
  std::vector<std::string> words;  // behind the program's name
  Options defaults;                // what holds where the line says nothing
};

enum class Wish { measure, say_help, say_version, list };

struct Command {
  Wish wish = Wish::measure;
  Options options;
  std::string form = {};  // of help: text, short, json, ...
};

// Throws UsageError.
Command parse(Line);

}  // namespace everylink
