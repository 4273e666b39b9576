// The plan of --confirm.
#include <stdexcept>

#include "base/ranks.hpp"
#include "fuzz.hpp"
#include "schedule/follow_up.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(plans) {
  fuzz::Pieces in(bytes);
  const int size = 2 + in.byte() % 16;
  const std::uint64_t key = in.byte();
  const auto follow_up = follow_up_of(fuzz::text_of(in.rest()), {"--confirm PLAN", size});
  for (const auto& phase : phases) {
    const Plan plan = plan_of(follow_up, phase.attempt, size, key);
    for (std::int64_t step = 0; step < plan.steps; ++step)
      for (int rank = 0; rank < size; ++rank)
        if (const int peer = plan.partner(step, rank); peer != no_rank && plan.partner(step, peer) != rank)
          throw std::logic_error("only one end of a pair knows it");
  }
}
