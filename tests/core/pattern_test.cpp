// Every pattern as a list of flows: the flows of each scene, the assignment of a scene, and the summary of
// its results.
#include "load/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "load/flows.hpp"
#include "load/meter.hpp"
#include "load/scene_sums.hpp"

namespace everylink {
namespace {

using Pair = std::pair<int, int>;

struct Cluster {
  std::vector<std::int32_t> host_of;
  Settings settings;
  PatternInput input() const { return {static_cast<int>(host_of.size()), 7, host_of, settings}; }
};

Cluster cluster(int size, int ranks_per_host = 1, Settings settings = {}) {
  Cluster all{{}, std::move(settings)};
  for (int rank = 0; rank < size; ++rank) all.host_of.push_back(rank / ranks_per_host);
  return all;
}

Sweep sweep_of(std::string_view name, const Cluster& all) { return pattern_named(name)->make(all.input()); }

std::vector<Pair> pairs_of(const Scene& scene) {
  std::vector<Pair> pairs;
  for (const auto& flow : scene.flows) pairs.emplace_back(flow.from, flow.to);
  return pairs;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto* pattern : patterns()) all.emplace_back(pattern->name);
  return all;
}

class EveryPattern : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, EveryPattern, testing::ValuesIn(names()), [](const auto& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryPattern, has_only_flows_between_different_ranks) {
  for (const int size : {4, 5, 8, 13})
    for (const int ranks_per_host : {1, 2, 3}) {
      const Sweep sweep = sweep_of(GetParam(), cluster(size, ranks_per_host));
      for (std::int64_t i = 0; i < sweep.scenes; ++i)
        for (const auto& flow : sweep.scene(i).flows) {
          EXPECT_NE(flow.from, flow.to);
          EXPECT_TRUE(flow.from >= 0 && flow.from < size && flow.to >= 0 && flow.to < size);
        }
    }
}

TEST_P(EveryPattern, has_at_most_degree_flows_per_rank) {
  const Sweep sweep = sweep_of(GetParam(), cluster(13, 2));
  for (std::int64_t i = 0; i < sweep.scenes; ++i) {
    std::map<int, int> out, in;
    for (const auto& flow : sweep.scene(i).flows) {
      EXPECT_LE(++out[flow.from], sweep.degree);
      EXPECT_LE(++in[flow.to], sweep.degree);
    }
  }
}

TEST_P(EveryPattern, is_assigned_one_peer_per_rank_and_turn_and_separate_buffers_per_flow) {
  const Sweep sweep = sweep_of(GetParam(), cluster(13));
  const FlowLayout layout = FlowLayout::of(1000, 8, 2, sweep.degree);
  for (std::int64_t i = 0; i < sweep.scenes; ++i) {
    const AssignedScene all = assign(sweep.scene(i));
    std::set<Pair> busy, sends, receives;  // a rank in a turn; a lane at a rank
    for (std::size_t k = 0; k < all.scene.flows.size(); ++k) {
      const auto& flow = all.scene.flows[k];
      EXPECT_LT(all.turn[k], all.turns);
      EXPECT_TRUE(busy.emplace(flow.from, all.turn[k]).second);
      EXPECT_TRUE(busy.emplace(flow.to, all.turn[k]).second);
      EXPECT_TRUE(sends.emplace(flow.from, all.lane[k]).second);
      EXPECT_TRUE(receives.emplace(flow.to, all.lane[k]).second);
      const Slice note = layout.note(all.lane[k], 1), first = layout.slot(0, 0, 0);
      EXPECT_LE(note.offset + note.bytes, first.offset);
      const Slice last = layout.slot(all.lane[k], 1, 1);
      EXPECT_LE(last.offset + last.bytes, layout.memory_bytes());
    }
  }
}

TEST(Incast, doubles_the_senders_until_all_send_to_one) {
  const Sweep sweep = sweep_of("incast", cluster(8));
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < sweep.scenes; ++i) counts.push_back(sweep.scene(i).point);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 2, 4, 7}));
  EXPECT_EQ(pairs_of(sweep.scene(2)), (std::vector<Pair>{{1, 0}, {2, 0}, {3, 0}, {4, 0}}));
  EXPECT_EQ(pairs_of(sweep_of("outcast", cluster(8)).scene(1)), (std::vector<Pair>{{0, 1}, {0, 2}}));
}

TEST(Incast, takes_one_rank_of_each_other_host_before_the_second_of_any) {
  const Sweep sweep = sweep_of("incast", cluster(6, 2, {{"root", "1"}, {"counts", "5"}}));
  EXPECT_EQ(pairs_of(sweep.scene(0)), (std::vector<Pair>{{2, 1}, {4, 1}, {3, 1}, {5, 1}, {0, 1}}));
}

TEST(Incast, refuses_a_root_or_a_count_beyond_the_ranks) {
  EXPECT_THROW(sweep_of("incast", cluster(4, 1, {{"root", "4"}})), UsageError);
  EXPECT_THROW(sweep_of("incast", cluster(4, 1, {{"counts", "4"}})), UsageError);
  EXPECT_THROW(sweep_of("incast", cluster(4, 1, {{"counts", "0"}})), UsageError);
}

TEST(Shift, measures_every_link_once_over_all_distances) {
  const Sweep sweep = sweep_of("shift", cluster(7));
  std::set<Pair> seen;
  for (std::int64_t i = 0; i < sweep.scenes; ++i)
    for (const auto& pair : pairs_of(sweep.scene(i))) EXPECT_TRUE(seen.insert(pair).second);
  EXPECT_EQ(seen.size(), 7u * 6u);
  EXPECT_EQ(pairs_of(sweep.scene(1)).front(), Pair(0, 2));
}

TEST(Ring, visits_every_rank_once) {
  const Sweep sweep = sweep_of("ring", cluster(9, 1, {{"draws", "4"}}));
  EXPECT_EQ(sweep.scenes, 5);
  for (std::int64_t i = 0; i < sweep.scenes; ++i) {
    std::map<int, int> next;
    for (const auto& [from, to] : pairs_of(sweep.scene(i))) next[from] = to;
    int rank = 0, steps = 0;
    do rank = next.at(rank), ++steps;
    while (rank != 0);
    EXPECT_EQ(steps, 9);
    if (i == 0) EXPECT_EQ(next.at(3), 4);
  }
}

TEST(RandomBisection, connects_two_halves_of_the_hosts_and_no_two_ranks_of_one_half) {
  const Cluster all = cluster(12, 2);
  const Sweep sweep = sweep_of("random-bisection", all);
  EXPECT_EQ(sweep.scenes, 20);
  std::set<std::vector<Pair>> drawn;
  for (std::int64_t i = 0; i < sweep.scenes; ++i) {
    const auto pairs = pairs_of(sweep.scene(i));
    EXPECT_EQ(pairs.size(), 6u);
    std::set<int> senders, receivers;
    for (const auto& [from, to] : pairs) senders.insert(from / 2), receivers.insert(to / 2);
    EXPECT_EQ(senders.size(), 3u);
    EXPECT_EQ(receivers.size(), 3u);
    for (const int host : senders) EXPECT_FALSE(receivers.contains(host));
    drawn.insert(pairs);
  }
  EXPECT_GT(drawn.size(), 15u);
}

TEST(Victim, measures_the_same_pairs_alone_and_loaded_and_victims_do_not_load) {
  const Sweep sweep = sweep_of("victim", cluster(20, 1, {{"repeats", "2"}}));
  EXPECT_EQ(sweep.scenes, 4);
  const auto alone = sweep.scene(0), loaded = sweep.scene(1);
  EXPECT_EQ(alone.flows.size(), 2u);  // a fifth of 20 are 4 victims
  EXPECT_EQ(loaded.flows.size(), 2u + 15u);
  std::set<int> victims;
  for (std::size_t i = 0; i < loaded.flows.size(); ++i) {
    const auto& flow = loaded.flows[i];
    if (i >= 2) {
      EXPECT_EQ(flow.kind, FlowKind::bulk);
      EXPECT_FALSE(victims.contains(flow.from) || victims.contains(flow.to));
      continue;
    }
    EXPECT_EQ(flow.kind, FlowKind::ping);
    EXPECT_EQ(flow.from, alone.flows[i].from);
    victims.insert({flow.from, flow.to});
  }
  EXPECT_EQ(victims.size(), 4u);
}

TEST(Victim, refuses_options_that_leave_no_rank_to_load_the_network) {
  EXPECT_THROW(sweep_of("victim", cluster(3)), UsageError);
  EXPECT_THROW(sweep_of("victim", cluster(6, 1, {{"victims", "6"}})), UsageError);
  EXPECT_THROW(sweep_of("victim", cluster(6, 1, {{"congestor", "victim"}})), UsageError);
  EXPECT_THROW(sweep_of("victim", cluster(6, 1, {{"congestor", "jam"}})), UsageError);
}

SceneSums sums(std::int64_t point, double mean, std::uint8_t variant = 0) {
  SceneSums s;
  s.point = point;
  s.variant = variant;
  s.flows = s.bulks = static_cast<int>(point);
  s.slowest = s.mean = s.fastest = mean;
  s.total = mean * static_cast<double>(point);
  return s;
}

TEST(Brief, reports_the_number_of_senders_at_which_each_has_less_than_a_quarter) {
  const std::vector<SceneSums> fair{sums(1, 8e9), sums(2, 4e9), sums(4, 2e9), sums(8, 1e9)};
  const auto brief = pattern_named("incast")->brief;
  EXPECT_EQ(brief(fair).at(0),
            "the bandwidth of a sender falls below a quarter of that of one alone at 8 senders");
  EXPECT_EQ(brief(std::span(fair).first(3)).at(0),
            "the bandwidth of a sender stays at a quarter of that of one alone, or above, up to 4 senders");
  EXPECT_TRUE(brief(std::span(fair).subspan(1)).empty());  // nothing to compare with
}

TEST(Brief, gives_the_effective_bisection_bandwidth_and_an_interval) {
  std::vector<SceneSums> draws;
  for (int i = 0; i < 10; ++i) draws.push_back(sums(4, (1 + 0.1 * (i % 2)) * (1 << 30)));
  // Mean 4.2 GiB/s; deviation 0.2108, t(9) 2.262: 0.1508.
  EXPECT_EQ(
      pattern_named("random-bisection")->brief(draws).at(0),
      "effective bisection bandwidth 4.2 GiB/s, 95 % interval 4.049 GiB/s to 4.351 GiB/s, over 10 random "
      "halves; 1.05 GiB/s per flow");
}

TEST(Brief, uses_students_t_for_the_interval_of_few_draws) {
  std::vector<SceneSums> draws;
  for (int i = 0; i < 5; ++i) draws.push_back(sums(1, (4.0 + 0.1 * i) * (1 << 30)));
  // Mean 4.2 GiB/s; deviation 0.15811, t(4) 2.776445: 0.19632.
  EXPECT_EQ(
      pattern_named("random-bisection")->brief(draws).at(0),
      "effective bisection bandwidth 4.2 GiB/s, 95 % interval 4.004 GiB/s to 4.396 GiB/s, over 5 random "
      "halves; 4.2 GiB/s per flow");
}

TEST(Brief, reports_a_victims_impact_and_no_p99_without_enough_readings) {
  std::vector<SceneSums> scenes(2);
  scenes[1].variant = 1;
  for (auto& s : scenes) s.pings = 1, s.ping_p99 = std::numeric_limits<double>::quiet_NaN();
  scenes[0].ping_mean = scenes[0].ping_median = 2e-6;
  scenes[1].ping_mean = 5e-6, scenes[1].ping_median = 3e-6;
  EXPECT_EQ(pattern_named("victim")->brief(scenes).at(0),
            "impact of the load on the victims' latency: mean x 2.50, median x 1.50, p99 x not known");
}

TEST(ClientServer, connects_every_client_with_every_server_and_nobody_else) {
  const Sweep sweep = sweep_of("client-server", cluster(6, 1, {{"servers", "2"}, {"nflight", "1,8"}}));
  ASSERT_EQ(sweep.scenes, 4);
  EXPECT_EQ(sweep.degree, 4);
  EXPECT_EQ(sweep.request_load.most_in_flight, 8);
  for (std::int64_t i = 0; i < sweep.scenes; ++i) {
    const Scene scene = sweep.scene(i);
    EXPECT_EQ(scene.point, i < 2 ? 1 : 8);
    std::set<Pair> pairs;
    for (const auto& flow : scene.flows) {
      EXPECT_EQ(flow.kind, i % 2 ? FlowKind::get : FlowKind::put);
      EXPECT_EQ(flow.from == flow.server(), flow.kind == FlowKind::put) << "bytes come from the server";
      pairs.emplace(flow.server(), flow.client());
    }
    EXPECT_EQ(pairs, (std::set<Pair>{{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}));
  }
}

TEST(AllToAll, measures_every_pair_both_ways_once_in_rounds_or_sequentially) {
  for (const int size : {2, 4, 5, 7, 8})
    for (const bool sequential : {false, true}) {
      const Settings settings = sequential ? Settings{{"sequential", "yes"}} : Settings{};
      const Sweep sweep = sweep_of("all-to-all", cluster(size, 1, settings));
      std::set<Pair> all;
      for (std::int64_t i = 0; i < sweep.scenes; ++i) {
        std::map<int, int> sends, receives;
        const auto pairs = pairs_of(sweep.scene(i));
        EXPECT_EQ(pairs.size(), sequential ? 1 : size - size % 2);
        for (const auto& [from, to] : pairs) {
          EXPECT_TRUE(all.emplace(from, to).second);
          EXPECT_EQ(++sends[from], 1);
          EXPECT_EQ(++receives[to], 1);
        }
      }
      EXPECT_EQ(all.size(), static_cast<std::size_t>(size * (size - 1)));
    }
}

FlowRow asked_for(int server, int client, std::uint64_t requests, Seconds seconds, float latency) {
  FlowRow row{{server, client, FlowKind::put}};
  row.outcome = Outcome::ok;
  row.messages = row.sent_messages = requests;
  row.seconds = row.sent_seconds = seconds;
  row.times.n = static_cast<std::uint32_t>(requests);
  row.times.min = row.times.median = row.times.mean = row.times.p99 = row.times.max = latency;
  return row;
}

TEST(Requests, are_counted_once_and_clients_are_compared_by_their_end_times) {
  const Scene scene{1, 0, {}};
  const auto sums = sums_of(scene, 1000,
                            {asked_for(0, 2, 10, 1, 0.1F), asked_for(1, 2, 10, 2, 0.2F),
                             asked_for(0, 3, 10, 4, 0.3F), asked_for(1, 3, 10, 3, 0.2F)});
  EXPECT_EQ(sums.requests, 40u);
  EXPECT_EQ(sums.clients, 2);
  EXPECT_EQ(sums.first_end, 2);
  EXPECT_EQ(sums.last_end, 4);
  EXPECT_EQ(sums.last, (std::vector<int>{3, 2}));
  EXPECT_DOUBLE_EQ(sums.total, 40 * 1000 / 4.0);
  EXPECT_DOUBLE_EQ(sums.jain, 15.0 * 15.0 / (2 * (10.0 * 10.0 + 5.0 * 5.0)));  // rates 10 and 5 per second
  EXPECT_NEAR(sums.reply_mean, 0.2, 1e-6);
}

TEST(Requests, to_a_lost_server_do_not_count) {
  auto lost = asked_for(1, 3, 4, 1, 0.1F);
  lost.outcome = Outcome::timeout;
  const auto sums =
      sums_of({1, 0, {}}, 1000, {asked_for(0, 2, 10, 2, 0.1F), asked_for(0, 3, 10, 5, 0.1F), lost});
  EXPECT_EQ(sums.requests, 20u);
  EXPECT_EQ(sums.clients, 2);
  EXPECT_EQ(sums.last_end, 5);
  EXPECT_EQ(sums.failed, 1);
}

TEST(PooledQuantile, equals_the_quantile_of_all_readings) {
  Statistics fast, slow;
  fast.n = 900, fast.min = 1, fast.median = 2, fast.p99 = 3, fast.max = 4;
  slow.n = 100, slow.min = 10, slow.median = 20, slow.p99 = 30, slow.max = 40;
  EXPECT_NEAR(pooled_quantile(0.5, std::vector{fast}), 2, 1e-6);
  EXPECT_NEAR(pooled_quantile(0.99, std::vector{fast}), 3, 1e-6);
  EXPECT_NEAR(pooled_quantile(0.95, std::vector{fast, slow}), 20, 1e-6);
  EXPECT_TRUE(std::isnan(pooled_quantile(0.5, std::vector<Statistics>{})));
}

TEST(PooledQuantile, has_no_p99_below_100_readings) {
  Statistics few;
  few.n = 50, few.min = 1, few.median = 2, few.max = 4;
  EXPECT_NEAR(pooled_quantile(0.5, std::vector{few}), 2, 1e-6);
  EXPECT_TRUE(std::isnan(pooled_quantile(0.99, std::vector{few})));
  EXPECT_NEAR(pooled_quantile(0.99, std::vector{few, few}), 3.96, 1e-6);
}

TEST(Meter, measures_until_the_last_message_without_a_duration) {
  Meter meter;
  meter.begin(10, 0);
  meter.read(13, 4);
  meter.read(13.5, 8);
  EXPECT_EQ(meter.messages(), 8u);
  EXPECT_NEAR(meter.seconds(), 3.5, 1e-9);
}

TEST(Meter, finds_the_rate_of_messages_that_arrive_in_bursts) {
  Meter meter;
  meter.begin(100, 10);
  for (int burst = 1; burst <= 5; ++burst)  // two blocks of 4 at once, every 2 s
    for (const int block : {2 * burst - 1, 2 * burst})
      meter.read(100 + 2 * burst, 4u * static_cast<unsigned>(block));
  EXPECT_NEAR(static_cast<double>(meter.messages()) / meter.seconds(), 4.0, 1e-9);
}

TEST(Meter, counts_from_the_start_if_few_messages_arrived) {
  Meter meter;
  meter.begin(0, 10);
  meter.read(1, 4);
  meter.read(2, 8);
  EXPECT_EQ(meter.messages(), 8u);
  EXPECT_NEAR(meter.seconds(), 2, 1e-9);
}

}  // namespace
}  // namespace everylink
