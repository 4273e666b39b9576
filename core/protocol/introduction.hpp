// The first thing that rank 0 tells every rank: which ranks there are, and what was drawn or read for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/fields.hpp"
#include "base/options.hpp"
#include "base/run_id.hpp"
#include "protocol/order.hpp"
#include "schedule/follow_up.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

struct Introduction {
  RunId run{};
  std::vector<std::int32_t> host_of;
  std::vector<std::int32_t>
      numa_of;  // by rank: its NUMA node, -1: not known; empty unless GPUs are assigned by it
  std::vector<std::int32_t> switch_of;  // by host: the number of its switch; empty: not known, or not needed
  std::vector<char> crowded;            // by rank: its machine has more ranks than cores
  bool one_machine = false;
  std::uint64_t seed = 0;
  FileText schedule_option;  // its value, or the contents of the file of pairs
  Order first;
  static constexpr auto fields =
      std::tuple(&Introduction::run, &Introduction::host_of, &Introduction::numa_of, &Introduction::switch_of,
                 &Introduction::crowded, &Introduction::one_machine, &Introduction::seed,
                 &Introduction::schedule_option, &Introduction::first);
  bool is_sound() const {
    const auto hosts = static_cast<std::int32_t>(switch_of.size());
    const auto is_known = [hosts](std::int32_t number) { return number >= 0 && number < hosts; };
    return crowded.size() == host_of.size() && (numa_of.empty() || numa_of.size() == host_of.size()) &&
           (switch_of.empty() || (std::all_of(host_of.begin(), host_of.end(), is_known) &&
                                  std::all_of(switch_of.begin(), switch_of.end(), is_known)));
  }
};

// The pairs to measure again. Throws UsageError.
FollowUp follow_up_of(const Options&, const Introduction&);
// The plan of one iteration. It is the same on every rank. Throws UsageError.
Plan plan_for(const Options&, const Introduction&, Attempt, std::uint64_t relabelling);

}  // namespace everylink
