// The user's file of pairs.
#include <stdexcept>

#include "base/ranks.hpp"
#include "fuzz.hpp"
#include "schedule/schedule.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(pairs) {
  fuzz::Pieces in(bytes);
  const int size = 2 + in.byte() % 16;
  const std::uint64_t order = in.byte();
  Population people{size,
                    1,
                    order,
                    std::vector<int>(static_cast<std::size_t>(size)),
                    fuzz::text_of(in.rest()),
                    "--confirm PAIRS"};
  const Plan plan = schedule_named("file").make(people);
  for (std::int64_t step = 0; step < plan.steps; ++step)
    for (int rank = 0; rank < size; ++rank)
      if (const int peer = plan.partner(step, rank); peer != no_rank && plan.partner(step, peer) != rank)
        throw std::logic_error("only one end of a pair knows it");
}
