// outcast: one sender to an increasing number of receivers.
#include "load/patterns/one_to_many.hpp"

namespace everylink {

extern const Pattern pattern_outcast{
    "outcast",
    "one sender to an increasing number of receivers: 1, 2, 4, ... all",
    "receivers",
    {""},
    {{.names = {"--root"},
      .value = "RANK",
      .unit = Quantity::count,
      .brief = "the rank that sends",
      .default_text = "0"},
     {.names = {"--counts"},
      .value = "K,...",
      .unit = Quantity::count,
      .is_list = true,
      .least = 1,
      .brief = "numbers of receivers",
      .default_text = "1, 2, 4, ... all others"}},
    {},
    [](const PatternInput& input) { return one_to_many(input, false); },
    [](std::span<const SceneSums> scenes) { return quarter_of_one(scenes, "receiver"); }};

}  // namespace everylink
