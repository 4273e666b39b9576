// The rows of a scene: the reports of both ends of each flow, combined.
#pragma once

#include <span>
#include <vector>

#include "base/rows.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

// One row per flow, in the order of the flows. `first` is the scene's first order, which lists the pairs to
// leave out; `gone` are ranks, sorted. Throws MachineError if a rank reports a flow that is not its own.
std::vector<FlowRow> rows_of(const Scene&, const std::vector<Report>&, std::span<const int> gone,
                             const Connect& first);

}  // namespace everylink
