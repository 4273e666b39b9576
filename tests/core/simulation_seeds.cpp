// simulation_seeds FIRST COUNT: simulates the runs of these seeds and prints what make proof sums up, as
// JSON in the last line. simulation_seeds SEED: one run with all its events.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "simulated_run.hpp"

namespace {

using namespace everylink;

int replay(std::uint64_t seed) {
  const auto run = simulate_run(seed);
  fmt::print("{}", run.text(seed, std::numeric_limits<std::size_t>::max()));
  return run.violations.empty() ? 0 : 1;
}

int simulate_all(std::uint64_t first, std::uint64_t count) {
  std::uint64_t ranks = 0, rounds = 0, rows = 0, events = 0, failed = 0, trees = 0, supervised = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Fault::count)> faults{};
  Seconds lasted = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto run = simulate_run(seed);
    ranks += static_cast<std::uint64_t>(run.ranks);
    rounds += run.rounds;
    rows += run.rows;
    events += run.events.size();
    lasted += run.lasted;
    trees += run.is_tree;
    supervised += run.is_supervised;
    for (std::size_t i = 0; i < faults.size(); ++i) faults[i] += static_cast<std::uint64_t>(run.faults[i]);
    if (run.violations.empty()) continue;
    ++failed;
    if (failed <= 10) fmt::print("{}", run.text(seed));
  }
  std::string by_kind;
  for (std::size_t i = 0; i < faults.size(); ++i)
    by_kind += fmt::format("{}\"{}\": {}", i ? ", " : "", name_of(static_cast<Fault>(i)), faults[i]);
  fmt::print(
      "{{\"seeds\": {}, \"failed\": {}, \"ranks\": {}, \"trees\": {}, \"supervised\": {}, \"rounds\": {}, "
      "\"rows\": {}, \"events\": {}, \"seconds\": {:.0f}, \"faults\": {{{}}}}}\n",
      count, failed, ranks, trees, supervised, rounds, rows, events, lasted, by_kind);
  return failed > 0;
}

}  // namespace

int main(int words, char** word) {
  if (words == 2) return replay(std::strtoull(word[1], nullptr, 10));
  if (words == 3)
    return simulate_all(std::strtoull(word[1], nullptr, 10), std::strtoull(word[2], nullptr, 10));
  fmt::print(stderr, "usage: simulation_seeds SEED | FIRST COUNT\n");
  return 2;
}
