// A whole run under a seed: how many ranks on which hosts, when each starts, the network's conditions, and
// what goes wrong when. Each rank runs the program of core/rank/run.cpp without measuring anything. What must
// hold in every run is checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/seconds.hpp"
#include "simulation.hpp"

namespace everylink {

enum class Fault {
  killed,
  host_lost,
  leader_killed,
  stopped,
  leader_stopped,
  partition,
  one_way,
  reset,
  no_descriptors,
  slow,
  never_starts,
  dies_early,
  late,
  stranger,
  flood,
  other_key,
  signal,
  count
};
std::string_view name_of(Fault);

struct SimulatedRun {
  std::string plan;                     // for people
  std::vector<std::string> violations;  // empty: all invariants hold
  int ranks = 0, hosts = 0;
  bool is_tree = false, is_supervised = false;
  std::array<int, static_cast<std::size_t>(Fault::count)> faults{};  // how many of each kind were planned
  std::uint64_t rounds = 0, rows = 0;
  Seconds lasted = 0;
  std::vector<Simulation::Event> events;
  // The seed, what was violated, and the last events.
  std::string text(std::uint64_t seed, std::size_t most_events = 60) const;
};

SimulatedRun simulate_run(std::uint64_t seed);

}  // namespace everylink
