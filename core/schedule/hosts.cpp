// inter-host and rail: only pairs on different hosts, either all of them or only those of equal local rank
// (one rail at a time).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "base/ranks.hpp"
#include "schedule/circle.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

// Hosts meet by the circle method. While two hosts meet, the local ranks of one shift past those of the
// other, `shifts` times. A rank without a counterpart on a smaller host idles.
class Meetings {
 public:
  Meetings(const Population& population, bool all_shifts)
      : host_of_(population.host_of), local_of_(population.host_of.size()) {
    for (std::size_t rank = 0; rank < host_of_.size(); ++rank) {
      const auto host = static_cast<std::size_t>(host_of_[rank]);
      if (host >= ranks_of_.size()) ranks_of_.resize(host + 1);
      local_of_[rank] = static_cast<int>(ranks_of_[host].size());
      ranks_of_[host].push_back(static_cast<int>(rank));
    }
    for (const auto& ranks : ranks_of_) places_ = std::max(places_, ranks.size());
    shifts_ = all_shifts ? static_cast<std::int64_t>(places_) : 1;
    label_ = Shuffle(hosts(), population.order);
    turn_ = Shuffle(steps(), population.order);
  }
  std::int64_t hosts() const { return static_cast<std::int64_t>(ranks_of_.size()); }
  std::int64_t steps() const { return circle_steps(hosts()) * shifts_; }
  bool uneven() const {
    return std::any_of(ranks_of_.begin(), ranks_of_.end(),
                       [&](const auto& ranks) { return ranks.size() < places_; });
  }

  int partner(std::int64_t turn, int rank) const {
    const std::int64_t step = turn_(turn);  // two hosts: the order of their shifts is the only one
    const int host = host_of_[static_cast<std::size_t>(rank)];
    const int met = circle_partner(hosts(), step / shifts_, label_(host));
    if (met == no_rank) return no_rank;
    const auto other = label_.inverse(met);
    const auto places = static_cast<std::int64_t>(places_);
    const auto shift = host < other ? step % shifts_ : places - step % shifts_;
    return rank_at(other, (local_of_[static_cast<std::size_t>(rank)] + shift) % places);
  }
  bool idle(std::int64_t step) const {
    for (int rank = 0; rank < static_cast<int>(host_of_.size()); ++rank)
      if (partner(step, rank) != no_rank) return false;
    return true;
  }
  // With all shifts, every pair on different hosts; otherwise those of equal local rank.
  std::int64_t pairs() const {
    std::int64_t same = 0, equal = 0;
    for (const auto& ranks : ranks_of_) same += count_pairs(ranks.size());
    for (std::size_t place = 0; place < places_; ++place)
      equal += count_pairs(static_cast<std::size_t>(std::count_if(
          ranks_of_.begin(), ranks_of_.end(), [&](const auto& ranks) { return ranks.size() > place; })));
    return shifts_ == 1 && places_ > 1 ? equal : count_pairs(host_of_.size()) - same;
  }

 private:
  static std::int64_t count_pairs(std::size_t n) {
    return static_cast<std::int64_t>(n) * (static_cast<std::int64_t>(n) - 1) / 2;
  }
  int rank_at(std::int64_t host, std::int64_t place) const {
    const auto& ranks = ranks_of_[static_cast<std::size_t>(host)];
    return place < static_cast<std::int64_t>(ranks.size()) ? ranks[static_cast<std::size_t>(place)] : no_rank;
  }
  std::vector<int> host_of_, local_of_;
  std::vector<std::vector<int>> ranks_of_;
  std::size_t places_ = 0;  // ranks on the fullest host
  std::int64_t shifts_ = 1;
  Shuffle label_{1, 0}, turn_{1, 0};
};

Plan meet_by_hosts(const Population& population, bool all_shifts) {
  const auto meetings = std::make_shared<const Meetings>(population, all_shifts);
  Plan plan{meetings->steps(),
            meetings->pairs(),
            [meetings](std::int64_t step, int rank) { return meetings->partner(step, rank); },
            {}};
  if (meetings->uneven()) plan.idle = [meetings](std::int64_t step) { return meetings->idle(step); };
  return plan;
}

}  // namespace

extern const ScheduleEntry schedule_inter_host{
    "inter-host", "every pair of ranks on different hosts", "",
    [](const Population& population) { return meet_by_hosts(population, true); }};
extern const ScheduleEntry schedule_rail{
    "rail", "equal local ranks of different hosts", "",
    [](const Population& population) { return meet_by_hosts(population, false); }};

}  // namespace everylink
