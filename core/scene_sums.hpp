// What a scene amounted to, in numbers and in a line.
#pragma once

#include <string>
#include <vector>

#include "pattern/pattern.hpp"
#include "record/recorder.hpp"

namespace everylink {

SceneSums sums_of(const Scene&, std::size_t bytes, const std::vector<FlowRow>&);
std::string line_of(const Pattern&, const SceneSums&, bool several_sizes);

}  // namespace everylink
