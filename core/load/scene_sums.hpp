// The sums of a scene, as numbers and as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.hpp"
#include "load/pattern.hpp"

namespace everylink {

// A quantile of all readings together. The distribution of each part is approximated by straight lines
// through its minimum, median, p99 and maximum. NaN: no readings, or fewer than 100 for a quantile above the
// median.
double pooled_quantile(double share, std::span<const Statistics>);
// One line per flow; for flows that carry requests, one line per client and server.
std::vector<std::string> lines_of_flows(const Scene&, std::size_t bytes, const std::vector<FlowRow>&,
                                        const NameOfRank&);
SceneSums sums_of(const Scene&, std::size_t bytes, const std::vector<FlowRow>&);
std::string line_of(const Pattern&, const SceneSums&, bool several_sizes);

}  // namespace everylink
