// A run from start to end, the same on every rank. This is the only file that knows transports, memories,
// kernels and schedules.
#pragma once

#include "base/options.hpp"
#include "bootstrap/place.hpp"

namespace everylink {

// Measures as this rank until the order to stop. Returns the exit code. Throws MachineError for faults of the
// machine and of this program.
int run(const Options&, Place);

}  // namespace everylink
