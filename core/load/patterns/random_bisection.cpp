// random-bisection: one random half of the hosts sends to the other half, repeatedly. The mean is the
// effective bisection bandwidth (Hoefler, Schneider, Lumsdaine 2008).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "base/units.hpp"
#include "load/pattern.hpp"

namespace everylink {
namespace {

constexpr int usual_draws = 20, most_draws = 100000;

using Groups = std::vector<std::vector<int>>;

// Divides hosts, because traffic within a host does not cross the network. With a single host, divides ranks.
Groups groups_of(const PatternInput& input) {
  const int hosts = 1 + *std::max_element(input.host_of.begin(), input.host_of.end());
  Groups groups(static_cast<std::size_t>(hosts > 1 ? hosts : input.size));
  for (int rank = 0; rank < input.size; ++rank)
    groups[static_cast<std::size_t>(hosts > 1 ? input.host_of[static_cast<std::size_t>(rank)] : rank)]
        .push_back(rank);
  return groups;
}

Sweep make(const PatternInput& input) {
  const int draws = pattern_number(input, "draws", usual_draws, 1, most_draws);
  return {draws, 1, [groups = groups_of(input), seed = input.seed](std::int64_t number) {
            Scene scene{number, 0, {}};
            const auto count = static_cast<std::int64_t>(groups.size());
            const Shuffle at(count, mix(seed, static_cast<std::uint64_t>(number)) | 1);
            for (std::int64_t i = 0; i < count / 2; ++i) {
              const auto& from = groups[static_cast<std::size_t>(at(i))];
              const auto& to = groups[static_cast<std::size_t>(at(count / 2 + i))];
              for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k)
                scene.flows.push_back({from[k], to[k]});
            }
            return scene;
          }};
}

// P(|T| <= t) for Student's t distribution with `freedom` degrees of freedom, where t = sqrt(freedom) *
// tan(angle) (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
double student_within(double angle, int freedom) {
  const double square = std::cos(angle) * std::cos(angle);
  const bool is_odd = freedom % 2;
  double term = is_odd ? std::cos(angle) : 1, sum = 0;
  for (int i = is_odd ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= square * (i - 1) / i;
  }
  sum *= std::sin(angle);
  return is_odd ? 2 / std::numbers::pi * (angle + sum) : sum;
}

// Student's t for a two-sided 95 % interval.
double student_95(int freedom) {
  constexpr int halvings = 60;
  double low = 0, high = std::numbers::pi / 2;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return std::sqrt(freedom) * std::tan(low);
}

std::vector<std::string> brief(std::span<const SceneSums> scenes) {
  double sum = 0, squares = 0, flow = 0;
  int n = 0;
  for (const auto& scene : scenes) {
    if (scene.bulks == 0) continue;
    ++n;
    sum += scene.total;
    flow += scene.mean;
  }
  if (n == 0) return {};
  const double mean = sum / n;
  for (const auto& scene : scenes)
    if (scene.bulks > 0) squares += (scene.total - mean) * (scene.total - mean);
  std::string text = fmt::format("effective bisection bandwidth {}", text_of_bandwidth(mean));
  constexpr int least = 5;
  if (n >= least) {
    const double half = student_95(n - 1) * std::sqrt(squares / (n - 1) / n);
    text += fmt::format(", 95 % interval {} to {}", text_of_bandwidth(mean - half),
                        text_of_bandwidth(mean + half));
  }
  return {fmt::format("{}, over {} random halves; {} per flow", text, n, text_of_bandwidth(flow / n))};
}

}  // namespace

extern const Pattern pattern_random_bisection{
    "random-bisection",
    "one random half of the hosts sends to the other, repeatedly: effective bisection bandwidth",
    "draw",
    {""},
    {{.names = {"--draws"},
      .value = "N",
      .unit = Quantity::count,
      .least = 1,
      .brief = "number of random halves",
      .default_text = "20"}},
    {.draws = true},
    make,
    brief};

}  // namespace everylink
