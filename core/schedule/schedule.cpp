// The table of schedules, and the one-at-a-time form of any of them.
#include "schedule/schedule.hpp"

#include <fmt/format.h>

#include "errors.hpp"

namespace everylink {

extern const ScheduleEntry schedule_all, schedule_bisection, schedule_sample, schedule_inter_host,
    schedule_rail, schedule_file;

std::span<const ScheduleEntry> schedules() {
  static const ScheduleEntry all[] = {schedule_all,        schedule_bisection, schedule_sample,
                                      schedule_inter_host, schedule_rail,      schedule_file};
  return all;
}

const ScheduleEntry& schedule_named(std::string_view name) {
  std::string known;
  for (const auto& entry : schedules()) {
    if (entry.name == name) return entry;
    known += fmt::format("{}{}{}{}", known.empty() ? "" : ", ", entry.name, entry.option.empty() ? "" : ":",
                         entry.option);
  }
  throw UsageError(fmt::format("--schedule {}: there is no such schedule; there are: {}", name, known));
}

// Step s of the serial plan is the pair of step s / size whose lower rank is s modulo size; where there is
// none, it is idle.
Plan serial(const Plan& plan, int size) {
  const auto upper = [partner = plan.partner, size](std::int64_t step) {
    const int low = static_cast<int>(step % size), high = partner(step / size, low);
    return high > low ? high : no_rank;
  };
  return {plan.steps * size, plan.pairs,
          [upper, size](std::int64_t step, int rank) {
            const int low = static_cast<int>(step % size), high = upper(step);
            if (high == no_rank) return no_rank;
            return rank == low ? high : rank == high ? low : no_rank;
          },
          [upper](std::int64_t step) { return upper(step) == no_rank; }};
}

}  // namespace everylink
