// shift: rank i sends to rank i + d while it receives from rank i - d (as in mpiGraph).
#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "load/pattern.hpp"

namespace everylink {
namespace {

std::vector<int> distances_of(const PatternInput& input) {
  auto distances = pattern_numbers(input, "distances", 1, input.size - 1);
  if (!distances.empty()) return distances;
  for (int d = 1; d < input.size; ++d) distances.push_back(d);
  return distances;
}

Sweep make(const PatternInput& input) {
  const auto distances = distances_of(input);
  return {static_cast<std::int64_t>(distances.size()), 1,
          [distances, size = input.size](std::int64_t number) {
            Scene scene{distances[static_cast<std::size_t>(number)], 0, {}};
            for (int rank = 0; rank < size; ++rank)
              scene.flows.push_back({rank, static_cast<int>((rank + scene.point) % size)});
            return scene;
          },
          static_cast<std::int64_t>(distances.size()) / 2};
}

std::vector<std::string> brief(std::span<const SceneSums> scenes) {
  const SceneSums* slowest = nullptr;
  const SceneSums* fastest = nullptr;
  for (const auto& scene : scenes) {
    if (scene.bulks == 0) continue;
    if (!slowest || scene.mean < slowest->mean) slowest = &scene;
    if (!fastest || scene.mean > fastest->mean) fastest = &scene;
  }
  if (!slowest) return {};
  return {fmt::format("{} per flow at distance {}, the fastest, and {} at distance {}, the slowest",
                      text_of_bandwidth(fastest->mean), fastest->point, text_of_bandwidth(slowest->mean),
                      slowest->point)};
}

}  // namespace

extern const Pattern pattern_shift{"shift",
                                   "rank I sends to rank I + D while it receives from rank I - D",
                                   "distance",
                                   {""},
                                   {{.names = {"--distances"},
                                     .value = "D,...",
                                     .unit = Quantity::count,
                                     .is_list = true,
                                     .least = 1,
                                     .brief = "distances D of the sweep",
                                     .default_text = "1, 2, 3, ... all"}},
                                   {},
                                   make,
                                   brief};

}  // namespace everylink
