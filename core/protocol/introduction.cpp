// The plan that every rank makes from the introduction.
#include "protocol/introduction.hpp"

namespace everylink {

FollowUp follow_up_of(const Options& o, const Introduction& all) {
  return follow_up_of(all.schedule_option.text, {o.pairs_option(), static_cast<int>(all.host_of.size())});
}

Plan plan_for(const Options& o, const Introduction& all, Attempt attempt, std::uint64_t relabelling) {
  const auto size = static_cast<int>(all.host_of.size());
  if (o.confirms()) {
    const auto again = follow_up_of(o, all);
    return o.serial ? serial_plan_of(again, attempt, size, relabelling)
                    : plan_of(again, attempt, size, relabelling);
  }
  const Plan plan = schedule_named(o.schedule)
                        .make({.size = size,
                               .seed = all.seed,
                               .order = relabelling,
                               .host_of = all.host_of,
                               .option = all.schedule_option.text,
                               .asked_by = o.pairs_option(),
                               .switch_of = all.switch_of});
  return o.serial ? serial(plan, size) : plan;
}

}  // namespace everylink
