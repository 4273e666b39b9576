// Statistics of one turn against hand-computed values.
#include "base/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace everylink {
namespace {

Statistics of(std::vector<float> times) { return statistics_of(times); }

std::vector<float> one_to(int n) {  // in descending order: they need sorting
  std::vector<float> times(static_cast<std::size_t>(n));
  std::iota(times.rbegin(), times.rend(), 1.0f);
  return times;
}

TEST(Statistics, without_readings_nothing_is_known) {
  const auto s = of({});
  EXPECT_EQ(s.n, 0u);
  EXPECT_EQ(s.late, 0u);
  for (const float value : {s.min, s.median, s.mean, s.p99, s.max}) EXPECT_TRUE(std::isnan(value));
}

TEST(Statistics, one_reading_gives_every_statistic) {
  const auto s = of({3});
  EXPECT_EQ(s.n, 1u);
  for (const float value : {s.min, s.median, s.mean, s.max}) EXPECT_EQ(value, 3);
  EXPECT_TRUE(std::isnan(s.p99));
  EXPECT_EQ(s.late, 0u);
}

TEST(Statistics, the_median_of_an_odd_number_of_readings_is_the_middle_one) {
  const auto s = of({9, 1, 2});
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.median, 2);
  EXPECT_EQ(s.mean, 4);
  EXPECT_EQ(s.max, 9);
}

TEST(Statistics, the_median_of_an_even_number_of_readings_is_the_mean_of_the_middle_two) {
  EXPECT_EQ(of({8, 1, 3, 4}).median, 3.5f);
  EXPECT_EQ(of({5, 2}).median, 3.5f);
}

TEST(Statistics, late_is_above_twice_the_median) {
  EXPECT_EQ(of({1, 1, 1, 2}).late, 0u) << "exactly twice is not late";
  EXPECT_EQ(of({1, 1, 1, 2.001f, 50}).late, 2u);
  EXPECT_EQ(of({3, 3, 3, 3}).late, 0u);
}

TEST(Statistics, p99_is_not_known_below_1000_readings) {
  EXPECT_TRUE(std::isnan(of(one_to(999)).p99));
  EXPECT_EQ(of(one_to(1000)).p99, 990) << "nearest rank: 990 of 1,000 are at most this";
  EXPECT_EQ(of(one_to(1001)).p99, 991);
  EXPECT_EQ(of(one_to(2000)).p99, 1980);
}

TEST(Statistics, the_mean_of_many_small_times_keeps_its_digits) {
  const auto s = of(std::vector<float>(1'000'000, 1e-6f));
  EXPECT_FLOAT_EQ(s.mean, 1e-6f);
  EXPECT_EQ(s.n, 1'000'000u);
}

}  // namespace
}  // namespace everylink
