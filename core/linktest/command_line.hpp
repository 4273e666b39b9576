// The command lines of LinkTest's programs, put into ours: who calls us by one of their names gets what that
// program gave (docs/linktest.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "options/command_line.hpp"

namespace everylink {

// `typed` begins with the program's name; `layer` is the value of LINKTEST_VCLUSTER_IMPL ("": not set).
// Throws UsageError for what they have and we have not, saying what to use.
Line in_our_words(const std::vector<std::string>& typed, std::string_view layer);

// By whose name we were called, and "ucp" of linktest.ucp.
struct Caller {
  Program program = Program::everylink_measure;
  std::string layer = {};
};
Caller caller_of(const std::string& path);

// What holds where the line says nothing.
Options defaults_of(Program);

// The options of each program, as its help has them; what is refused is not among them.
std::vector<Option> options_of_linktest2();
std::vector<Option> options_of_linktest1();

}  // namespace everylink
