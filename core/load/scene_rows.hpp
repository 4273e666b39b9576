// What became of the flows of a scene, by what both ends of each say.
#pragma once

#include <span>
#include <vector>

#include "base/rows.hpp"
#include "load/pattern.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

// A row a flow, in their order. `first` is the scene's first order, which says what was left out; `gone`:
// ranks, sorted. Throws MachineError where a rank reports what it had no part in.
std::vector<FlowRow> rows_of(const Scene&, const std::vector<Report>&, std::span<const int> gone,
                             const Connect& first);

}  // namespace everylink
