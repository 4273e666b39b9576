// --schedule with what follows its colon.
#include <stdexcept>

#include "base/ranks.hpp"
#include "fuzz.hpp"
#include "schedule/schedule.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(schedules) {
  fuzz::Pieces in(bytes);
  const auto all = schedules();
  const auto& schedule = all[in.byte() % all.size()];
  const int size = 2 + in.byte() % 31, ranks_per_host = 1 + in.byte() % 4;
  std::vector<int> host_of;
  for (int rank = 0; rank < size; ++rank) host_of.push_back(rank / ranks_per_host);
  const std::uint64_t order = in.byte();
  const Plan plan = schedule.make({size, 1, order, host_of, fuzz::text_of(in.rest()), "--schedule"});
  for (std::int64_t step = 0; step < plan.steps; ++step)
    for (int rank = 0; rank < size; ++rank)
      if (const int peer = plan.partner(step, rank);
          peer != no_rank && (peer == rank || plan.partner(step, peer) != rank))
        throw std::logic_error("only one end of a pair knows it");
}
