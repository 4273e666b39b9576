// outcast: one sender to an increasing number of receivers.
#include "load/patterns/one_to_many.hpp"

namespace everylink {

extern const Pattern pattern_outcast{
    "outcast",
    "one sender to an increasing number of receivers: 1, 2, 4, ... all",
    "receivers",
    {""},
    one_to_many_options("the rank that sends", "numbers of receivers"),
    {},
    [](const PatternInput& input) { return one_to_many(input, false); },
    [](std::span<const SceneSums> scenes) { return quarter_of_one(scenes, "receiver"); }};

}  // namespace everylink
