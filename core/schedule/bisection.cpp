// bisection: the lower half of the ranks against the upper half. A relabelling stays within the halves.
#include <cstdint>

#include "base/random.hpp"
#include "base/ranks.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

Plan make_bisection(const Population& population) {
  // If the number of ranks is odd, one upper rank idles in each step.
  const std::int64_t low = population.size / 2, high = population.size - low;
  return {high,
          low * high,
          [low, high, below = Shuffle(low, population.order), above = Shuffle(high, population.order)](
              std::int64_t step, int rank) {
            if (rank < low) return static_cast<int>(low + above.inverse((below(rank) + step) % high));
            const std::int64_t label = (above(rank - low) - step + high) % high;
            return label < low ? static_cast<int>(below.inverse(label)) : no_rank;
          },
          {}};
}

}  // namespace

extern const ScheduleEntry schedule_bisection{"bisection", "lower half of the ranks against upper half", "",
                                              make_bisection};

}  // namespace everylink
