// What incast and outcast share: one rank, and an increasing number of others.
#pragma once

#include <string>
#include <vector>

#include "load/pattern.hpp"

namespace everylink {

// --root and --counts, with what they are.
std::vector<Option> one_to_many_options(std::string root, std::string counts);
// Flows between --root and the first of --counts others, towards it or away from it.
Sweep one_to_many(const PatternInput&, bool towards);
// The number of others at which each has less than a quarter of the bandwidth that one alone has.
std::vector<std::string> quarter_of_one(std::span<const SceneSums>, std::string_view one);

}  // namespace everylink
