// ring: every rank sends to the next one, first in the order of ranks, then in random orders.
#include <fmt/format.h>

#include "base/random.hpp"
#include "base/units.hpp"
#include "load/pattern.hpp"

namespace everylink {
namespace {

constexpr std::uint8_t natural = 0, drawn = 1;
constexpr int usual_draws = 10, most_draws = 100000;

Sweep make(const PatternInput& input) {
  const int draws = pattern_number(input, "draws", usual_draws, 0, most_draws);
  return {1 + draws, 1,
          [size = input.size, seed = input.seed](std::int64_t number) {
            Scene scene{number, number == 0 ? natural : drawn, {}};
            const Shuffle at(size, number == 0 ? 0 : mix(seed, static_cast<std::uint64_t>(number)) | 1);
            for (int place = 0; place < size; ++place)
              scene.flows.push_back({static_cast<int>(at(place)), static_cast<int>(at((place + 1) % size))});
            return scene;
          },
          draws};
}

std::vector<std::string> brief(std::span<const SceneSums> scenes) {
  double of_natural = 0, of_random = 0;
  int rings = 0;
  for (const auto& scene : scenes) {
    if (scene.bulks == 0) continue;
    if (scene.variant == natural) {
      of_natural = scene.mean;
    } else {
      of_random += scene.mean;
      ++rings;
    }
  }
  if (of_natural <= 0) return {};
  std::string text = fmt::format("{} per flow in the natural ring", text_of_bandwidth(of_natural));
  if (rings)
    text += fmt::format(", {} in {} random ones: {:.2f} of it", text_of_bandwidth(of_random / rings), rings,
                        of_random / rings / of_natural);
  return {text};
}

}  // namespace

extern const Pattern pattern_ring{"ring",
                                  "every rank sends to the next one: in rank order, then in random orders",
                                  "ring",
                                  {"natural", "random"},
                                  {{.names = {"--draws"},
                                    .value = "N",
                                    .unit = Quantity::count,
                                    .least = 1,
                                    .brief = "number of random rings",
                                    .default_text = "10"}},
                                  {.draws = true},
                                  make,
                                  brief};

}  // namespace everylink
