// Which pairs meet in which step: pure functions of the population.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everylink {

struct Population {
  int size;
  std::uint64_t seed;        // for random choices of the schedule (sample, screen)
  std::uint64_t order;       // key of this iteration's relabelling; 0: natural order
  std::vector<int> host_of;  // one host index per rank
  std::string option;        // after the colon: K of sample, the contents of file:PAIRS
  std::string asked_by;      // the user's option, named in errors
  std::vector<int> switch_of =
      {};  // by host: a number for its switch, from 0 to the number of hosts - 1; empty: not known
};

// Steps of disjoint pairs, in constant memory per rank and step.
struct Plan {
  std::int64_t steps;                                       // numbered from 0; some may be idle
  std::int64_t pairs;                                       // in all steps
  std::function<int(std::int64_t step, int rank)> partner;  // no_rank: none in this step
  std::function<bool(std::int64_t step)> idle;  // no rank has a partner; empty function: no step is idle
  bool is_idle(std::int64_t step) const { return idle && idle(step); }
};

struct ScheduleEntry {
  std::string_view name, summary;
  std::string_view option;          // what follows the colon: "" nothing, "K", "PAIRS" (a file)
  Plan (*make)(const Population&);  // throws UsageError
  std::string_view by_itself = "";  // the value of its option where that is left out; "": it must be given
};

std::span<const ScheduleEntry> schedules();
std::string text_of(const ScheduleEntry&);                   // "all", "sample:K", "screen[:K]"
const ScheduleEntry& schedule_named(std::string_view name);  // throws UsageError

// The same pairs, one at a time.
Plan serial(const Plan&, int size);
// The same pairs, with idle ranks of each step paired at random, until it has `most` pairs: a run without
// idle ranks has size / 2. The plan must not have more pairs in a step.
Plan filled(const Plan&, int size, std::uint64_t key, int most);

}  // namespace everylink
