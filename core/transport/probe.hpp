// Whether a library can start here, tried in a child process: the library may abort, print, or leave threads
// behind.
#pragma once

#include <string>

#include "base/seconds.hpp"

namespace everylink {

// What `why` returns there, or how the child ended instead. "": the library can start.
std::string asked_in_a_child(std::string (*why)(), Seconds limit);

}  // namespace everylink
