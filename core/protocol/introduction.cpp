// The first word, and the plan that every rank makes of it.
#include "protocol/introduction.hpp"

#include "base/pack.hpp"

namespace everylink {
Blob Introduction::packed() const {
  return Packer()
      .add(run)
      .add(host_of)
      .add(crowded)
      .add(one_machine)
      .add(seed)
      .add(schedule_option)
      .add(first.packed())
      .take();
}

Introduction Introduction::unpacked(View bytes) {
  Unpacker in(bytes);
  Introduction introduction;
  introduction.run = in.get<RunId>();
  introduction.host_of = in.list<std::int32_t>();
  introduction.crowded = in.list<char>();
  introduction.one_machine = in.get<bool>();
  introduction.seed = in.get<std::uint64_t>();
  introduction.schedule_option = in.any_text();
  introduction.first = Order::unpacked(in.list<std::byte>());
  in.end();
  Unpacker::must(introduction.crowded.size() == introduction.host_of.size());
  return introduction;
}

Plan pairs_of(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  return schedule_named(o.confirms() ? "file" : o.schedule)
      .make({static_cast<int>(all.host_of.size()), all.seed, o.confirms() ? 0 : relabelling, all.host_of,
             all.schedule_option, o.pairs_option()});
}

Plan plan_for(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  const Plan pairs = pairs_of(o, all, relabelling);
  const auto size = static_cast<int>(all.host_of.size());
  if (o.serial) return serial(pairs, size);
  return o.confirms() ? filled(pairs, size, relabelling) : pairs;
}

}  // namespace everylink
