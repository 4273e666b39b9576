// What incast and outcast share: one rank, and ever more others.
#pragma once

#include "load/pattern.hpp"

namespace everylink {

// Flows between --root and the first of --counts others, towards it or away from it.
Sweep one_to_many(const PatternInput&, bool towards);
// At how many of them each has less than a quarter of what one alone has.
std::vector<std::string> quarter_of_one(std::span<const SceneSums>, std::string_view one);

}  // namespace everylink
