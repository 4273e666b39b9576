// What an order means for a pair.
#include "protocol/order.hpp"

#include <algorithm>
#include <limits>

namespace everylink {
namespace {

constexpr Seconds least = 2, least_of_suspects = 0.2;

const RankCare* care_for(const Measure& order, Reach reach, int rank) {
  for (const auto& care : order.care)
    if (care.rank == rank && care.reach == reach) return &care;
  return nullptr;
}

}  // namespace

Measure Measure::only(std::size_t i) const {
  Measure one = *this;
  one.steps = {steps[i]};
  return one;
}

bool Connect::leaves_out(int a, int b) const {
  const auto is_dark = [&](int rank) { return std::find(dark.begin(), dark.end(), rank) != dark.end(); };
  if (is_dark(a) || is_dark(b)) return true;
  for (std::size_t i = 0; i + 1 < severed.size(); i += 2)
    if (std::minmax(severed[i], severed[i + 1]) == std::minmax(a, b)) return true;
  return false;
}

bool is_tried(const Measure& order, Reach reach, int a, int b) {
  for (const int rank : {a, b})
    if (const RankCare* care = care_for(order, reach, rank); care && care->dark) return false;
  return true;
}

Seconds longest_budget(const Measure& order, Reach reach) {
  const Seconds usual = order.timeouts[index(reach)];
  return usual > 0 ? std::max(least, usual) : std::numeric_limits<Seconds>::infinity();
}

Seconds budget_of(const Measure& order, Reach reach, int a, int b) {
  const Seconds usual = order.timeouts[index(reach)], longest = longest_budget(order, reach);
  if (!(usual > 0)) return longest;
  for (const int rank : {a, b})
    if (const RankCare* care = care_for(order, reach, rank); care && care->suspect)
      return std::max(least_of_suspects, usual);
  return longest;
}

std::uint32_t messages_of(const Measure& order, Reach reach, int a, int b) {
  std::uint32_t fewest = 0;
  for (const int rank : {a, b})
    if (const RankCare* care = care_for(order, reach, rank); care && care->messages > 0)
      fewest = fewest ? std::min(fewest, care->messages) : care->messages;
  return fewest;
}

int partner_in(const Step& step, const Plan& plan, int rank) {
  if (step.first == no_rank) return plan.partner(step.schedule_step, rank);
  return rank == step.first ? step.second : rank == step.second ? step.first : no_rank;
}

std::int32_t step_number(const Step& step, bool serial, int ranks) {
  return static_cast<std::int32_t>(1 + step.schedule_step / (serial ? ranks : 1));
}

}  // namespace everylink
