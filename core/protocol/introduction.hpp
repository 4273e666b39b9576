// The first word: who is here and what was drawn or read for all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/types.hpp"
#include "protocol/order.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

struct Introduction {
  RunId run{};
  std::vector<std::int32_t> host_of;
  std::vector<char> crowded;
  bool one_machine = false;
  std::uint64_t seed = 0;
  std::string schedule_option;  // contents of the file of pairs
  Order first;

  Blob packed() const;
  static Introduction unpacked(View);
};

// The pairs of the schedule, or those that are to be confirmed, which are in their own order always.
Plan pairs_of(const Options&, const Introduction&, std::uint64_t relabelling);
// The plan of one iteration; every rank makes the same.
Plan plan_for(const Options&, const Introduction&, std::uint64_t relabelling);

}  // namespace everylink
