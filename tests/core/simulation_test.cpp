// Control traffic in virtual time: clock, network and processes are simulated, so limits of minutes pass at
// once and every run takes the same steps.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bootstrap/admission.hpp"
#include "bootstrap/attendance.hpp"
#include "bootstrap/processes.hpp"
#include "bootstrap/supervisor.hpp"
#include "world.hpp"

namespace everylink {
namespace {

constexpr Seconds join_limit = 60, forever = 1e6;

// Ranks that join over a simulated network, each on its own host.
class Joining {
 public:
  explicit Joining(int size) : size_(size), listener_(network.listen(loopback(0), 64)) {
    rendezvous = listener_->addresses();
  }

  void start(int rank, std::function<void(Bootstrap&)> part, Seconds at = 0) {
    auto place = std::make_shared<Place>(Place{.rank = rank,
                                               .size = size_,
                                               .bootstrap = "tcp",
                                               .rendezvous = rendezvous,
                                               .listener = rank == 0 ? std::move(listener_) : nullptr,
                                               .key = blob("key"),
                                               .host = "host " + std::to_string(rank),
                                               .hosts = hosts,
                                               .attendance = attendance});
    network.start([this, place, at, part = std::move(part)] {
      if (at > 0) network.sleep(at);
      System system = network.system();
      system.end_is_wanted = [this] { return network.now() >= ends_at; };
      system.tell = [this](std::string_view line) { told.push_back({network.now(), std::string(line)}); };
      part(*join(*place, join_limit, tree_above, system));
    });
  }

  struct Told {
    Seconds at;
    std::string line;
  };
  Simulation network;
  std::vector<Told> told;  // on standard error
  std::vector<Address> rendezvous;
  std::vector<std::string> hosts;                              // by rank; empty: not known
  std::shared_ptr<Attendance> attendance;                      // of a supervisor that started the ranks
  Seconds ends_at = std::numeric_limits<Seconds>::infinity();  // a signal asks for the end
  int tree_above = usual_tree_above;

 private:
  int size_;
  std::unique_ptr<Listener> listener_;
};

Round hold_round(Bootstrap& world, const std::string& mine, Seconds limit = forever) {
  return must(world.round(blob(mine), {}, limit, world.rank() == 0 ? Decide(echo) : never));
}

std::vector<Simulation::Event> events_of_five_rounds() {
  Joining ranks(3);
  for (int rank = 0; rank < 3; ++rank)
    ranks.start(rank, [&](Bootstrap& world) {
      for (std::uint64_t number = 0; number < 5; ++number) {
        const Round round = hold_round(world, std::to_string(number));
        EXPECT_EQ(round.number, number);
        EXPECT_EQ(round.gone, Ranks{});
        for (int other = 0; other < 3; ++other)
          EXPECT_NE(text(round.decision).find(std::to_string(other) + ":" + std::to_string(number)),
                    std::string::npos);
      }
    });
  ranks.network.run();
  EXPECT_LT(ranks.network.now(), 1);
  return ranks.network.events();
}

TEST(Simulation, ranks_join_and_hold_rounds_and_every_run_takes_the_same_steps) {
  const auto events = events_of_five_rounds();
  EXPECT_GT(events.size(), 20u);
  EXPECT_EQ(events, events_of_five_rounds());
}

// Every rank is on a host of its own, 1 ms from all others.
Seconds time_of_round(int ranks, int tree_above) {
  Joining run(ranks);
  run.tree_above = tree_above;
  Seconds took = 0;
  const Decide decide = [](auto, auto) { return Blob(); };
  for (int rank = 0; rank < ranks; ++rank)
    run.start(
        rank,
        [&, rank](Bootstrap& world) {
          for (int i = 0; i < 3; ++i) {  // the first of these are on their way while ranks still join
            const Seconds began = run.network.now();
            EXPECT_TRUE(world.round({}, {}, join_limit, decide));
            if (rank == 0) took = run.network.now() - began;
          }
        },
        1e-2 * rank);
  run.network.run();
  return took;
}

TEST(Simulation, a_round_takes_one_latency_there_and_one_back_for_each_level_of_the_tree) {
  EXPECT_NEAR(time_of_round(40, 512), 2e-3, 1e-9);
  EXPECT_NEAR(time_of_round(33, 8), 2e-3, 1e-9);  // 32 leaders below rank 0
  EXPECT_NEAR(time_of_round(34, 8), 4e-3, 1e-9);
  EXPECT_NEAR(time_of_round(1 + 32 + 32 * 32 + 1, 8), 6e-3, 1e-9);
}

TEST(Simulation, a_rank_that_sleeps_is_gone_after_exactly_the_limit_and_is_back_when_it_wakes) {
  Joining ranks(3);
  auto& network = ranks.network;
  ranks.start(0, [&](Bootstrap& world) {
    EXPECT_EQ(hold_round(world, "").gone, Ranks{});
    const Seconds began = network.now();
    EXPECT_EQ(hold_round(world, "", 10).gone, Ranks{2});
    EXPECT_NEAR(network.now() - began, 10, 1e-6);
    network.sleep(200);  // rank 2 wakes in this time
    const Round last = hold_round(world, "", 10);
    EXPECT_EQ(last.gone, Ranks{});
    EXPECT_NE(text(last.decision).find("2:late "), std::string::npos) << text(last.decision);
    EXPECT_NE(text(last.decision).find("2:back "), std::string::npos) << text(last.decision);
  });
  ranks.start(1, [&](Bootstrap& world) {
    for (const auto& gone : {Ranks{}, Ranks{2}, Ranks{}}) EXPECT_EQ(hold_round(world, "").gone, gone);
  });
  ranks.start(2, [&](Bootstrap& world) {
    hold_round(world, "");
    network.sleep(100);
    EXPECT_EQ(hold_round(world, "late").gone, Ranks{2}) << "all ranks agree that it was gone";
    EXPECT_EQ(hold_round(world, "back").gone, Ranks{});
  });
  network.run();
}

TEST(Simulation, the_run_begins_without_a_rank_that_does_not_join_within_the_limit) {
  Joining ranks(3);
  for (int rank = 0; rank < 2; ++rank)
    ranks.start(rank, [&](Bootstrap& world) { EXPECT_EQ(hold_round(world, "").gone, Ranks{2}); });
  ranks.network.run();
  EXPECT_GE(ranks.network.now(), join_limit);
  EXPECT_LT(ranks.network.now(), join_limit + 5);
}

TEST(Simulation, after_ten_seconds_rank_0_says_once_which_ranks_it_waits_for) {
  Joining ranks(4);
  ranks.hosts = {"n5", "n6", "n7", "n8"};
  ranks.attendance = std::make_shared<Attendance>(4);
  ranks.attendance->note_ended(2);  // not waited for
  for (int rank = 0; rank < 2; ++rank) ranks.start(rank, [&](Bootstrap& world) { hold_round(world, ""); });
  ranks.network.run();
  ASSERT_EQ(ranks.told.size(), 1u);
  EXPECT_NEAR(ranks.told[0].at, 10, 0.5);
  EXPECT_EQ(
      ranks.told[0].line,
      "waiting for rank 3 (n8); the run begins without it when no rank has joined for 60 s (--join-limit)");
}

TEST(Simulation, ranks_that_join_in_time_are_not_spoken_of) {
  Joining ranks(3);
  for (int rank = 0; rank < 3; ++rank)
    ranks.start(
        rank, [&](Bootstrap& world) { hold_round(world, ""); }, rank == 2 ? 9 : 0);
  ranks.network.run();
  EXPECT_TRUE(ranks.told.empty());
}

TEST(Simulation, if_no_other_rank_joins_they_are_named_when_the_limit_has_passed) {
  Joining ranks(3);
  ranks.start(0, [](Bootstrap&) { ADD_FAILURE() << "joined alone"; });
  try {
    ranks.network.run();
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_EQ(std::string(error.what()), "no other rank joined; missing: 1, 2");
  }
  EXPECT_NEAR(ranks.network.now(), join_limit, 1e-6);
}

// Ranks 1, 2, ... join at these times, and the last rank never does. Returns when the run begins.
Seconds begins_at(const std::vector<Seconds>& times) {
  const int missing = static_cast<int>(times.size()) + 1;
  Joining ranks(missing + 1);
  Seconds began = 0;
  ranks.start(0, [&](Bootstrap& world) {
    began = ranks.network.now();
    EXPECT_EQ(hold_round(world, "").gone, Ranks{missing});
  });
  for (int rank = 1; rank < missing; ++rank)
    ranks.start(
        rank, [&](Bootstrap& world) { EXPECT_EQ(hold_round(world, "").gone, Ranks{missing}); },
        times[static_cast<std::size_t>(rank) - 1]);
  ranks.network.run();
  return began;
}

TEST(Simulation, each_rank_that_joins_restarts_the_join_limit) {
  EXPECT_NEAR(begins_at({0, 50}), 50 + join_limit, 0.1);
  EXPECT_NEAR(begins_at({0, 50, 100}), 100 + join_limit, 0.1);
}

TEST(Simulation, the_run_begins_after_ten_minutes_even_if_ranks_still_join) {
  std::vector<Seconds> times;
  for (Seconds at = 0; at < 600; at += 50) times.push_back(at);
  EXPECT_NEAR(begins_at(times), 600, 0.1);
}

TEST(Simulation, a_rank_that_is_known_to_have_ended_is_not_waited_for) {
  Joining ranks(3);
  ranks.attendance = std::make_shared<Attendance>(3);
  ranks.network.start([&] {
    ranks.network.sleep(5);
    ranks.attendance->note_ended(2);
  });
  for (int rank = 0; rank < 2; ++rank)
    ranks.start(rank, [&](Bootstrap& world) { EXPECT_EQ(hold_round(world, "").gone, Ranks{2}); });
  ranks.network.run();
  EXPECT_GE(ranks.network.now(), 5);
  EXPECT_LT(ranks.network.now(), 5.5);
}

TEST(Simulation, a_rank_that_joins_after_the_run_has_begun_learns_that_it_is_late) {
  Joining ranks(3);
  ranks.start(0, [](Bootstrap& world) {
    EXPECT_EQ(hold_round(world, "").gone, Ranks{2});
    EXPECT_EQ(hold_round(world, "").gone, Ranks{2});
  });
  ranks.start(1, [&](Bootstrap& world) {
    hold_round(world, "");
    ranks.network.sleep(100);  // rank 2 comes in this time
    EXPECT_EQ(hold_round(world, "").gone, Ranks{2});
  });
  ranks.start(
      2, [](Bootstrap& world) { EXPECT_EQ(hold_round(world, "").gone, Ranks{2}); }, 100);
  ranks.network.run();
}

TEST(Simulation, a_signal_ends_ranks_that_have_not_joined) {
  Joining ranks(3);
  ranks.ends_at = 20;
  for (int rank = 0; rank < 2; ++rank)
    ranks.start(rank, [](Bootstrap& world) {
      EXPECT_EQ(world.rank(), 1);
      EXPECT_FALSE(world.round({}, {}, forever, never)) << "rank 0 has ended";
    });
  EXPECT_THROW(ranks.network.run(), MachineError);
  EXPECT_LT(ranks.network.now(), 22);
}

TEST(Simulation, a_signal_ends_a_rank_that_cannot_reach_rank_0) {
  Joining ranks(2);
  ranks.ends_at = 20;
  ranks.network.drop_calls_to(ranks.rendezvous[0]);
  ranks.start(1, [](Bootstrap&) { ADD_FAILURE() << "joined"; });
  EXPECT_THROW(ranks.network.run(), RunLost);
  EXPECT_LT(ranks.network.now(), 20.2);
}

TEST(Simulation, an_address_that_drops_calls_costs_three_seconds_then_the_next_one_is_called) {
  Joining ranks(2);
  const Address dark = loopback(9);
  ranks.network.drop_calls_to(dark);
  ranks.start(0, [](Bootstrap& world) { hold_round(world, ""); });
  ranks.rendezvous.insert(ranks.rendezvous.begin(), dark);
  ranks.start(1, [&](Bootstrap& world) {
    EXPECT_GT(ranks.network.now(), 3);
    EXPECT_LT(ranks.network.now(), 3.2);
    hold_round(world, "");
  });
  ranks.network.run();
}

TEST(Simulation, a_silent_caller_is_dropped_after_five_seconds) {
  Simulation network;
  auto listener = network.listen(loopback(0), 4);
  const Address address = listener->addresses()[0];
  std::vector<std::string> reported;
  Seconds dropped_at = 0;
  network.start([&] {
    Admission admission(
        network, network, std::move(listener), blob("key"), [](const Hello&) { return Reply(); },
        [](const Hello&, const Channel&) { ADD_FAILURE() << "a stranger came in"; },
        [&](const std::string& line) { reported.push_back(line); });
    while (reported.empty()) {
      const Watched watched{&admission.source()};
      network.wait({&watched, 1}, 0.1);
      admission.serve();
    }
    dropped_at = network.now();
  });
  network.start([&] {
    const auto silent = network.connect(address);
    network.sleep(60);
  });
  network.run();
  EXPECT_NEAR(dropped_at, 5, 0.11);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("did not complete its message within 5 s"), std::string::npos) << reported[0];
}

TEST(Simulation, a_rank_joins_at_once_beside_thousands_of_callers_that_say_nothing) {
  constexpr int strangers = 5000;
  Joining ranks(2);
  std::vector<std::unique_ptr<ByteStream>> silent;
  for (int i = 0; i < strangers; ++i) silent.push_back(ranks.network.connect(ranks.rendezvous.at(0)));
  for (int rank = 0; rank < 2; ++rank)
    ranks.start(rank, [&](Bootstrap& world) {
      EXPECT_EQ(hold_round(world, "").gone, Ranks{});
      EXPECT_LT(ranks.network.now(), 1);
    });
  ranks.network.run();
}

// Processes that end as planned, in virtual time.
class PlannedProcesses final : public Clock, public Processes {
 public:
  using Kind = Change::Kind;
  void plan(Seconds at, Change change) { changes_.emplace(at, change); }
  void plan_signal(Seconds at, int number) { signals_.emplace(at, number); }

  Seconds now() override { return now_; }
  void hold_signals() override {}
  int start() override { return ++started_; }
  std::optional<Change> next_change() override { return taken(changes_); }
  void signal(int process, int number) override {
    sent.push_back({now_, process, number});
    if (number == SIGKILL) plan(now_, {process, Kind::killed, SIGKILL});
  }
  std::vector<int> wait(int, Seconds longest) override {
    Seconds until = now_ + longest;
    if (!changes_.empty()) until = std::min(until, changes_.begin()->first);
    if (!signals_.empty()) until = std::min(until, signals_.begin()->first);
    now_ = std::max(now_, until);
    const auto signal = taken(signals_);
    return signal ? std::vector<int>{*signal} : std::vector<int>();
  }

  struct Sent {
    Seconds at;
    int process, number;
  };
  std::vector<Sent> sent;

 private:
  template <class T>
  std::optional<T> taken(std::multimap<Seconds, T>& planned) {
    if (planned.empty() || planned.begin()->first > now_) return {};
    const T first = planned.begin()->second;
    planned.erase(planned.begin());
    return first;
  }

  Seconds now_ = 0;
  int started_ = 0;
  std::multimap<Seconds, Change> changes_;
  std::multimap<Seconds, int> signals_;
};

TEST(Supervisor, a_rank_that_remains_25_s_after_rank_0_has_ended_is_killed) {
  PlannedProcesses processes;
  processes.plan(10, {1, PlannedProcesses::Kind::exited, 3});
  Supervisor supervisor(processes, processes, 0, true);
  for (int rank = 0; rank < 2; ++rank) EXPECT_FALSE(supervisor.start());
  EXPECT_EQ(supervisor.wait(), 3) << "rank 0's exit code";
  ASSERT_EQ(processes.sent.size(), 1u);
  EXPECT_NEAR(processes.sent[0].at, 35, 0.02);
  EXPECT_EQ(processes.sent[0].process, 2);
  EXPECT_EQ(processes.sent[0].number, SIGKILL);
}

TEST(Supervisor, a_signal_is_passed_on_and_ranks_that_end_in_time_are_not_killed) {
  PlannedProcesses processes;
  processes.plan_signal(100, SIGTERM);
  processes.plan(110, {1, PlannedProcesses::Kind::exited, 0});
  processes.plan(111, {2, PlannedProcesses::Kind::exited, 0});
  Supervisor supervisor(processes, processes, 0, true);
  for (int rank = 0; rank < 2; ++rank) supervisor.start();
  EXPECT_EQ(supervisor.wait(), 0);
  ASSERT_EQ(processes.sent.size(), 2u);
  for (const auto& one : processes.sent) {
    EXPECT_EQ(one.at, 100);
    EXPECT_EQ(one.number, SIGTERM);
  }
}

TEST(Supervisor, stopped_ranks_are_killed_when_another_rank_has_given_up_rank_0) {
  PlannedProcesses processes;
  processes.plan(1, {1, PlannedProcesses::Kind::stopped, SIGSTOP});
  processes.plan(2, {2, PlannedProcesses::Kind::stopped, SIGSTOP});
  processes.plan(5, {3, PlannedProcesses::Kind::exited, exit_machine});
  Supervisor supervisor(processes, processes, 0, true);
  for (int rank = 0; rank < 3; ++rank) supervisor.start();
  EXPECT_EQ(supervisor.wait(), exit_machine);
  EXPECT_EQ(processes.sent.size(), 2u);
  EXPECT_NEAR(processes.now(), 30, 0.02);
}

// A supervisor of three ranks, which share its attendance.
struct SharedStart {
  PlannedProcesses processes;
  std::shared_ptr<Attendance> attendance = std::make_shared<Attendance>(3);
  Supervisor supervisor{processes, processes, 0, true, attendance};
  SharedStart() {
    for (int rank = 0; rank < 3; ++rank) supervisor.start();
  }
};

TEST(Supervisor, a_rank_that_ends_is_known_to_the_others) {
  SharedStart start;
  start.processes.plan(1, {2, PlannedProcesses::Kind::killed, SIGSEGV});
  Ranks lost;
  start.supervisor.tell_lost([&](int rank) { lost.push_back(rank); });
  start.processes.plan(2, {1, PlannedProcesses::Kind::exited, 3});
  start.processes.plan(2, {3, PlannedProcesses::Kind::exited, 3});
  EXPECT_EQ(start.supervisor.wait(), 3);
  EXPECT_TRUE(start.attendance->has_ended(1));
  EXPECT_EQ(lost.front(), 1) << "and to other hosts";
}

TEST(Supervisor, if_rank_0_crashes_before_the_run_has_begun_the_others_are_killed_a_second_later) {
  SharedStart start;
  start.processes.plan(5, {1, PlannedProcesses::Kind::killed, SIGSEGV});
  EXPECT_EQ(start.supervisor.wait(), exit_machine);
  EXPECT_NEAR(start.processes.now(), 6, 0.05);
}

TEST(Supervisor, if_a_signal_comes_before_the_run_has_begun_a_stopped_rank_is_killed_a_second_later) {
  SharedStart start;
  start.processes.plan(1, {3, PlannedProcesses::Kind::stopped, SIGSTOP});
  start.processes.plan_signal(5, SIGINT);
  start.processes.plan(5.1, {1, PlannedProcesses::Kind::exited, exit_machine});
  start.processes.plan(5.1, {2, PlannedProcesses::Kind::exited, exit_machine});
  start.supervisor.wait();
  EXPECT_NEAR(start.processes.now(), 6, 0.05);
}

TEST(Supervisor, once_the_run_has_begun_ranks_have_25_s_to_save_their_rows) {
  SharedStart start;
  start.attendance->note_begun();
  start.processes.plan(5, {1, PlannedProcesses::Kind::killed, SIGSEGV});
  start.supervisor.wait();
  EXPECT_NEAR(start.processes.now(), 30, 0.05);
}

}  // namespace
}  // namespace everylink
