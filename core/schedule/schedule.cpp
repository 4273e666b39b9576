// The table of schedules, and the plans that are derived from others.
#include "schedule/schedule.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/errors.hpp"
#include "base/names.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"

namespace everylink {

extern const ScheduleEntry schedule_all, schedule_bisection, schedule_sample, schedule_inter_host,
    schedule_rail, schedule_file, schedule_screen;

std::span<const ScheduleEntry> schedules() {
  static const ScheduleEntry all[] = {schedule_all,    schedule_bisection,  schedule_sample,
                                      schedule_screen, schedule_inter_host, schedule_rail,
                                      schedule_file};
  return all;
}

std::string text_of(const ScheduleEntry& entry) {
  if (entry.option.empty()) return std::string(entry.name);
  return entry.by_itself.empty() ? fmt::format("{}:{}", entry.name, entry.option)
                                 : fmt::format("{}[:{}]", entry.name, entry.option);
}

const ScheduleEntry& schedule_named(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : schedules()) {
    if (entry.name == name) return entry;
    known.push_back(text_of(entry));
  }
  throw UsageError("--schedule: " + unknown_name("schedule", name, known));
}

// Step s of the serial plan is the pair of step s / size with s modulo size as its lower rank. Without such a
// pair, the step is idle.
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

Plan filled(const Plan& plan, int size, std::uint64_t key, int most) {
  struct Step {
    std::int64_t number = -1;
    std::vector<int> partner_of;
  };
  const auto make = [partner = plan.partner, size, key, most](std::int64_t number) {
    Step step{number, std::vector<int>(static_cast<std::size_t>(size), no_rank)};
    std::vector<int> idle;
    for (int rank = 0; rank < size; ++rank) {
      const int peer = partner(number, rank);
      step.partner_of[static_cast<std::size_t>(rank)] = peer;
      if (peer == no_rank) idle.push_back(rank);
    }
    const auto count = static_cast<std::int64_t>(idle.size());
    const Shuffle place(count, mix(key, static_cast<std::uint64_t>(number)) | 1);
    const std::int64_t wanted = std::int64_t{2} * most - (size - count);  // ranks
    for (std::int64_t i = 0; i + 1 < count && i < wanted; i += 2) {
      const int a = idle[static_cast<std::size_t>(place(i))],
                b = idle[static_cast<std::size_t>(place(i + 1))];
      step.partner_of[static_cast<std::size_t>(a)] = b;
      step.partner_of[static_cast<std::size_t>(b)] = a;
    }
    return step;
  };
  return {plan.steps,
          plan.steps * most,
          [make, last = std::make_shared<Step>()](std::int64_t step, int rank) {
            if (last->number != step) *last = make(step);
            return last->partner_of[static_cast<std::size_t>(rank)];
          },
          {}};
}

}  // namespace everylink
