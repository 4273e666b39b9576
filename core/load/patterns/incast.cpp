// incast: an increasing number of senders to one receiver.
#include "load/patterns/one_to_many.hpp"

namespace everylink {

extern const Pattern pattern_incast{
    "incast",
    "an increasing number of senders to one receiver: 1, 2, 4, ... all",
    "senders",
    {""},
    {{.names = {"--root"},
      .value = "RANK",
      .unit = Quantity::count,
      .brief = "the rank that receives",
      .default_text = "0"},
     {.names = {"--counts"},
      .value = "K,...",
      .unit = Quantity::count,
      .is_list = true,
      .least = 1,
      .brief = "numbers of senders",
      .default_text = "1, 2, 4, ... all others"}},
    {},
    [](const PatternInput& input) { return one_to_many(input, true); },
    [](std::span<const SceneSums> scenes) { return quarter_of_one(scenes, "sender"); }};

}  // namespace everylink
