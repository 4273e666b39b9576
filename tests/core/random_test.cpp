// Counter-based random numbers: a shuffle is a bijection, and results are reproducible.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everylink {
namespace {

constexpr std::uint64_t keys[] = {1, 2, 42, ~std::uint64_t{0}};

TEST(Random, a_shuffle_is_a_bijection_that_its_inverse_undoes) {
  for (std::int64_t n = 1; n <= 200; ++n)
    for (const auto key : keys) {
      const Shuffle shuffle(n, key);
      std::vector<int> hit(static_cast<std::size_t>(n));
      for (std::int64_t x = 0; x < n; ++x) {
        const auto y = shuffle(x);
        ASSERT_TRUE(y >= 0 && y < n) << x << " of " << n << " went to " << y;
        ++hit[static_cast<std::size_t>(y)];
        ASSERT_EQ(shuffle.inverse(y), x) << n;
      }
      EXPECT_EQ(std::count(hit.begin(), hit.end(), 1), n) << "key " << key;
    }
}

TEST(Random, key_0_is_the_identity) {
  const Shuffle shuffle(10, 0);
  for (std::int64_t x = 0; x < 10; ++x) {
    EXPECT_EQ(shuffle(x), x);
    EXPECT_EQ(shuffle.inverse(x), x);
  }
}

TEST(Random, another_key_gives_another_order) {
  for (const auto a : keys)
    for (const auto b : keys) {
      int equal = 0;
      for (std::int64_t x = 0; x < 100; ++x) equal += Shuffle(100, a)(x) == Shuffle(100, b)(x);
      if (a == b)
        EXPECT_EQ(equal, 100);
      else
        EXPECT_LT(equal, 50);
    }
}

TEST(Random, a_large_shuffle_is_undone_by_its_inverse) {
  for (const std::int64_t n : {std::int64_t{100'000}, (std::int64_t{1} << 32) + 1, std::int64_t{1} << 60,
                               (std::int64_t{1} << 60) + 1})
    for (const auto key : keys) {
      const Shuffle shuffle(n, key);
      for (const std::int64_t x : {std::int64_t{0}, std::int64_t{1}, n / 3, n - 1}) {
        const auto y = shuffle(x);
        EXPECT_TRUE(y >= 0 && y < n);
        EXPECT_EQ(shuffle.inverse(y), x);
      }
    }
}

TEST(Random, every_place_of_a_small_shuffle_is_reached_about_equally_often) {
  int hits[5] = {};
  for (std::uint64_t key = 1; key <= 5000; ++key) ++hits[Shuffle(5, mix(key))(0)];
  for (const int hit : hits) EXPECT_NEAR(hit, 1000, 150) << "five standard deviations";
}

TEST(Random, the_unit_interval_includes_0_but_not_1) {
  double sum = 0, least = 1, most = 0;
  for (std::uint64_t x = 0; x < 100'000; ++x) {
    const double u = unit_interval(x);
    least = std::min(least, u);
    most = std::max(most, u);
    sum += u;
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 0.001);
  EXPECT_GT(most, 0.999);
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005) << "five standard deviations";
}

TEST(Random, the_hash_is_that_of_splitmix64) {
  // The first outputs of the published generator, seeded with 0.
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
  EXPECT_NE(mix(1, 2), mix(2, 1));
}

}  // namespace
}  // namespace everylink
