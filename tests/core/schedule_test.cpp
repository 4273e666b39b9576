// Every schedule as a set of pairs: which ranks meet, how often, and whether the plan's numbers match a
// count.
#include "schedule/schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/ranks.hpp"
#include "schedule/follow_up.hpp"

namespace everylink {
namespace {

using Pair = std::pair<int, int>;
using Pairs = std::vector<Pair>;  // lower rank first

constexpr std::uint64_t orders[] = {0, 1, 2, 12345678901234567890u};

Population population(int size, std::uint64_t order = 0, std::string option = "",
                      std::vector<int> host_of = {}) {
  host_of.resize(static_cast<std::size_t>(size));
  return {.size = size,
          .seed = 7,
          .order = order,
          .host_of = std::move(host_of),
          .option = std::move(option),
          .asked_by = "--confirm mine"};
}

Plan plan_of(std::string_view name, const Population& p) { return schedule_named(name).make(p); }

// The pairs of one step, which must be disjoint.
Pairs pairs_in(const Plan& plan, int size, std::int64_t step) {
  Pairs pairs;
  for (int rank = 0; rank < size; ++rank) {
    const int peer = plan.partner(step, rank);
    if (peer == no_rank) continue;
    if (peer < 0 || peer >= size || peer == rank || plan.partner(step, peer) != rank) {
      ADD_FAILURE() << "step " << step << ": " << rank << " meets " << peer << ", which meets "
                    << (peer >= 0 && peer < size ? plan.partner(step, peer) : -2);
      continue;
    }
    if (rank < peer) pairs.emplace_back(rank, peer);
  }
  EXPECT_EQ(plan.is_idle(step), pairs.empty()) << "step " << step;
  return pairs;
}

Pairs in_order(const Plan& plan, int size) {
  Pairs all;
  for (std::int64_t step = 0; step < plan.steps; ++step)
    for (const auto& pair : pairs_in(plan, size, step)) all.push_back(pair);
  EXPECT_EQ(plan.pairs, static_cast<std::int64_t>(all.size()));
  return all;
}

Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <class Keep>
Pairs pairs_that(int size, Keep keep) {
  Pairs pairs;
  for (int a = 0; a < size; ++a)
    for (int b = a + 1; b < size; ++b)
      if (keep(a, b)) pairs.emplace_back(a, b);
  return pairs;
}

// Expects equal multisets: each pair exactly once, and no other.
template <class Keep>
void expect_exactly(std::string_view name, const Population& p, Keep keep) {
  EXPECT_EQ(sorted(in_order(plan_of(name, p), p.size)), pairs_that(p.size, keep))
      << name << ", " << p.size << " ranks, order " << p.order;
}

TEST(Schedule, all_has_every_pair_once_in_the_fewest_steps) {
  for (int n = 2; n <= 41; ++n)
    for (const auto order : orders) {
      expect_exactly("all", population(n, order), [](int, int) { return true; });
      EXPECT_EQ(plan_of("all", population(n, order)).steps, n % 2 ? n : n - 1);
    }
}

TEST(Schedule, bisection_has_every_pair_of_a_lower_and_an_upper_rank_once) {
  for (int n = 2; n <= 41; ++n)
    for (const auto order : orders) {
      expect_exactly("bisection", population(n, order),
                     [n](int a, int b) { return a < n / 2 && b >= n / 2; });
      EXPECT_EQ(plan_of("bisection", population(n, order)).steps, n - n / 2);
    }
}

// Hosts of 1, 2, 3, 1, 2, 3, ... ranks; of equal size; ranks assigned to hosts in turn; one full host and
// two with a single rank.
const std::vector<std::vector<int>> layouts{{0, 1},
                                            {0, 1, 2},
                                            {0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5},
                                            {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4},
                                            {0, 1, 2, 3, 0, 1, 2, 3, 0},
                                            {0, 0, 0, 0, 1, 2}};

int local_rank(const std::vector<int>& hosts, int rank) {
  return static_cast<int>(
      std::count(hosts.begin(), hosts.begin() + rank, hosts[static_cast<std::size_t>(rank)]));
}

TEST(Schedule, inter_host_has_every_pair_on_different_hosts_once) {
  for (const auto& hosts : layouts)
    for (const auto order : orders)
      expect_exactly("inter-host", population(static_cast<int>(hosts.size()), order, "", hosts),
                     [&](int a, int b) {
                       return hosts[static_cast<std::size_t>(a)] != hosts[static_cast<std::size_t>(b)];
                     });
}

TEST(Schedule, rail_has_every_pair_of_equal_local_rank_on_different_hosts_once) {
  for (const auto& hosts : layouts)
    for (const auto order : orders)
      expect_exactly("rail", population(static_cast<int>(hosts.size()), order, "", hosts), [&](int a, int b) {
        return hosts[static_cast<std::size_t>(a)] != hosts[static_cast<std::size_t>(b)] &&
               local_rank(hosts, a) == local_rank(hosts, b);
      });
}

TEST(Schedule, a_single_host_has_no_pairs_between_hosts) {
  for (const char* name : {"inter-host", "rail"})
    EXPECT_TRUE(in_order(plan_of(name, population(4)), 4).empty()) << name;
}

TEST(Schedule, sample_has_k_perfect_matchings_and_no_pair_twice) {
  for (int n = 2; n <= 30; ++n)
    for (const auto order : orders)
      for (const int k : {1, n / 2, n - 1}) {
        const Plan plan = plan_of("sample", population(n, order, std::to_string(k)));
        ASSERT_EQ(plan.steps, k);
        for (int step = 0; step < k; ++step)
          EXPECT_EQ(pairs_in(plan, n, step).size(), static_cast<std::size_t>(n / 2));
        const Pairs all = sorted(in_order(plan, n));
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << n << " ranks, K " << k;
      }
}

TEST(Schedule, sample_depends_only_on_seed_and_order) {
  auto drawn = population(24, 0, "3");
  const Pairs first = in_order(plan_of("sample", drawn), 24);
  EXPECT_EQ(in_order(plan_of("sample", drawn), 24), first);
  EXPECT_NE(in_order(plan_of("sample", population(24, 1, "3")), 24), first);
  drawn.seed = 8;
  EXPECT_NE(in_order(plan_of("sample", drawn), 24), first);
}

TEST(Schedule, sample_of_too_few_or_too_many_matchings_is_refused) {
  for (const char* k : {"0", "-1", "8", "100", "x", "2.5"})
    EXPECT_THROW(plan_of("sample", population(8, 0, k)), UsageError) << k;
  EXPECT_NO_THROW(plan_of("sample", population(8, 0, "7")));
}

Population screened(int k, std::vector<int> host_of, std::vector<int> switch_of = {}) {
  const auto size = static_cast<int>(host_of.size());
  auto all = population(size, 0, std::to_string(k), std::move(host_of));
  all.switch_of = std::move(switch_of);
  return all;
}

// So many hosts, each with `each` ranks.
std::vector<int> hosts_of_ranks(int hosts, int each) {
  std::vector<int> host_of;
  for (int rank = 0; rank < hosts * each; ++rank) host_of.push_back(rank / each);
  return host_of;
}

TEST(Schedule, screen_leaves_at_most_one_rank_idle_in_each_step) {
  for (const auto& hosts : layouts)
    for (const bool behind_switches : {false, true}) {
      std::vector<int> switch_of;
      for (int host = 0; behind_switches && host <= *std::max_element(hosts.begin(), hosts.end()); ++host)
        switch_of.push_back(host / 2);
      const auto size = static_cast<int>(hosts.size());
      const Plan plan = plan_of("screen", screened(size, hosts, switch_of));
      for (std::int64_t step = 0; step < plan.steps; ++step)
        EXPECT_EQ(pairs_in(plan, size, step).size(), hosts.size() / 2);
    }
}

TEST(Schedule, screen_has_no_pair_twice_where_each_host_has_one_rank) {
  for (int n = 2; n <= 30; ++n) {
    const Plan plan = plan_of("screen", screened(n, hosts_of_ranks(n, 1)));
    EXPECT_EQ(plan.steps, n % 2 ? n : n - 1) << "more steps than there are partners are cut";
    const Pairs all = sorted(in_order(plan, n));
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << n;
  }
}

TEST(Schedule, screen_pairs_no_ranks_of_one_host) {
  for (const int hosts : {2, 3, 8, 9}) {
    const Plan plan = plan_of("screen", screened(20, hosts_of_ranks(hosts, 4)));
    for (const auto& [a, b] : in_order(plan, 4 * hosts)) EXPECT_NE(a / 4, b / 4) << hosts;
  }
}

TEST(Schedule, after_any_step_of_screen_all_ways_between_switches_were_taken_equally_often) {
  for (const int switches : {2, 3, 5, 8})
    for (const int each : {2, 6, 7, 16}) {
      const int hosts = switches * each;
      std::vector<int> switch_of;
      for (int host = 0; host < hosts; ++host) switch_of.push_back(host % switches);
      const Plan plan = plan_of("screen", screened(12, hosts_of_ranks(hosts, 1), switch_of));
      std::map<Pair, int> met;
      for (std::int64_t step = 0; step < plan.steps; ++step) {
        for (const auto& [a, b] : pairs_in(plan, hosts, step)) ++met[std::minmax(a % switches, b % switches)];
        int least = 1 << 20, most = 0;
        for (int a = 0; a < switches; ++a)
          for (int b = a + 1; b < switches; ++b) {
            least = std::min(least, met[{a, b}]);
            most = std::max(most, met[{a, b}]);
          }
        // Two of each take part in a round; of an odd number, the last one is alone in its round.
        const int steps = static_cast<int>(step) + 1;
        EXPECT_LE(most - least, 2 + each % 2 * steps) << switches << " x " << each << ", step " << step;
      }
      EXPECT_GT((met[{0, 0}]), 0) << "also behind one switch";
    }
}

TEST(Schedule, fewer_steps_of_screen_are_the_first_of_more) {
  const auto hosts = hosts_of_ranks(24, 1);
  std::vector<int> switch_of;
  for (int host = 0; host < 24; ++host) switch_of.push_back(host / 6);
  const Plan few = plan_of("screen", screened(3, hosts, switch_of)),
             more = plan_of("screen", screened(9, hosts, switch_of));
  ASSERT_EQ(few.steps, 3);
  for (int step = 0; step < 3; ++step) EXPECT_EQ(pairs_in(few, 24, step), pairs_in(more, 24, step));
  EXPECT_NE(pairs_in(more, 24, 0), pairs_in(more, 24, 1));
}

TEST(Schedule, screen_of_no_steps_is_refused) {
  for (const char* k : {"0", "-1", "x", "2.5"})
    EXPECT_THROW(plan_of("screen", population(8, 0, k)), UsageError) << k;
}

TEST(Schedule, relabelling_keeps_the_pairs_and_changes_their_order) {
  const std::vector<int> hosts{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  const std::string listed = "0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n",
                    by_step = "0 0 1\n1 2 3\n2 4 5\n3 0 2\n4 6 7\n5 8 9\n";
  for (const auto& [name, option] : std::vector<std::pair<std::string, std::string>>{{"all", ""},
                                                                                     {"bisection", ""},
                                                                                     {"inter-host", ""},
                                                                                     {"rail", ""},
                                                                                     {"file", listed},
                                                                                     {"file", by_step}}) {
    const Pairs natural = in_order(plan_of(name, population(12, 0, option, hosts)), 12);
    int others = 0;
    for (std::uint64_t order = 1; order <= 5; ++order) {
      const Pairs relabelled = in_order(plan_of(name, population(12, order, option, hosts)), 12);
      EXPECT_EQ(sorted(relabelled), sorted(natural)) << name;
      others += relabelled != natural;
    }
    EXPECT_GE(others, 4) << name << ": one in five may be the natural order by chance";
  }
}

TEST(Schedule, a_file_is_packed_greedily) {
  const Plan plan =
      plan_of("file", population(6, 0, "# the ring\n0 1\n\n  2\t3   # and a remark\r\n1 2\n4 5\n3 0\n"));
  EXPECT_EQ(plan.steps, 2);
  EXPECT_EQ(pairs_in(plan, 6, 0), (Pairs{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(pairs_in(plan, 6, 1), (Pairs{{0, 3}, {1, 2}}));
  EXPECT_EQ(plan.pairs, 5);
}

TEST(Schedule, a_pair_listed_in_both_directions_is_measured_once) {
  EXPECT_EQ(in_order(plan_of("file", population(3, 0, "0 1\n1 0\n0 1\n")), 3), (Pairs{{0, 1}}));
  EXPECT_EQ(in_order(plan_of("file", population(3, 0, "4 0 1\n4 1 0")), 3), (Pairs{{0, 1}}));
}

TEST(Schedule, a_file_may_define_the_steps) {
  const Plan plan = plan_of("file", population(4, 0, "9 0 1\n2 1 3\n2 0 2\n9 2 3\n"));
  ASSERT_EQ(plan.steps, 2);
  EXPECT_EQ(pairs_in(plan, 4, 0), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(pairs_in(plan, 4, 1), (Pairs{{0, 1}, {2, 3}}));
}

TEST(Schedule, an_invalid_line_of_a_file_is_refused_with_its_number) {
  const std::pair<std::string, std::string> wrong[] = {
      {"0 1\n2\n", "line 2"},     {"0 1 2 3\n", "line 1"},      {"0 1\n\n# x\n0 4\n", "line 4"},
      {"0 -1\n", "line 1"},       {"0 1\n1 x\n", "line 2"},     {"0 1\n2 2\n", "line 2"},
      {"0 1\n0 2 3\n", "line 2"}, {"0 0 1\n2 3\n", "line 2"},   {"0 0 1\n-1 2 3\n", "line 2"},
      {"y 0 1\n", "line 1"},      {"0 0 1\n0 1 2\n", "line 2"}, {"0 99999999999999999999\n", "line 1"}};
  for (const auto& [text, where] : wrong) try {
      plan_of("file", population(4, 0, text));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--confirm mine: " + where + ": ")) << error.what();
    }
  for (const char* empty : {"", "\n\n", "# nothing\n"})
    EXPECT_THROW(plan_of("file", population(4, 0, empty)), UsageError);
}

TEST(Schedule, serial_has_the_same_pairs_one_per_step) {
  const std::vector<int> hosts{0, 0, 0, 1, 2, 2, 3};
  for (const auto& [name, option] :
       std::vector<std::pair<std::string, std::string>>{{"all", ""},
                                                        {"bisection", ""},
                                                        {"inter-host", ""},
                                                        {"rail", ""},
                                                        {"sample", "3"},
                                                        {"file", "0 1\n2 3\n1 2\n"}})
    for (const auto order : orders) {
      const Plan parallel = plan_of(name, population(7, order, option, hosts)), single = serial(parallel, 7);
      EXPECT_EQ(in_order(single, 7), in_order(parallel, 7)) << name;
      for (std::int64_t step = 0; step < single.steps; ++step)
        EXPECT_LE(pairs_in(single, 7, step).size(), 1u);
    }
}

TEST(Schedule, a_partner_among_many_ranks_needs_no_table) {
  constexpr int n = 100'001;
  const auto began = std::chrono::steady_clock::now();
  for (const char* name : {"all", "bisection", "sample", "screen"})
    for (const auto order : orders) {
      const bool takes_k = name == std::string_view("sample") || name == std::string_view("screen");
      const Plan plan = plan_of(name, population(n, order, takes_k ? "1000" : ""));
      for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, plan.steps / 2, plan.steps - 1})
        for (int rank = 0; rank < n; rank += 9973) {
          const int peer = plan.partner(step, rank);
          if (peer != no_rank) EXPECT_EQ(plan.partner(step, peer), rank) << name;
        }
      EXPECT_EQ(serial(plan, n).steps, plan.steps * n) << "more than 32 bits can hold";
    }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60))
      << "a table of all pairs would take far longer";
}

TEST(Schedule, filled_steps_keep_their_pairs_and_leave_at_most_one_rank_idle) {
  for (const int size : {5, 8, 33}) {
    const Plan plan = plan_of("file", population(size, 0, "0 1\n2 3\n1 4\n"));
    std::set<Pairs> drawn;
    for (const std::uint64_t key : {0, 1, 2, 3}) {
      const Plan full = filled(plan, size, key, size / 2);
      EXPECT_EQ(full.steps, plan.steps);
      std::int64_t pairs = 0;
      for (std::int64_t step = 0; step < plan.steps; ++step) {
        const auto with = pairs_in(full, size, step);
        EXPECT_EQ(static_cast<int>(with.size()), size / 2);
        pairs += static_cast<std::int64_t>(with.size());
        for (const auto& pair : pairs_in(plan, size, step))
          EXPECT_NE(std::find(with.begin(), with.end(), pair), with.end());
        drawn.insert(with);
      }
      EXPECT_EQ(full.pairs, pairs);
    }
    EXPECT_GT(drawn.size(), static_cast<std::size_t>(plan.steps)) << "another key pairs other ranks";
  }
}

const std::string three_phases =
    "# what to measure again\n0 1 order\n2 3 order\n 5 4 quarter # as well\n0 1 one-way\n";

TEST(Schedule, a_follow_up_plan_has_the_pairs_of_each_phase) {
  const auto plan = follow_up_of(three_phases + "6 7 alone\n3 7 few\n", {"--confirm plan", 8});
  EXPECT_EQ(plan.of_phase,
            (std::array<RankPairs, 5>{{{{0, 1}, {2, 3}}, {{5, 4}}, {{3, 7}}, {{6, 7}}, {{0, 1}}}}));
  EXPECT_EQ(plan.all(), (RankPairs{{0, 1}, {2, 3}, {3, 7}, {4, 5}, {6, 7}}));
  EXPECT_EQ(plan.text(), "order 2 pairs, quarter 1 pair, few 1 pair, alone 1 pair, one-way 1 pair");
}

TEST(Schedule, a_line_without_a_phase_means_order_and_one_way) {
  const auto plan = follow_up_of("0 1\n2 0\n", {"--confirm plan", 8});
  EXPECT_EQ(plan.of_phase, (std::array<RankPairs, 5>{{{{0, 1}, {2, 0}}, {}, {}, {}, {{0, 1}, {2, 0}}}}));
}

TEST(Schedule, an_invalid_line_of_a_follow_up_plan_is_refused_in_a_sentence) {
  const std::pair<std::string, std::string> wrong[] = {
      {"0 1 order\n\n0 2 half\n", "line 3: unknown phase 'half'"},
      {"0 8 order\n", "line 1: rank 8 is not one of 0 to 7"},
      {"0 1 alone\n1 0 alone\n", "line 2: ranks 1 and 0 are already in phase alone by line 1"},
      {"0 1\n0 1 one-way\n", "line 2: ranks 0 and 1 are already in phase one-way by line 1"},
      {"# header\n3 3 quarter\n", "line 2: a rank has no link to itself"},
      {"0\n", "line 1: write 'RANK RANK PHASE'"},
      {"0 1 2 order\n", "line 1: write 'RANK RANK PHASE'"},
      {"a 1 order\n", "line 1: 'a' is not"},
      {"# nothing\n", "the plan has no pairs"}};
  for (const auto& [text, why] : wrong) try {
      follow_up_of(text, {"--confirm plan", 8});
      ADD_FAILURE() << "accepted: " << text;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--confirm plan: " + why)) << error.what();
    }
}

TEST(Schedule, a_phase_under_load_keeps_its_part_of_the_ranks_busy_and_meets_others_in_each_pass) {
  constexpr int size = 64;
  std::string text;
  Pairs asked;
  for (int a = 0; a < 12; ++a)
    for (const char* phase : {"order", "quarter", "few"}) text += fmt::format("{} {} {}\n", a, a + 12, phase);
  for (int a = 0; a < 12; ++a) asked.emplace_back(a, a + 12);
  const auto plan = follow_up_of(text, {"--confirm plan", size});
  for (const auto& [attempt, most] :
       {std::pair(Attempt::order, 32u), std::pair(Attempt::quarter, 8u), std::pair(Attempt::few, 2u)}) {
    std::set<Pairs> companions;  // of the first pair
    for (const std::uint64_t key : {1, 2, 3, 4, 5, 6}) {
      const Plan pass = plan_of(plan, attempt, size, key);
      for (std::int64_t step = 0; step < pass.steps; ++step) {
        const auto pairs = pairs_in(pass, size, step);
        EXPECT_EQ(pairs.size(), most);
        if (pairs.front() == asked.front()) companions.insert(pairs);
      }
      const auto all = in_order(pass, size);
      for (const auto& pair : asked) EXPECT_NE(std::find(all.begin(), all.end(), pair), all.end());
    }
    EXPECT_GE(companions.size(), 4u);  // some may come twice by chance
  }
}

TEST(Schedule, a_follow_up_of_a_serial_run_measures_one_pair_at_a_time) {
  const auto plan = follow_up_of(three_phases, {"--confirm plan", 8});
  EXPECT_EQ(sorted(in_order(serial_plan_of(plan, Attempt::order, 8, 5), 8)), (Pairs{{0, 1}, {2, 3}}));
  EXPECT_EQ(in_order(serial_plan_of(plan, Attempt::quarter, 8, 5), 8), (Pairs{{4, 5}}));
}

TEST(Schedule, an_unknown_name_is_refused_with_the_known_ones) {
  try {
    schedule_named("ring");
    FAIL();
  } catch (const UsageError& error) {
    for (const auto& entry : schedules())
      EXPECT_NE(std::string(error.what()).find(entry.name), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace everylink
