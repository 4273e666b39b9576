// screen: random matchings in which nobody is idle, spread evenly over the pairs of groups.
//
// Groups meet as players of a tournament by the circle method, with as many rounds at the same time as a
// group has ranks: in each step every rank of a group meets another group, and from step to step the rounds
// go on where they stopped. So after any number of steps each two groups, and so each way between them, have
// met equally often, up to one round. Which ranks of two groups meet is drawn anew in each step.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "schedule/circle.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

// Ranks behind one switch where switches are known, else those of one host; in a run on one host each rank.
std::vector<int> groups_of(const Population& population) {
  const auto& by_host = population.switch_of;
  std::vector<int> groups = population.host_of;
  if (!by_host.empty())
    for (auto& group : groups) group = by_host[static_cast<std::size_t>(group)];
  if (std::all_of(groups.begin(), groups.end(), [&](int group) { return group == groups.front(); }))
    std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

class Tournament {
 public:
  explicit Tournament(const Population& population)
      : group_of_(groups_of(population)),
        key_(mix(population.seed, population.order) | 1),
        meets_itself_(!population.switch_of.empty()) {
    members_.resize(static_cast<std::size_t>(*std::max_element(group_of_.begin(), group_of_.end())) + 1);
    for (std::size_t rank = 0; rank < group_of_.size(); ++rank)
      members_[static_cast<std::size_t>(group_of_[rank])].push_back(static_cast<int>(rank));
    std::erase_if(members_, [](const auto& ranks) { return ranks.empty(); });
    const auto groups = static_cast<std::int64_t>(members_.size());
    for (std::int64_t i = 0; i < groups; ++i)
      players_.push_back(static_cast<std::size_t>(Shuffle(groups, key_)(i)));
    std::stable_sort(players_.begin(), players_.end(), [this](std::size_t a, std::size_t b) {
      return members_[a].size() > members_[b].size();
    });
    meets_itself_ = meets_itself_ && members_[players_.front()].size() > 1;
  }

  // The partner of each rank in a step.
  std::vector<int> partners(std::int64_t step) const {
    std::vector<int> partner_of(group_of_.size(), no_rank);
    const auto meet = [&](int a, int b) {
      partner_of[static_cast<std::size_t>(a)] = b;
      partner_of[static_cast<std::size_t>(b)] = a;
    };
    const auto drawn = drawn_for(step);
    const auto most = static_cast<std::int64_t>(drawn.front().size());
    // Where groups meet themselves, two ranks of each take part in every round, and meet each other in that
    // one.
    const std::int64_t together = meets_itself_ ? 2 : 1, rounds = (most + together - 1) / together;
    std::vector<int> left;
    for (std::int64_t place = 0; place < most; ++place) {
      std::int64_t present = 0;
      while (present < static_cast<std::int64_t>(drawn.size()) &&
             static_cast<std::int64_t>(drawn[static_cast<std::size_t>(present)].size()) > place)
        ++present;
      const std::int64_t players =
          meets_itself_ ? present | 1 : present;  // an odd number: one of them has no partner
      const std::int64_t all = circle_steps(players);
      const std::int64_t round = all == 0 ? 0 : Shuffle(all, key_)((place / together + rounds * step) % all);
      const auto at = [&](std::int64_t player) {
        return drawn[static_cast<std::size_t>(player)][static_cast<std::size_t>(place)];
      };
      for (std::int64_t player = 0; player < present; ++player) {
        const std::int64_t met = all == 0 ? no_rank : circle_partner(players, round, player);
        if (met == no_rank || met >= present)
          left.push_back(at(player));
        else if (player < met)
          meet(at(player), at(met));
      }
    }
    std::stable_sort(left.begin(), left.end(), [this](int a, int b) { return group(a) < group(b); });
    const std::size_t half = left.size() / 2, apart = meets_itself_ ? 1 : half;
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t first = meets_itself_ ? 2 * i : i;
      meet(left[first], left[first + apart]);
    }
    return partner_of;
  }

 private:
  int group(int rank) const { return group_of_[static_cast<std::size_t>(rank)]; }

  // The ranks of each group in the order of a step; the largest groups come first.
  std::vector<std::vector<int>> drawn_for(std::int64_t step) const {
    std::vector<std::vector<int>> drawn;
    for (const auto player : players_) {
      const auto& ranks = members_[player];
      const Shuffle place(static_cast<std::int64_t>(ranks.size()),
                          mix(mix(key_, static_cast<std::uint64_t>(step)), player) | 1);
      auto& own = drawn.emplace_back(ranks.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        own[i] = ranks[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))];
    }
    return drawn;
  }

  std::vector<int> group_of_;
  std::uint64_t key_;
  bool meets_itself_;                      // also ranks behind one switch meet
  std::vector<std::vector<int>> members_;  // the ranks of each group
  std::vector<std::size_t> players_;       // groups, the largest first
};

Plan make_screen(const Population& population) {
  const long long asked = parse_integer(population.option, "--schedule screen:K");
  if (asked < 1)
    throw UsageError(fmt::format("--schedule screen:{}: K must be 1 or more", population.option));
  const std::int64_t steps = std::min<std::int64_t>(asked, circle_steps(population.size));
  struct Step {
    std::int64_t number = -1;
    std::vector<int> partner_of;
  };
  return {steps,
          steps * (population.size / 2),
          [tournament = std::make_shared<const Tournament>(population), last = std::make_shared<Step>()](
              std::int64_t step, int rank) {
            if (last->number != step) *last = {step, tournament->partners(step)};
            return last->partner_of[static_cast<std::size_t>(rank)];
          },
          {}};
}

}  // namespace

extern const ScheduleEntry schedule_screen{
    .name = "screen",
    .summary = "up to K random matchings, spread evenly over hosts and switches",
    .option = "K",
    .make = make_screen,
    .by_itself = "18"};

}  // namespace everylink
