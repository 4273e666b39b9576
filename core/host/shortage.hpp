// What this process has run out of.
#pragma once

#include <string>

namespace everylink {

// Returns "too many open files" if this process cannot open that many more descriptors, "not enough memory"
// if it cannot get another MiB, else "".
std::string shortage_now(int descriptors = 1);

// Called when a library could not set something up. Most libraries do not say that descriptors or memory are
// missing, and have freed their own when they return. Throws LocalFault if few are left, else MachineError.
[[noreturn]] void throw_of_library(const std::string& what);

}  // namespace everylink
