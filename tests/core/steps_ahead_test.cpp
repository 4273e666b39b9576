// Orders of several steps: when they come, and what becomes of them when a pair fails or a rank is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/fields.hpp"
#include "base/ranks.hpp"
#include "coordinator/coordinator.hpp"
#include "protocol/introduction.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"

namespace everylink {
namespace {

constexpr int ranks = 16, steps = ranks - 1;

// Remembers what was recorded.
class Recorded final : public NoRecorder {
 public:
  void step(const StepRow&) override { ++steps_recorded; }
  void rows(const LinkRows& link) override {
    const Sample& s = link.samples.front();
    ++times[{s.from, s.to}];
    if (s.outcome != Outcome::ok) others[{s.from, s.to}] = s.outcome;
    if (s.step != static_cast<std::uint32_t>(steps_recorded)) in_order = false;
  }
  int steps_recorded = 0;
  bool in_order = true;  // the rows of a step come before its end, and after that of the step before
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> times;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Outcome> others;
};

// All ranks of a run, which follow what rank 0 decides.
class Ranks {
 public:
  struct Part {
    int rank;
    const Step& step;
    bool alone;  // the only step of its order
  };
  std::function<bool(const Part&)> fails = [](const Part&) { return false; };
  // Whether a rank takes no part in the round that brings the results of this order; what it has comes later.
  std::function<bool(int rank, const Measure&)> misses = [](int, const Measure&) { return false; };
  Coordinator::Context context = {.options = options,
                                  .bootstrap = "local",
                                  .pinned = false,
                                  .real_memory = false,
                                  .now = [this] { return now_ += 1e-3; },
                                  .steps_ahead = true};
  Options options;
  std::string cores = "0";  // of the machine of all ranks, if they share it
  bool on_one_machine = false;

  Recorded memory;
  std::vector<Measure> orders;   // that were followed
  std::vector<Order> replacing;  // those that took the place of another one
  std::size_t most_called = 0;   // of the rounds in which not all ranks took part
  int whole_rounds = 0;          // of all ranks, once measuring had begun

  Ranks() {
    options.sizes = {8};
    options.messages = {2};
    options.warmups = 0;
    options.no_output = true;
    options.slowest = 0;
    options.retest_budget = 0;
    options.progress = Progress::none;
  }

  void go() {
    Console console(Progress::none);
    Coordinator coordinator(context, ranks, memory, console);
    std::vector<Submitted> submitted;
    for (int rank = 0; rank < ranks; ++rank)
      submitted.push_back({rank, packed(RankFacts{.host = "n" + std::to_string(rank),
                                                  .machine = on_one_machine ? "m" : std::to_string(rank),
                                                  .network = "",
                                                  .cores = cores,
                                                  .numa = 0})});
    const auto introduction = unpacked<Introduction>(coordinator.decide(submitted, {}).text);
    plan_ = plan_for(options, introduction, Attempt::main, 0);
    Order before = introduction.first, order = before;
    std::map<int, Reports> late;
    std::optional<std::vector<int>> called;  // nothing: all
    for (int round = 0; round < 200 && !order.is<Stop>(); ++round) {
      submitted.clear();
      std::vector<int> gone;
      const auto* done = before.as<Measure>();
      if (done && !done->calibrates) orders.push_back(*done);
      for (auto& [rank, reports] : std::exchange(late, {})) submitted.push_back({rank, packed(reports)});
      for (int rank = 0; rank < ranks; ++rank) {
        if (called && !is_among(*called, rank)) continue;  // it rests
        Reports reports = follow(rank, before);
        if (done && !done->calibrates && misses(rank, *done)) {
          gone.push_back(rank);
          late[rank] = std::move(reports);
        } else {
          submitted.push_back({rank, packed(reports)});
        }
      }
      auto decided = coordinator.decide(submitted, gone);
      before = std::exchange(order, unpacked<Order>(decided.text));
      called = std::move(decided.called);
      if (called) most_called = std::max(most_called, called->size());
      whole_rounds += !called && done && !done->calibrates;
      if (!order.replaces) continue;
      replacing.push_back(order);
      before = {Submit{}};
    }
    EXPECT_TRUE(order.is<Stop>());
  }

  std::size_t longest() const {
    std::size_t most = 0;
    for (const auto& order : orders) most = std::max(most, order.steps.size());
    return most;
  }
  void expect_each_link_once(int steps_expected = steps) const {
    EXPECT_EQ(memory.steps_recorded, steps_expected);
    EXPECT_TRUE(memory.in_order);
    EXPECT_EQ(memory.times.size(), static_cast<std::size_t>(ranks * (ranks - 1)));
    for (const auto& [link, times] : memory.times) EXPECT_EQ(times, 1) << link.first << " -> " << link.second;
  }

 private:
  Reports follow(int rank, const Order& order) const {
    Reports reports;
    const auto* measure = order.as<Measure>();
    for (std::size_t i = 0; measure && i < measure->steps.size(); ++i) {
      const Step& step = measure->steps[i];
      if (partner_in(step, plan_, rank) == no_rank) continue;
      const bool failed = fails({rank, step, measure->steps.size() == 1});
      reports.all.push_back(measured(rank, *measure, step, failed));
      if (failed) break;
    }
    if (reports.all.empty()) reports.all.push_back({.rank = rank});
    return reports;
  }

  Report measured(int rank, const Measure& order, const Step& step, bool failed) const {
    Report report{.step = step.row, .rank = rank, .peer = partner_in(step, plan_, rank), .took = 1e-4};
    if (order.calibrates) {
      report.needs.resize(1);
      return report;
    }
    Sample s;
    s.from = static_cast<std::uint32_t>(rank);
    s.to = static_cast<std::uint32_t>(report.peer);
    s.step = step.row;
    s.attempt = order.attempt;
    if (failed)
      s.outcome = Outcome::timeout;
    else
      s.one_way = {2, 1e-6f, 1e-6f, 1e-6f, not_known, 1e-6f, 0};
    report.led.samples = {s};
    report.notes.resize(1);
    return report;
  }

  Plan plan_;
  Seconds now_ = 0;
};

TEST(StepsAhead, where_all_is_well_an_order_soon_has_many_steps_and_each_link_is_measured_once) {
  Ranks run;
  run.go();
  run.expect_each_link_once();
  EXPECT_EQ(run.orders.front().steps.size(), 1u) << "nothing is known of the ranks yet";
  EXPECT_GT(run.longest(), 5u);
  EXPECT_LT(run.orders.size(), static_cast<std::size_t>(steps) / 2 + 2);
  EXPECT_TRUE(run.replacing.empty());
  EXPECT_TRUE(run.memory.others.empty());
}

TEST(StepsAhead, they_have_one_step_where_the_transport_or_the_options_want_it) {
  for (const auto& change :
       std::vector<std::function<void(Ranks&)>>{[](Ranks& run) { run.context.steps_ahead = false; },
                                                [](Ranks& run) { run.options.all_to_all = true; }}) {
    Ranks run;
    change(run);
    run.go();
    run.expect_each_link_once();
    EXPECT_EQ(run.longest(), 1u);
  }
  Ranks serial;
  serial.options.serial = true;
  serial.go();
  EXPECT_EQ(serial.longest(), 1u);
  Ranks crowded;
  crowded.on_one_machine = true;  // 16 ranks on one core
  crowded.go();
  EXPECT_GT(crowded.longest(), 5u);
}

TEST(StepsAhead, ranks_without_a_pair_rest) {
  Ranks all;
  all.go();
  EXPECT_EQ(all.most_called, 0u) << "every rank has a pair in every step";
  Ranks serial;
  serial.options.serial = true;
  serial.go();
  EXPECT_EQ(serial.most_called, 4u) << "the pair at work, and the one that comes next";
  EXPECT_LE(serial.whole_rounds, 2) << "for the end";
  serial.expect_each_link_once(ranks * (ranks - 1) / 2);
  Ranks again;  // single pairs after the schedule
  again.options.slowest = 5;
  again.go();
  EXPECT_LE(again.most_called, 4u);
  EXPECT_GT(again.most_called, 0u);
}

TEST(StepsAhead, after_a_fault_the_step_and_those_after_it_are_measured_again_one_by_one) {
  std::set<std::uint32_t> failed;
  Ranks run;
  run.fails = [&](const Ranks::Part& part) {  // as a peer that comes too late, or a fault that has passed
    const bool fails = !part.alone && part.step.row == 8 && (part.rank == 3 || part.rank == 5);
    if (fails) failed.insert(part.step.row);
    return fails;
  };
  run.go();
  ASSERT_FALSE(failed.empty()) << "the step was part of an order of several";
  run.expect_each_link_once();
  EXPECT_TRUE(run.memory.others.empty()) << "what may be an effect of something else accuses nobody";
  ASSERT_EQ(run.replacing.size(), 1u);
  EXPECT_EQ(run.replacing.front().as<Measure>()->step().row, 8u);
  bool is_after = false;
  for (const auto& order : run.orders) {
    if (is_after) EXPECT_EQ(order.steps.size(), 1u);
    is_after |= order.steps.size() == 1 && order.step().row == 8;
  }
  EXPECT_TRUE(is_after);
}

TEST(StepsAhead, a_fault_that_lasts_is_recorded_when_its_step_is_measured_alone) {
  Ranks run;
  std::set<int> ends;
  run.fails = [&](const Ranks::Part& part) {
    const bool fails = part.step.row == 8 && (part.rank < 2);
    if (fails) ends.insert(part.rank);
    return fails;
  };
  run.go();
  run.expect_each_link_once();
  EXPECT_EQ(run.memory.others.size(), ends.size());
  for (const auto& [link, outcome] : run.memory.others) EXPECT_EQ(outcome, Outcome::timeout);
}

TEST(StepsAhead,
     a_rank_that_is_missing_is_absent_from_steps_measured_alone_and_its_late_results_do_not_count) {
  Ranks run;
  bool was_missing = false;
  run.misses = [&](int rank, const Measure& done) {
    const bool misses = rank == 6 && !was_missing && done.steps.size() > 1;
    was_missing |= misses;
    return misses;
  };
  run.go();
  EXPECT_TRUE(was_missing);
  run.expect_each_link_once();
  EXPECT_TRUE(run.memory.others.empty()) << "it was back before any step was measured again";
}

TEST(StepsAhead, a_rank_that_is_gone_for_good_costs_its_own_links_alone) {
  Ranks run;
  bool is_gone = false;
  run.misses = [&](int rank, const Measure& done) {
    is_gone |= done.steps.size() > 1;
    return rank == 6 && is_gone;
  };
  run.fails = [&](const Ranks::Part&) { return false; };
  run.go();
  ASSERT_TRUE(is_gone);
  EXPECT_EQ(run.memory.steps_recorded, steps);
  EXPECT_FALSE(run.memory.others.empty());
  for (const auto& [link, outcome] : run.memory.others) {
    EXPECT_TRUE(link.first == 6 || link.second == 6);
    EXPECT_EQ(outcome, Outcome::absent);
  }
}

}  // namespace
}  // namespace everylink
