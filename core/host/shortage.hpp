// What this process has run out of.
#pragma once

#include <string>

namespace everylink {

// "too many open files" if so many descriptors cannot be had now, "not enough memory" if no memory can; "":
// neither.
std::string shortage_now(int descriptors = 1);

// Of a library that could not set something up. Most do not say that descriptors or memory are missing, and
// have given back theirs before they return: LocalFault if few are left, else MachineError.
[[noreturn]] void throw_of_library(const std::string& what);

}  // namespace everylink
