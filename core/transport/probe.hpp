// Whether a library can start here, asked in a process of its own: it may abort, print or leave threads
// behind.
#pragma once

#include <string>

#include "base/types.hpp"

namespace everylink {

// What `why` says there, or how its process ended instead. "": it can.
std::string asked_in_a_child(std::string (*why)(), Seconds limit);

}  // namespace everylink
