// The straight line of a run, the same on every rank: the only file that knows transports, memory, kernels
// and schedules.
#pragma once

#include "base/options.hpp"
#include "bootstrap/place.hpp"

namespace everylink {

// Measures as this rank, until rank 0's word is to stop. Gives the exit code; throws for the machine's faults
// and ours.
int run(const Options&, Place);

}  // namespace everylink
