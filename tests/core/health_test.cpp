// Finds dark and slow ranks in fabricated reports.
#include "coordinator/health.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace everylink {
namespace {

class HealthTest : public ::testing::Test {
 protected:
  // A pair's two reports. `arrived` messages came before it was stopped.
  static void add(std::vector<Report>& reports, const Measure& order, int a, int b, Outcome outcome,
                  Seconds took, std::int32_t arrived = 0) {
    for (const auto& [rank, peer] : {std::pair{a, b}, std::pair{b, a}}) {
      Report report;
      report.step = order.step().row;
      report.rank = rank;
      report.peer = peer;
      report.took = took;
      Sample sample;
      sample.from = static_cast<std::uint32_t>(rank);
      sample.to = static_cast<std::uint32_t>(peer);
      sample.outcome = outcome;
      sample.one_way.n = outcome == Outcome::ok ? 100 : 0;
      report.led.samples = {sample};
      report.notes = {{outcome == Outcome::ok ? 100 : arrived, false}};
      reports.push_back(report);
    }
  }
  // One step: the rank with a fault meets `peer`; two other pairs are healthy.
  void step(int rank, int peer, Outcome outcome, std::int32_t arrived = 0) {
    Measure order;
    order.steps = {{.row = step_++}};
    order.tunings = {{1, 0}};
    std::vector<Report> reports;
    add(reports, order, rank, peer, outcome, outcome == Outcome::ok ? 0.1 : 2.0, arrived);
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{2, 3}})
      if (a != rank && b != rank && a != peer && b != peer) add(reports, order, a, b, Outcome::ok, 0.1);
    health_.learn(reports, order, {});
  }
  Measure advice() const {
    Measure order;
    order.steps = {{.row = step_ + 1}};  // decided one round ahead
    health_.advise(order);
    return order;
  }

  Options options_;
  Health health_{options_, {0, 1, 2, 3, 4, 5, 6, 7}};
  std::uint32_t step_ = 1;
};

TEST_F(HealthTest, a_pair_has_no_timeout_before_three_pairs_are_known) {
  EXPECT_TRUE(std::isinf(budget_of(advice(), Reach::far, 0, 1)));
  step(6, 7, Outcome::ok);
  EXPECT_DOUBLE_EQ(budget_of(advice(), Reach::far, 0, 1), 2);  // 20 x 0.1 s, and 2 s at least
  EXPECT_TRUE(std::isinf(budget_of(advice(), Reach::near, 0, 1)));
}

TEST_F(HealthTest, a_rank_that_is_silent_towards_two_peers_gets_a_short_timeout_and_its_peers_do_not) {
  step(7, 4, Outcome::timeout);
  step(6, 5, Outcome::ok);
  EXPECT_DOUBLE_EQ(budget_of(advice(), Reach::far, 7, 0), 2);
  step(7, 5, Outcome::timeout);
  EXPECT_DOUBLE_EQ(budget_of(advice(), Reach::far, 7, 0), 2);  // 20 x 0.1 s: the same here
  const auto order = advice();
  ASSERT_EQ(order.care.size(), 1u);
  EXPECT_EQ(order.care[0].rank, 7);
  EXPECT_TRUE(order.care[0].suspect);
  EXPECT_FALSE(order.care[0].dark);
}

TEST_F(HealthTest, a_dark_rank_is_tried_only_at_growing_intervals) {
  const int peers[] = {4, 5, 6};
  for (int i = 0; i < 8; ++i) step(7, peers[i % 3], Outcome::timeout);
  const auto dark_since = step_ - 1;
  std::vector<std::uint32_t> tried;
  for (std::uint32_t distance = 1; distance <= 40; ++distance) {
    Measure order;
    order.steps = {{.row = dark_since + distance}};
    health_.advise(order);
    if (is_tried(order, Reach::far, 7, 0)) tried.push_back(distance);
    EXPECT_TRUE(is_tried(order, Reach::near, 7, 0));  // its own host may still reach it
    EXPECT_TRUE(is_tried(order, Reach::far, 1, 0));
  }
  EXPECT_EQ(tried, (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32}));
  step(7, 4, Outcome::ok);
  EXPECT_TRUE(advice().care.empty());
}

TEST_F(HealthTest,
       a_rank_whose_host_lacks_what_it_takes_is_tried_like_a_dark_one_and_its_peers_are_not_suspected) {
  const int peers[] = {4, 5, 6};
  for (int i = 0; i < 8; ++i) {
    Measure order;
    order.steps = {{.row = step_++}};
    order.tunings = {{1, 0}};
    std::vector<Report> reports;
    add(reports, order, 7, peers[i % 3], Outcome::timeout, 2);
    reports[0].fault_is_local = true;
    reports[0].led.samples[0].outcome = Outcome::local;
    health_.learn(reports, order, {});
  }
  const auto order = advice();
  ASSERT_EQ(order.care.size(), 1u);
  EXPECT_EQ(order.care[0].rank, 7);
  EXPECT_TRUE(order.care[0].suspect);
  EXPECT_TRUE(order.care[0].lacks) << "its links are recorded as local, not as those of a dark rank";
  step(7, 4, Outcome::ok);
  EXPECT_TRUE(advice().care.empty());
}

TEST_F(HealthTest, a_peer_that_is_gone_does_not_count) {
  for (const int peer : {4, 5, 6, 4, 5, 6, 4, 5, 6}) {
    Measure order;
    order.steps = {{.row = step_++}};
    std::vector<Report> reports;
    add(reports, order, 7, peer, Outcome::timeout, 2);
    const std::vector<int> gone{peer};
    std::erase_if(reports, [&](const Report& r) { return r.rank == peer; });
    health_.learn(reports, order, gone);
  }
  EXPECT_TRUE(advice().care.empty());
}

TEST_F(HealthTest, a_rank_that_is_slow_towards_two_peers_gets_fewer_messages_until_it_is_fast) {
  step(7, 4, Outcome::timeout, 30);
  EXPECT_EQ(messages_of(advice(), Reach::far, 7, 0), 0u);
  step(7, 5, Outcome::timeout, 30);
  EXPECT_EQ(messages_of(advice(), Reach::far, 7, 0), 10u);
  EXPECT_EQ(messages_of(advice(), Reach::far, 4, 0), 0u);
  EXPECT_FALSE(advice().care[0].suspect);
  step(7, 6, Outcome::ok);  // 0.1 s for 10 of 100 messages: 1 s for all is no longer slow by far
  EXPECT_EQ(messages_of(advice(), Reach::far, 7, 0), 0u);
}

TEST_F(HealthTest, when_every_pair_is_slower_than_the_first_ones_the_timeout_grows) {
  for (int i = 0; i < 3; ++i) step(6, 7, Outcome::ok);
  const auto before = budget_of(advice(), Reach::far, 0, 1);
  for (int i = 0; i < 40; ++i) {
    Measure order;
    order.steps = {{.row = step_++}};
    std::vector<Report> reports;
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{2, 3}, std::pair{4, 5}})
      add(reports, order, a, b, Outcome::ok, 5);
    health_.learn(reports, order, {});
  }
  EXPECT_DOUBLE_EQ(before, 2);
  EXPECT_DOUBLE_EQ(budget_of(advice(), Reach::far, 0, 1), 100);
}

}  // namespace
}  // namespace everylink
