// Failed links are folded, and some are retried.
#include "coordinator/failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace everylink {
namespace {

class FailuresTest : public ::testing::Test {
 protected:
  FailuresTest() {
    std::vector<RankFacts> ranks(6);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].host = "n" + std::to_string(i);
    failures_.know(ranks, {0, 1, 2, 3, 4, 5});
  }
  static Sample sample(int from, int to, Outcome outcome) {
    Sample s;
    s.from = static_cast<std::uint32_t>(from);
    s.to = static_cast<std::uint32_t>(to);
    s.outcome = outcome;
    return s;
  }
  // Adds all links, those of `dark` with this outcome.
  void add_all(int dark, Outcome outcome) {
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to)
        if (from != to) failures_.add(sample(from, to, from == dark || to == dark ? outcome : Outcome::ok));
  }
  Failures failures_;
};

TEST_F(FailuresTest, a_dark_host_is_one_line) {
  add_all(4, Outcome::timeout);
  EXPECT_EQ(failures_.count(), 10);
  EXPECT_EQ(failures_.lines().front(), "host n4: 10 of 10 links timed out");
}

TEST_F(FailuresTest, links_that_a_host_could_not_measure_are_neither_failed_nor_measured) {
  add_all(4, Outcome::local);
  EXPECT_EQ(failures_.count(), 0);
  EXPECT_EQ(failures_.links(), 20);
  EXPECT_EQ(failures_.unmeasured(), 10);
  EXPECT_TRUE(failures_.lines().empty());
  EXPECT_TRUE(failures_.to_try_again({}).empty());
  failures_.add(sample(4, 0, Outcome::ok));
  failures_.add(sample(4, 0, Outcome::local));
  EXPECT_EQ(failures_.unmeasured(), 9) << "another pass measured it";
}

TEST_F(FailuresTest, at_most_three_pairs_per_host_are_retried_and_none_with_a_rank_that_is_gone) {
  add_all(4, Outcome::timeout);
  EXPECT_EQ(failures_.to_try_again({}).size(), 3u);
  const std::vector<int> gone{4};
  EXPECT_TRUE(failures_.to_try_again(gone).empty());
}

TEST_F(FailuresTest, retried_links_are_reported_separately_from_others) {
  add_all(4, Outcome::timeout);
  for (const auto& [low, high] : failures_.to_try_again({})) {
    failures_.add_again(sample(low, high, Outcome::ok));
    failures_.add_again(sample(high, low, Outcome::timeout));
  }
  EXPECT_EQ(failures_.not_tried_again(), 4);
  const auto lines = failures_.lines();
  const auto has = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(text); });
  };
  EXPECT_TRUE(has("3 failed again alone: "));
  EXPECT_TRUE(has("3 failed under load, ok alone: "));
  EXPECT_TRUE(has("4 not tried again"));
}

TEST_F(FailuresTest, a_failed_link_whose_late_result_is_ok_is_no_longer_counted) {
  add_all(4, Outcome::absent);
  failures_.take_back(sample(4, 1, Outcome::ok));
  failures_.add(sample(4, 1, Outcome::ok));
  EXPECT_EQ(failures_.count(), 9);
}

TEST_F(FailuresTest, a_link_that_was_measured_twice_counts_once_and_failed_if_it_failed_once) {
  add_all(4, Outcome::timeout);
  add_all(4, Outcome::ok);
  add_all(4, Outcome::broken);
  EXPECT_EQ(failures_.count(), 10);
  EXPECT_EQ(failures_.links(), 30);
  EXPECT_EQ(failures_.lines().front(), "host n4: 10 of 10 links timed out");
}

TEST_F(FailuresTest, one_direction_of_a_host_is_named_and_links_that_were_ok_alone_come_last) {
  for (int from = 0; from < 6; ++from)
    for (int to = 0; to < 6; ++to)
      if (from != to) failures_.add(sample(from, to, from == 1 ? Outcome::corrupt : Outcome::ok));
  failures_.add(sample(2, 3, Outcome::timeout));
  for (int to = 0; to < 6; ++to) failures_.add_again(sample(1, to, Outcome::ok));
  const auto lines = failures_.lines();
  EXPECT_EQ(lines.at(0), "link n2:2 -> n3:3: timed out");
  EXPECT_EQ(lines.at(1), "from host n1: 5 of 5 links delivered wrong bytes");
}

}  // namespace
}  // namespace everylink
