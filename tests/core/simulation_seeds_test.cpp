// Runs under some seeds: what goes wrong, and when, is drawn. EVERYLINK_SIMULATION_SEED=N simulates that one
// and prints its events. simulation_seeds.cpp, without sanitizers, has a thousand and more.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>

#include "simulated_run.hpp"

namespace everylink {
namespace {

constexpr std::uint64_t usual_seeds = 30;

// Refusals and ranks that signals ended are told on standard error, in every second run.
class Silence {
 public:
  Silence() { testing::internal::CaptureStderr(); }
  ~Silence() { testing::internal::GetCapturedStderr(); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

TEST(Seeds, every_promise_of_control_traffic_holds_whatever_goes_wrong) {
  const char* one = std::getenv("EVERYLINK_SIMULATION_SEED");
  if (one && *one) {
    const std::uint64_t seed = std::strtoull(one, nullptr, 10);
    const auto run = simulate_run(seed);
    std::cout << run.text(seed, std::numeric_limits<std::size_t>::max());
    EXPECT_TRUE(run.violations.empty());
    return;
  }
  const Silence silence;
  for (std::uint64_t seed = 1; seed <= usual_seeds; ++seed) {
    const auto run = simulate_run(seed);
    ASSERT_TRUE(run.violations.empty())
        << run.text(seed) << "EVERYLINK_SIMULATION_SEED=" << seed << " replays it";
  }
}

TEST(Seeds, a_seed_takes_the_same_steps_each_time) {
  const Silence silence;
  std::size_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = simulate_run(seed), again = simulate_run(seed);
    EXPECT_EQ(run.plan, again.plan);
    EXPECT_EQ(run.lasted, again.lasted);
    EXPECT_TRUE(run.events == again.events) << "seed " << seed;
    longest = std::max(longest, run.events.size());
  }
  EXPECT_GT(longest, 500u);
}

}  // namespace
}  // namespace everylink
