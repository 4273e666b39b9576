// all and sample: every pair, and random matchings.
#include <fmt/format.h>

#include <cstdint>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "schedule/circle.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

int relabelled(const Shuffle& label, int size, std::int64_t step, int rank) {
  const int peer = circle_partner(size, step, label(rank));
  return peer == no_rank ? no_rank : static_cast<int>(label.inverse(peer));
}

Plan make_all(const Population& population) {
  const std::int64_t n = population.size;
  return {circle_steps(n),
          n * (n - 1) / 2,
          [size = population.size, label = Shuffle(n, population.order)](std::int64_t step, int rank) {
            return relabelled(label, size, step, rank);
          },
          {}};
}

// Distinct steps of a randomly relabelled tournament: each is a uniformly random matching, and no pair occurs
// twice.
Plan make_sample(const Population& population) {
  const std::int64_t n = population.size, steps = circle_steps(n);
  const long long matchings = parse_integer(population.option, "--schedule sample:K");
  if (matchings < 1 || matchings > steps)
    throw UsageError(
        fmt::format("--schedule sample:{}: with {} ranks K must be 1 to {}", population.option, n, steps));
  const std::uint64_t key = mix(population.seed, population.order) | 1;
  return {matchings,
          matchings * (n / 2),
          [size = population.size, label = Shuffle(n, key), chosen = Shuffle(steps, mix(key) | 1)](
              std::int64_t step, int rank) { return relabelled(label, size, chosen(step), rank); },
          {}};
}

}  // namespace

extern const ScheduleEntry schedule_all{"all", "every pair", "", make_all};
extern const ScheduleEntry schedule_sample{"sample", "K random perfect matchings, no pair twice", "K",
                                           make_sample};

}  // namespace everylink
