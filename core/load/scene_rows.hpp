// The rows of a scene: what both ends of each flow report, put together.
#pragma once

#include <span>
#include <vector>

#include "base/rows.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

// One row per flow, in the order of the flows. `first` is the scene's first order, which names the pairs that
// were left out; `gone` are ranks, sorted. Throws MachineError if a rank reports a flow that is not its own.
std::vector<FlowRow> rows_of(const Scene&, const std::vector<Report>&, std::span<const int> gone,
                             const Connect& first);

}  // namespace everylink
