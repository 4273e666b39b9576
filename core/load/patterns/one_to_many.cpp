// What incast and outcast share.
#include "load/patterns/one_to_many.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace everylink {
namespace {

// The first rank of each other host, then the second of each, and so on. Ranks on the root's host come last:
// they do not load the network.
std::vector<int> others_of(const PatternInput& input, int root) {
  const auto host = [&](int rank) { return input.host_of[static_cast<std::size_t>(rank)]; };
  std::vector<int> local(static_cast<std::size_t>(input.size));
  std::map<int, int> on_host;
  for (int rank = 0; rank < input.size; ++rank) local[static_cast<std::size_t>(rank)] = on_host[host(rank)]++;
  std::vector<int> others;
  for (int i = 1; i < input.size; ++i) others.push_back((root + i) % input.size);
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
    const auto key = [&](int rank) {
      return std::tuple(host(rank) == host(root), local[static_cast<std::size_t>(rank)]);
    };
    return key(a) < key(b);
  });
  return others;
}

constexpr double noise = 0.02;  // four that share evenly get about a quarter each

std::vector<int> counts_of(const PatternInput& input) {
  const int most = std::min(input.size - 1, most_links);
  auto counts = pattern_numbers(input, "counts", 1, most);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  if (!counts.empty()) return counts;
  for (int k = 1; k < most; k *= 2) counts.push_back(k);
  counts.push_back(most);
  return counts;
}

}  // namespace

std::vector<Option> one_to_many_options(std::string root, std::string counts) {
  return {{.names = {"--root"},
           .value = "RANK",
           .unit = Quantity::count,
           .brief = std::move(root),
           .default_text = "0"},
          {.names = {"--counts"},
           .value = "K,...",
           .unit = Quantity::count,
           .is_list = true,
           .least = 1,
           .brief = std::move(counts),
           .default_text = "1, 2, 4, ... all others"}};
}

Sweep one_to_many(const PatternInput& input, bool towards) {
  const int root = pattern_number(input, "root", 0, 0, input.size - 1);
  const auto counts = counts_of(input);
  return {static_cast<std::int64_t>(counts.size()), counts.back(),
          [root, towards, counts, others = others_of(input, root)](std::int64_t number) {
            Scene scene{counts[static_cast<std::size_t>(number)], 0, {}};
            for (std::int64_t i = 0; i < scene.point; ++i) {
              const int other = others[static_cast<std::size_t>(i)];
              scene.flows.push_back(towards ? Flow{other, root} : Flow{root, other});
            }
            return scene;
          },
          static_cast<std::int64_t>(counts.size()) - 1};
}

std::vector<std::string> quarter_of_one(std::span<const SceneSums> scenes, std::string_view one) {
  if (scenes.empty() || scenes.front().point != 1 || scenes.front().bulks == 0) return {};
  const double alone = scenes.front().mean;
  for (const auto& scene : scenes)
    if (scene.bulks > 0 && scene.mean < (1 - noise) * alone / 4)
      return {fmt::format("the bandwidth of a {0} falls below a quarter of that of one alone at {1} {0}s",
                          one, scene.point)};
  return {
      fmt::format("the bandwidth of a {0} stays at a quarter of that of one alone, or above, up to {1} {0}s",
                  one, scenes.back().point)};
}

}  // namespace everylink
