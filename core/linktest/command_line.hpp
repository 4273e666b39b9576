// The command lines of LinkTest's programs, put into ours: who calls us by one of their names gets what that
// program gave (docs/linktest.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace everylink {

struct Line {
  Program program;
  std::vector<std::string> words;  // what stands behind everylink-measure's name
};

// `typed` begins with the program's name; `layer` is the value of LINKTEST_VCLUSTER_IMPL ("": not set).
// Throws UsageError for what they have and we have not, saying what to use.
Line in_our_words(const std::vector<std::string>& typed, std::string_view layer);

// What holds where the line says nothing.
Options defaults_of(Program);

// What --help says behind our own options.
std::string help_of(Program);

}  // namespace everylink
