// What the coordinator tells every rank in a round: what to do next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "base/host_reading.hpp"
#include "base/ranks.hpp"
#include "base/rows.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

// near: both ranks on one host. Near and far pairs use different paths, so each kind has its own limits.
enum class Reach : std::uint8_t { near = 0, far = 1 };
constexpr Reach last_of(Reach) { return Reach::far; }
inline std::size_t index(Reach reach) { return static_cast<std::size_t>(reach); }
inline Reach reach_of(std::span<const std::int32_t> host_of, int a, int b) {
  return host_of[static_cast<std::size_t>(a)] == host_of[static_cast<std::size_t>(b)] ? Reach::near
                                                                                      : Reach::far;
}

// How peers within one reach treat a rank that looks dark or slow.
struct RankCare {
  std::int32_t rank = no_rank;
  Reach reach = Reach::near;
  bool suspect = false;        // gets a short time limit
  bool dark = false;           // not tried in this step
  bool lacks = false;          // its host lacks what measuring takes
  std::uint32_t messages = 0;  // at most, per turn; 0: all
  static constexpr auto fields = std::tuple(&RankCare::rank, &RankCare::reach, &RankCare::suspect,
                                            &RankCare::dark, &RankCare::lacks, &RankCare::messages);
};

// The end of the run.
struct Stop {
  std::int32_t exit_code = 0;
  bool clean = true;  // no library holds any of our buffers
  static constexpr auto fields = std::tuple(&Stop::exit_code, &Stop::clean);
};

// Nothing to do; the next round brings the results of the last order.
struct Submit {
  static constexpr auto fields = std::tuple();
};

// One step of measuring pairs.
struct Step {
  std::uint32_t row = 0;                           // in /steps
  std::int64_t schedule_step = 0;                  // the pairs of this step of the plan ...
  std::int32_t first = no_rank, second = no_rank;  // ... or this one pair
  static constexpr auto fields = std::tuple(&Step::row, &Step::schedule_step, &Step::first, &Step::second);
};

// Pairs measure. Of several steps, a rank takes one after the other, without waiting for other ranks than its
// peers. It leaves out the rest after a pair that failed, and when it is late.
struct Measure {
  static constexpr std::size_t most_steps = 16;

  bool calibrates = false;  // only finds the tunings; nothing is recorded
  std::uint32_t iteration = 0;
  std::uint64_t relabelling = 0;  // seed of this iteration; 0: natural order of the ranks
  Attempt attempt = Attempt::main;
  std::vector<Step> steps;
  std::vector<Tuning> tunings;            // one per size
  std::array<Seconds, 2> timeouts{0, 0};  // of a pair of each reach; 0: not known
  std::vector<RankCare> care;             // of ranks that look dark or slow
  static constexpr auto fields =
      std::tuple(&Measure::calibrates, &Measure::iteration, &Measure::relabelling, &Measure::attempt,
                 &Measure::steps, &Measure::tunings, &Measure::timeouts, &Measure::care);
  bool is_sound() const { return !steps.empty() && steps.size() <= most_steps; }

  const Step& step() const { return steps.front(); }
  Measure only(std::size_t i) const;  // the same order with this step alone
  bool goes_through_plan() const { return is_parallel(attempt); }
};

// Each rank writes its own part of a .sion file, during the run or at its end.
struct WriteRows {
  bool at_end = false;
  std::vector<std::int32_t> corrupt;  // links: from, to, from, to, ...; only `to` has seen it
  static constexpr auto fields = std::tuple(&WriteRows::at_end, &WriteRows::corrupt);
};

// One turn of connecting the flows of a scene.
struct Connect {
  std::int64_t scene = 0;  // counted through all sizes
  std::uint32_t turn = 0;
  std::vector<std::int32_t> dark = {};     // ranks not to try
  std::vector<std::int32_t> severed = {};  // links not to try: from, to, from, to, ...
  static constexpr auto fields =
      std::tuple(&Connect::scene, &Connect::turn, &Connect::dark, &Connect::severed);

  bool leaves_out(int a, int b) const;  // whether this pair would fail again
};

// All flows of a scene run.
struct RunFlows {
  std::int64_t scene = 0;
  Seconds begins = 0;   // in virtual time, where ranks have no common clock
  Seconds timeout = 0;  // from the time of earlier scenes; 0: not known
  static constexpr auto fields = std::tuple(&RunFlows::scene, &RunFlows::begins, &RunFlows::timeout);
};

// One rank of each host reads facts and counters of its host; every rank tells what its messages carried.
struct ReadHost {
  std::uint32_t number = 0;  // of the reading in this process
  Moment moment = Moment::before;
  static constexpr auto fields = std::tuple(&ReadHost::number, &ReadHost::moment);
};

// Complete in itself, so a rank that was stopped can continue from any order.
struct Order {
  std::variant<Stop, Submit, Measure, WriteRows, Connect, RunFlows, ReadHost> action;
  std::uint64_t committed = 0;  // the file holds the results of all rounds before this one
  std::uint64_t epoch = 0;      // of its first step; the next steps have the next epochs
  bool replaces = false;        // the order before this one, which is not followed
  static constexpr auto fields =
      std::tuple(&Order::action, &Order::committed, &Order::epoch, &Order::replaces);

  template <class Action>
  const Action* as() const {
    return std::get_if<Action>(&action);
  }
  template <class Action>
  Action* as() {
    return std::get_if<Action>(&action);
  }
  template <class Action>
  bool is() const {
    return std::holds_alternative<Action>(action);
  }
};

// What an order means for one pair.
bool is_tried(const Measure&, Reach, int a, int b);
Seconds budget_of(const Measure&, Reach, int a, int b);          // for all sizes; infinite: not known yet
Seconds longest_budget(const Measure&, Reach);                   // of any pair
std::uint32_t messages_of(const Measure&, Reach, int a, int b);  // at most, per turn; 0: all

// The partner of a rank in a step, or no_rank.
int partner_in(const Step&, const Plan&, int rank);
// The number of the step in the schedule, from 1. Pairs that are measured one at a time share the number of
// their step.
std::int32_t step_number(const Step&, bool serial, int ranks);

}  // namespace everylink
