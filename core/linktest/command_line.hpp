// Translates the command lines of LinkTest's programs into ours. Called by one of their names, the core
// behaves as that program did (docs/linktest.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "options/command_line.hpp"

namespace everylink {

// `typed` begins with the program's name; `layer` is the value of LINKTEST_VCLUSTER_IMPL ("": not set).
// Throws UsageError for options that only they have; the message names an alternative.
Line in_our_words(const std::vector<std::string>& typed, std::string_view layer);

// The program that we were called as, and the layer: "ucp" of linktest.ucp.
struct Caller {
  Program program = Program::everylink_measure;
  std::string layer = {};
  std::string name = "everylink-measure";  // "linktest.ucp"
};
Caller caller_of(const std::string& path);

// The defaults of each program.
Options defaults_of(Program);

// The options in each program's help, without those that we refuse.
std::vector<Option> options_of_linktest2();
std::vector<Option> options_of_linktest1();

}  // namespace everylink
