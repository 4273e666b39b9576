// The plan that every rank makes from the introduction.
#include "protocol/introduction.hpp"

namespace everylink {
Plan pairs_of(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  return schedule_named(o.confirms() ? "file" : o.schedule)
      .make({.size = static_cast<int>(all.host_of.size()),
             .seed = all.seed,
             .order = o.confirms() ? 0 : relabelling,
             .host_of = all.host_of,
             .option = all.schedule_option.text,
             .asked_by = o.pairs_option()});
}

Plan plan_for(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  const Plan pairs = pairs_of(o, all, relabelling);
  const auto size = static_cast<int>(all.host_of.size());
  if (o.serial) return serial(pairs, size);
  return o.confirms() ? filled(pairs, size, relabelling) : pairs;
}

}  // namespace everylink
