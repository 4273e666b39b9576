// The plan that every rank makes of the introduction.
#include "protocol/introduction.hpp"

namespace everylink {
Plan pairs_of(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  return schedule_named(o.confirms() ? "file" : o.schedule)
      .make({static_cast<int>(all.host_of.size()), all.seed, o.confirms() ? 0 : relabelling, all.host_of,
             all.schedule_option.text, o.pairs_option()});
}

Plan plan_for(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  const Plan pairs = pairs_of(o, all, relabelling);
  const auto size = static_cast<int>(all.host_of.size());
  if (o.serial) return serial(pairs, size);
  return o.confirms() ? filled(pairs, size, relabelling) : pairs;
}

}  // namespace everylink
