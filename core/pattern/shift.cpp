// shift: every rank sends to the one `d` behind it while it receives from the one `d` in front (as mpiGraph).
#include <fmt/format.h>

#include <algorithm>

#include "errors.hpp"
#include "pattern/pattern.hpp"
#include "units.hpp"

namespace everylink {
namespace {

std::vector<std::int64_t> distances_of(const Crowd& crowd) {
  const auto text = setting(crowd.settings, "distances");
  std::vector<std::int64_t> distances;
  for (std::int64_t d = 1; text.empty() && d < crowd.size; ++d) distances.push_back(d);
  if (text.empty()) return distances;
  for (const auto& word : split(text, ',')) {
    const auto d = parse_integer(word, "--distances");
    if (d < 1 || d >= crowd.size)
      throw UsageError(fmt::format("--distances: {} of {} ranks is not possible; 1 to {} is", word,
                                   crowd.size, crowd.size - 1));
    distances.push_back(d);
  }
  return distances;
}

Script make(const Crowd& crowd) {
  const auto distances = distances_of(crowd);
  return {static_cast<std::int64_t>(distances.size()), 1,
          [distances, size = crowd.size](std::int64_t number) {
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
  return {fmt::format("{} a flow at distance {}, the fastest, and {} at distance {}, the slowest",
                      text_of_bandwidth(fastest->mean), fastest->point, text_of_bandwidth(slowest->mean),
                      slowest->point)};
}

}  // namespace

extern const Pattern pattern_shift{
    "shift",
    "every rank sends to the one D behind it while it receives from the one D in front",
    "distance",
    {""},
    {{"distances", "D,...", "how far (1, 2, 3, ... all)"}},
    false,
    make,
    brief};

}  // namespace everylink
