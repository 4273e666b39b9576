// Tries in a child process whether a library can start here: the library may abort, print, or leave threads.
#pragma once

#include <functional>
#include <string>

#include "base/seconds.hpp"

namespace everylink {

// The result of `why` in the child, or how the child ended instead. "": the library can start.
std::string tried_in_child(const std::function<std::string()>& why, Seconds limit);

}  // namespace everylink
