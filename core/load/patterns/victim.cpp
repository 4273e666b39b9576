// victim: a few ranks measure latency, alone and while all others load the network with another pattern (as
// in GPCNeT).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "load/pattern.hpp"

namespace everylink {
namespace {

constexpr std::uint8_t alone = 0, loaded = 1;
constexpr int usual_repeats = 3, most_repeats = 10000;

struct Roles {
  std::vector<int> victims, others;
};

// A random fifth of the ranks by default, rounded to an even number.
Roles roles_of(const PatternInput& input) {
  const int most = (input.size - 2) / 2 * 2;
  if (most < 2)
    throw UsageError("victim requires at least 4 ranks: two victims, and two that load the network");
  const int count =
      pattern_number(input, "victims", std::clamp(input.size / 5 / 2 * 2, 2, most), 2, most) / 2 * 2;
  const Shuffle at(input.size, mix(input.seed, 1) | 1);
  Roles roles;
  for (int i = 0; i < input.size; ++i)
    (i < count ? roles.victims : roles.others).push_back(static_cast<int>(at(i)));
  std::sort(roles.victims.begin(), roles.victims.end());
  std::sort(roles.others.begin(), roles.others.end());
  return roles;
}

// The congestor's heaviest scene, among the other ranks only.
std::vector<Flow> load_of(const PatternInput& input, const Roles& roles, int& degree) {
  const auto name =
      setting(input.settings, "congestor").empty() ? "incast" : setting(input.settings, "congestor");
  const Pattern* congestor = name == "victim" ? nullptr : pattern_named(name);
  if (!congestor)
    throw UsageError(
        fmt::format("--congestor {}: not a pattern that loads the network; use incast or shift", name));
  if (congestor->traits.one_sided)
    throw UsageError(
        fmt::format("--congestor {}: it may end before the victims finish; use incast or shift", name));
  std::map<std::int32_t, std::int32_t> hosts;  // renumbered: some hosts may have victims only
  std::vector<std::int32_t> host_of;
  for (const int rank : roles.others)
    host_of.push_back(hosts
                          .try_emplace(input.host_of[static_cast<std::size_t>(rank)],
                                       static_cast<std::int32_t>(hosts.size()))
                          .first->second);
  const Sweep sweep = congestor->make({static_cast<int>(roles.others.size()), input.seed, host_of, {}});
  degree = sweep.degree;
  auto flows = sweep.scene(sweep.heaviest).flows;
  for (auto& flow : flows) {
    flow.from = roles.others[static_cast<std::size_t>(flow.from)];
    flow.to = roles.others[static_cast<std::size_t>(flow.to)];
  }
  return flows;
}

std::size_t ping_bytes_of(const PatternInput& input) {
  constexpr std::size_t least = 8;
  const auto text = setting(input.settings, "ping-size");
  const std::size_t bytes = text.empty() ? least : parse_bytes(text, "--ping-size");
  if (bytes < least)
    throw UsageError(fmt::format("--ping-size: {} is too small; use {} or more", text, least));
  return bytes;
}

Sweep make(const PatternInput& input) {
  const Roles roles = roles_of(input);
  const std::int64_t repeats = pattern_number(input, "repeats", usual_repeats, 1, most_repeats);
  std::vector<Flow> pings;
  const std::size_t pairs = roles.victims.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i)
    pings.push_back({roles.victims[i], roles.victims[pairs + i], FlowKind::ping});
  const std::size_t ping_bytes = ping_bytes_of(input);
  int degree = 1;
  const auto load = load_of(input, roles, degree);
  return {2 * repeats, degree,
          [pings, load](std::int64_t number) {
            Scene scene{number / 2, number % 2 == 0 ? alone : loaded, pings};
            if (scene.variant == loaded) scene.flows.insert(scene.flows.end(), load.begin(), load.end());
            return scene;
          },
          1, ping_bytes};
}

std::vector<std::string> brief(std::span<const SceneSums> scenes) {
  struct Times {
    double mean = 0, median = 0, p99 = 0;
    int n = 0;
  } of[2];
  for (const auto& scene : scenes) {
    if (scene.pings == 0) continue;
    Times& t = of[scene.variant];
    t.mean += scene.ping_mean;
    t.median += scene.ping_median;
    t.p99 += scene.ping_p99;
    ++t.n;
  }
  if (of[alone].n == 0 || of[loaded].n == 0) return {};
  const auto impact = [&](double Times::*time) {
    const double factor = of[loaded].*time / of[loaded].n / (of[alone].*time / of[alone].n);
    return std::isnan(factor) ? "not known" : fmt::format("{:.2f}", factor);
  };
  return {fmt::format("impact of the load on the victims' latency: mean x {}, median x {}, p99 x {}",
                      impact(&Times::mean), impact(&Times::median), impact(&Times::p99))};
}

}  // namespace

extern const Pattern pattern_victim{
    "victim",
    "a few ranks measure latency, alone and while the others load the network",
    "repeat",
    {"alone", "loaded"},
    {{.names = {"--victims"},
      .value = "K",
      .unit = Quantity::count,
      .least = 2,
      .brief = "number of ranks that measure latency",
      .default_text = "a fifth of all"},
     {.names = {"--congestor"},
      .value = "PATTERN",
      .choices = {"incast", "outcast", "shift", "ring", "random-bisection", "all-to-all"},
      .brief = "pattern with which the other ranks load the network",
      .default_text = "incast"},
     {.names = {"--ping-size"},
      .value = "BYTES",
      .unit = Quantity::bytes,
      .brief = "size of the victims' messages",
      .default_text = "8"},
     {.names = {"--repeats"},
      .value = "N",
      .unit = Quantity::count,
      .least = 1,
      .brief = "number of measurements, alternately alone and under load",
      .default_text = "3"}},
    {.draws = true},
    make,
    brief};

}  // namespace everylink
