// incast: ever more senders to one receiver.
#include "load/patterns/one_to_many.hpp"

namespace everylink {

extern const Pattern pattern_incast{
    "incast",
    "ever more senders to one receiver: 1, 2, 4, ... all",
    "senders",
    {""},
    {{"root", "RANK", "who receives (0)"}, {"counts", "K,...", "how many send (1, 2, 4, ... all others)"}},
    {},
    [](const PatternInput& input) { return one_to_many(input, true); },
    [](std::span<const SceneSums> scenes) { return quarter_of_one(scenes, "sender"); }};

}  // namespace everylink
