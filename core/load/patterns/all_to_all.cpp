// all-to-all: every pair both ways, in rounds of disjoint pairs; or one flow after the other.
#include <fmt/format.h>

#include <algorithm>

#include "base/settings.hpp"
#include "base/units.hpp"
#include "load/pattern.hpp"
#include "schedule/circle.hpp"

namespace everylink {
namespace {

constexpr int most_messages = 1 << 28;

Scene round_of(int size, std::int64_t round) {
  Scene scene{round, 0, {}};
  for (int rank = 0; rank < size; ++rank)
    if (const int peer = circle_partner(size, round, rank); peer != no_rank)
      scene.flows.push_back({rank, peer});
  return scene;
}

// In the order of the rounds. If the number of ranks is odd, one idles in each round.
std::int64_t flows_per_round(int size) { return size - size % 2; }

Scene single_of(int size, std::int64_t number) {
  const auto round = number / flows_per_round(size);
  auto rank = static_cast<int>(number % flows_per_round(size));
  if (size % 2 && rank >= round) ++rank;
  return {round, 0, {{rank, circle_partner(size, round, rank)}}};
}

Sweep make(const PatternInput& input) {
  const bool sequential = !setting(input.settings, "sequential").empty();
  const auto rounds = circle_steps(input.size);
  Sweep sweep{rounds * (sequential ? flows_per_round(input.size) : 1), 1,
              [sequential, size = input.size](std::int64_t number) {
                return sequential ? single_of(size, number) : round_of(size, number);
              }};
  sweep.messages = static_cast<std::uint64_t>(pattern_number(input, "niters", 0, 1, most_messages));
  return sweep;
}

// One message from each rank to each other takes the sum of the slowest flow of every round.
std::string row(std::span<const SceneSums> scenes) {
  Seconds once = 0, one = 0;
  double total = 0;
  int rounds = 0, failed = 0, unmeasured = 0, flows = 0;
  const SceneSums* slowest = nullptr;
  for (const auto& scene : scenes) {
    failed += scene.failed, unmeasured += scene.unmeasured, flows += scene.flows;
    if (scene.bulks == 0 || scene.slowest <= 0) continue;
    const auto bytes = static_cast<double>(scene.bytes);
    once += bytes / scene.slowest;
    one += bytes / scene.mean;
    total += scene.total;
    ++rounds;
    if (!slowest || scene.slowest < slowest->slowest) slowest = &scene;
  }
  const auto bytes = scenes.front().bytes;
  std::string lost = text_of_lost(failed, unmeasured, flows, "flows");
  if (!lost.empty()) lost = "  " + lost;
  if (!slowest) return fmt::format("{:>9} {:>10} {:>11} {:>9} {:>11}{}", bytes, "-", "-", "-", "-", lost);
  total /= rounds;
  return fmt::format("{:>9} {:>10.6f} {:>11.2f} {:>9.2f} {:>11.0f}  {:.2f} from {} to {}{}", bytes, once,
                     total / (1 << 20), one / rounds * 1e6, total / static_cast<double>(bytes),
                     slowest->slowest / (1 << 20), slowest->slowest_from, slowest->slowest_to, lost);
}

// The connection furthest below the mean of its round.
std::vector<std::string> findings(std::span<const SceneSums> scenes, const NameOfRank& name) {
  const SceneSums* worst = nullptr;
  for (const auto& scene : scenes)
    if (scene.bulks > 1 && (!worst || scene.slowest / scene.mean < worst->slowest / worst->mean))
      worst = &scene;
  if (!worst) return {};
  return {fmt::format("furthest below its round: {} from {} to {} in round {} of {}, where the mean is {}",
                      text_of_bandwidth(worst->slowest), name(worst->slowest_from), name(worst->slowest_to),
                      worst->point, text_of_size(worst->bytes), text_of_bandwidth(worst->mean))};
}

constexpr PatternTable table{"  size(B)    time(s)   bw(MiB/s)   lat(us)  messages/s  slowest(MiB/s)", true,
                             row, findings};

}  // namespace

extern const Pattern pattern_all_to_all{"all-to-all",
                                        "every rank with every other one, both ways, in rounds of pairs",
                                        "round",
                                        {""},
                                        {{.names = {"--niters"},
                                          .value = "N",
                                          .unit = Quantity::count,
                                          .least = 1,
                                          .brief = "number of messages per flow, instead of --duration"},
                                         {.names = {"--sequential"}, .brief = "one flow at a time"}},
                                        {.duration = 0.1,
                                         .sizes = sweep_to_4_mib,
                                         .other_name_of_sizes = "--bsize",
                                         .other_name_of_window = "--nflight",
                                         .table = &table},
                                        make,
                                        nullptr};

}  // namespace everylink
