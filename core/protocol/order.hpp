// What rank 0 tells every rank in a round: what to do next.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "base/rows.hpp"
#include "base/sample.hpp"
#include "base/types.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

// Near: two ranks of one host. Near and far pairs use different ways, so each is judged among its own.
enum class Reach : std::uint8_t { near = 0, far = 1 };
constexpr Reach last_of(Reach) { return Reach::far; }
inline std::size_t index(Reach reach) { return static_cast<std::size_t>(reach); }
inline Reach reach_of(std::span<const std::int32_t> host_of, int a, int b) {
  return host_of[static_cast<std::size_t>(a)] == host_of[static_cast<std::size_t>(b)] ? Reach::near
                                                                                      : Reach::far;
}

// How a rank in trouble is treated by peers within one reach.
struct RankCare {
  std::int32_t rank = no_rank;
  Reach reach = Reach::near;
  bool suspect = false;        // gets little time
  bool dark = false;           // is not tried in this step
  std::uint32_t messages = 0;  // at most per turn; 0: all
  static constexpr auto fields =
      std::tuple(&RankCare::rank, &RankCare::reach, &RankCare::suspect, &RankCare::dark, &RankCare::messages);
};

// The end of the run.
struct Stop {
  std::int32_t exit_code = 0;
  bool clean = true;  // every library has given back every buffer of ours
  static constexpr auto fields = std::tuple(&Stop::exit_code, &Stop::clean);
};

// Nothing to do; the next round brings what the last order gave.
struct HandIn {
  static constexpr auto fields = std::tuple();
};

// One step of measuring pairs.
struct Step {
  std::uint32_t row = 0;                           // in /steps
  std::int64_t schedule_step = 0;                  // the pairs of this step of the plan ...
  std::int32_t first = no_rank, second = no_rank;  // ... or this one pair
  static constexpr auto fields = std::tuple(&Step::row, &Step::schedule_step, &Step::first, &Step::second);
};

// Pairs measure. An order may carry several steps, which a rank takes one after the other; a round exchanges
// one offer per rank, so today every order carries one.
struct Measure {
  bool calibrates = false;  // only the tunings are found; nothing is kept
  std::uint32_t iteration = 0;
  std::uint64_t relabelling = 0;  // of this iteration; 0: natural order of the ranks
  Attempt attempt = Attempt::main;
  std::vector<Step> steps;
  std::vector<Tuning> tunings;            // one per size
  std::array<Seconds, 2> patience{0, 0};  // with a pair of each reach; 0: not known
  std::vector<RankCare> care;             // of ranks that look dark or slow
  static constexpr auto fields =
      std::tuple(&Measure::calibrates, &Measure::iteration, &Measure::relabelling, &Measure::attempt,
                 &Measure::steps, &Measure::tunings, &Measure::patience, &Measure::care);
  bool is_sound() const { return steps.size() == 1; }

  const Step& step() const { return steps.front(); }
  // All pairs of a step at the same time, step by step; else one pair.
  bool goes_through_plan() const { return attempt == Attempt::main || attempt == Attempt::confirm; }
};

// Each rank writes its own part of a .sion file, while the run goes on or at its end.
struct WriteRows {
  bool at_end = false;
  std::vector<std::int32_t> corrupt;  // links from, to, from, to, ...: only `to` knows of it
  static constexpr auto fields = std::tuple(&WriteRows::at_end, &WriteRows::corrupt);
};

// One turn of connecting the flows of a scene.
struct Connect {
  std::int64_t scene = 0;  // counted through all sizes
  std::uint32_t turn = 0;
  std::vector<std::int32_t> dark = {};     // ranks that are not tried
  std::vector<std::int32_t> severed = {};  // links that are not tried: from, to, from, to, ...
  static constexpr auto fields =
      std::tuple(&Connect::scene, &Connect::turn, &Connect::dark, &Connect::severed);

  bool leaves_out(int a, int b) const;  // a pair that would fail again
};

// All flows of a scene run.
struct RunFlows {
  std::int64_t scene = 0;
  Seconds begins = 0;    // in virtual time, which has no other common clock
  Seconds patience = 0;  // by what earlier scenes took; 0: not known
  static constexpr auto fields = std::tuple(&RunFlows::scene, &RunFlows::begins, &RunFlows::patience);
};

// Complete in itself, so that a rank that slept can go on from any order.
struct Order {
  std::variant<Stop, HandIn, Measure, WriteRows, Connect, RunFlows> action;
  std::uint64_t committed = 0;  // the file holds what rounds before this one brought
  static constexpr auto fields = std::tuple(&Order::action, &Order::committed);

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

// What an order says about one pair.
bool is_tried(const Measure&, Reach, int a, int b);
Seconds budget_of(const Measure&, Reach, int a, int b);          // for all its sizes; infinite: not known yet
Seconds longest_budget(const Measure&, Reach);                   // of any pair
std::uint32_t messages_of(const Measure&, Reach, int a, int b);  // at most per turn; 0: all

// The partner of a rank in a step, or no_rank.
int partner_in(const Step&, const Plan&, int rank);
// The number of the step in the schedule, from 1; pairs that are measured one at a time share their step's
// number.
std::int32_t step_number(const Step&, bool serial, int ranks);

}  // namespace everylink
