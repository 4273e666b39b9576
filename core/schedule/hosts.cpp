// Only pairs on different hosts: all of them, or those of equal local rank (one rail at a time).
#include <algorithm>

#include "random.hpp"
#include "schedule/circle.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

// Who sits where: ranks by host and local rank, and back.
struct Seats {
  explicit Seats(const std::vector<int>& hosts) : host_of(hosts), local_of(hosts.size()) {
    for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
      const auto host = static_cast<std::size_t>(host_of[rank]);
      if (host >= ranks_of.size()) ranks_of.resize(host + 1);
      local_of[rank] = static_cast<int>(ranks_of[host].size());
      ranks_of[host].push_back(static_cast<int>(rank));
    }
    for (const auto& ranks : ranks_of) most = std::max(most, static_cast<int>(ranks.size()));
  }
  int rank_at(std::size_t host, int local) const {
    return local < static_cast<int>(ranks_of[host].size()) ? ranks_of[host][static_cast<std::size_t>(local)]
                                                           : no_rank;
  }
  std::vector<int> host_of, local_of;
  std::vector<std::vector<int>> ranks_of;
  int most = 0;  // ranks on the fullest host
};

// Hosts meet by the circle method; while two hosts meet, the local ranks of one shift past those of the
// other, `shifts` of them. Places that a smaller host lacks idle.
Plan meet_by_hosts(const Population& people, bool all_shifts) {
  const Seats seats(people.host_of);
  const auto hosts = static_cast<std::int64_t>(seats.ranks_of.size());
  const int shifts = all_shifts ? seats.most : 1;
  std::int64_t pairs = 0;
  for (int a = 0; a < people.size; ++a)
    if (all_shifts)
      pairs +=
          people.size -
          static_cast<int>(
              seats.ranks_of[static_cast<std::size_t>(people.host_of[static_cast<std::size_t>(a)])].size());
  if (all_shifts) pairs /= 2;
  for (int local = 0; !all_shifts && local < seats.most; ++local) {
    const auto there = std::count_if(seats.ranks_of.begin(), seats.ranks_of.end(), [&](const auto& ranks) {
      return static_cast<int>(ranks.size()) > local;
    });
    pairs += there * (there - 1) / 2;
  }
  return {circle_steps(hosts) * shifts,
          pairs,
          [seats, hosts, shifts, label = Shuffle(hosts, people.order)](std::int64_t step, int rank) {
            const int host = seats.host_of[static_cast<std::size_t>(rank)],
                      local = seats.local_of[static_cast<std::size_t>(rank)];
            const int met = circle_partner(hosts, step / shifts, label(host));
            if (met == no_rank) return no_rank;
            const auto other = label.inverse(met);
            const int shift = static_cast<int>(step % shifts), places = seats.most;
            const int there = host < other ? (local + shift) % places : (local - shift + places) % places;
            return seats.rank_at(static_cast<std::size_t>(other), there);
          },
          {}};
}

}  // namespace

extern const ScheduleEntry schedule_inter_host{
    "inter-host", "every pair of ranks on different hosts", "",
    [](const Population& people) { return meet_by_hosts(people, true); }};
extern const ScheduleEntry schedule_rail{
    "rail", "equal local ranks of different hosts", "",
    [](const Population& people) { return meet_by_hosts(people, false); }};

}  // namespace everylink
