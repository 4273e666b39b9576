// incast: an increasing number of senders to one receiver.
#include "load/patterns/one_to_many.hpp"

namespace everylink {

extern const Pattern pattern_incast{
    "incast",
    "an increasing number of senders to one receiver: 1, 2, 4, ... all",
    "senders",
    {""},
    one_to_many_options("the rank that receives", "numbers of senders"),
    {},
    [](const PatternInput& input) { return one_to_many(input, true); },
    [](std::span<const SceneSums> scenes) { return quarter_of_one(scenes, "sender"); }};

}  // namespace everylink
