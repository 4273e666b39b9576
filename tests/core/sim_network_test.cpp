// The simulated network: the time that a message between two ranks takes, with and without faults.
#include "transport/sim/sim_network.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {
namespace {

SimNetwork network(int size, const std::string& options) {
  return {size, parse_settings(options, "--mode sim")};
}

// 8 ranks on hosts (0 1)(2 3)(4 5)(6 7), switches over hosts 0 and 1, 2 and 3.
const std::string four_hosts =
    "hosts=4,leaf=2,latency=2us,local-latency=1us,spine-latency=3us,bandwidth=10GB/s,local-bandwidth=40GB/s";
SimNetwork faulty(const std::string& fault) { return network(8, four_hosts + "," + fault); }

void expect_healthy(const SimWay& way) {
  EXPECT_EQ(way.jitter, 1);
  EXPECT_FALSE(way.dead);
  EXPECT_EQ(way.corrupt, -1);
}

void expect_way(const SimWay& way, Seconds latency, double bandwidth) {
  EXPECT_DOUBLE_EQ(way.latency, latency);
  EXPECT_DOUBLE_EQ(way.bandwidth, bandwidth);
}

// Every link that differs from the same network without the fault.
using Links = std::set<std::pair<int, int>>;
template <class Differs>
Links links_where(const SimNetwork& net, Differs differs) {
  Links found;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      if (a != b && differs(net.way(a, b), network(8, four_hosts).way(a, b))) found.emplace(a, b);
  return found;
}

// Both directions between the ranks of a host and those of other hosts; none within it.
Links links_of_host(int host) {
  Links found;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      if ((a / 2 == host) != (b / 2 == host)) found.emplace(a, b);
  return found;
}

void expect_refused(const std::string& options, const std::string& part) {
  try {
    network(8, options);
    ADD_FAILURE() << "accepted: " << options;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << options << " gave: " << error.what();
    EXPECT_EQ(std::string(error.what()).find("--mode sim"), 0u) << error.what();
  }
}

TEST(SimNetwork, ways_within_a_host_a_leaf_and_across_the_spine) {
  const auto net = network(8, four_hosts);
  expect_way(net.way(0, 1), 1e-6, 40e9);
  expect_way(net.way(0, 2), 2e-6, 10e9);
  expect_way(net.way(3, 0), 2e-6, 10e9);
  expect_way(net.way(3, 4), 5e-6, 10e9);
  expect_way(net.way(7, 0), 5e-6, 10e9);
  expect_healthy(net.way(0, 7));
  EXPECT_EQ(net.way(0, 7).noise, 0);
}

TEST(SimNetwork, without_options_every_rank_is_a_host_on_one_leaf) {
  const auto net = network(3, "");
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(net.host_of(rank), rank);
  expect_way(net.way(0, 2), 1e-6, 12.5e9);
  expect_healthy(net.way(0, 2));
}

TEST(SimNetwork, ranks_fill_hosts_in_order_and_about_evenly) {
  const auto net = network(10, "hosts=4");
  std::vector<int> on_host(4);
  for (int rank = 0; rank < 10; ++rank) {
    ++on_host.at(static_cast<std::size_t>(net.host_of(rank)));
    if (rank > 0) EXPECT_LE(net.host_of(rank - 1), net.host_of(rank));
  }
  for (const int ranks : on_host) EXPECT_TRUE(ranks == 2 || ranks == 3) << ranks;
}

TEST(SimNetwork, host_names_sort_as_their_numbers) {
  const auto net = network(12, "hosts=12");
  EXPECT_EQ(net.host_name(3), "n03");
  EXPECT_EQ(net.host_name(11), "n11");
  EXPECT_EQ(network(2, "hosts=1").host_name(1), "n0");
}

TEST(SimNetwork, a_slow_host_slows_its_links_in_both_directions_but_not_those_within_it) {
  const auto net = faulty("slow-host=1*0.5");
  EXPECT_EQ(links_where(net,
                        [](const SimWay& a, const SimWay& b) {
                          return a.bandwidth == b.bandwidth / 2 && a.latency == b.latency * 2;
                        }),
            links_of_host(1));
  EXPECT_EQ(
      links_where(net, [](const SimWay& a,
                          const SimWay& b) { return a.bandwidth != b.bandwidth || a.latency != b.latency; }),
      links_of_host(1));
}

TEST(SimNetwork, the_other_host_faults_affect_the_same_links) {
  EXPECT_EQ(links_where(faulty("delay-host=2+10us"),
                        [](const SimWay& a, const SimWay& b) {
                          return a.latency > b.latency + 9.9e-6 && a.bandwidth == b.bandwidth;
                        }),
            links_of_host(2));
  EXPECT_EQ(
      links_where(faulty("jitter-host=0*7"), [](const SimWay& a, const SimWay&) { return a.jitter == 7; }),
      links_of_host(0));
  EXPECT_EQ(links_where(faulty("dead-host=3"), [](const SimWay& a, const SimWay&) { return a.dead; }),
            links_of_host(3));
}

TEST(SimNetwork, a_fault_of_a_link_affects_one_direction) {
  const Links one{{3, 7}};
  EXPECT_EQ(links_where(faulty("slow-link=3>7*0.25"),
                        [](const SimWay& a, const SimWay& b) {
                          return a.bandwidth != b.bandwidth || a.latency != b.latency;
                        }),
            one);
  expect_way(faulty("slow-link=3>7*0.25").way(3, 7), 20e-6, 2.5e9);
  EXPECT_EQ(links_where(faulty("delay-link=3>7+1ms"),
                        [](const SimWay& a, const SimWay& b) { return a.latency != b.latency; }),
            one);
  expect_way(faulty("delay-link=3>7+1ms").way(3, 7), 1.005e-3, 10e9);
  EXPECT_EQ(
      links_where(faulty("jitter-link=3>7*3"), [](const SimWay& a, const SimWay&) { return a.jitter != 1; }),
      one);
  EXPECT_EQ(links_where(faulty("dead=3>7"), [](const SimWay& a, const SimWay&) { return a.dead; }), one);
  EXPECT_EQ(
      links_where(faulty("corrupt=3>7"), [](const SimWay& a, const SimWay&) { return a.corrupt == -2; }), one)
      << "every message";
  EXPECT_EQ(
      links_where(faulty("corrupt=3>7@5"), [](const SimWay& a, const SimWay&) { return a.corrupt == 5; }),
      one)
      << "message 5 alone";
  EXPECT_EQ(faulty("corrupt=3>7@0").way(3, 7).corrupt, 0) << "the first message";
}

TEST(SimNetwork, a_link_within_a_host_may_have_a_fault) {
  expect_way(faulty("slow-link=0>1*0.5").way(0, 1), 2e-6, 20e9);
}

TEST(SimNetwork, faults_add_up) {
  const auto net = faulty("slow-host=0*0.5,slow-host=1*0.5,delay-link=0>2+1us,dead=2>0");
  expect_way(net.way(0, 2), 9e-6, 2.5e9);
  expect_way(net.way(2, 0), 8e-6, 2.5e9);
  EXPECT_TRUE(net.way(2, 0).dead);
  EXPECT_FALSE(net.way(0, 2).dead);
}

TEST(SimNetwork, each_direction_draws_its_own_noise_and_another_seed_draws_another) {
  const auto net = network(8, "noise=0.02,seed=1"), again = network(8, "noise=0.02,seed=1"),
             other = network(8, "noise=0.02,seed=2");
  std::set<std::uint64_t> keys;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) {
      EXPECT_EQ(net.way(a, b).key, again.way(a, b).key);
      keys.insert(net.way(a, b).key);
      keys.insert(other.way(a, b).key);
    }
  EXPECT_EQ(keys.size(), 128u);
  EXPECT_EQ(net.way(0, 1).noise, 0.02);
}

TEST(SimNetwork, wrong_options_are_refused_by_name) {
  const std::pair<const char*, const char*> wrong[] = {
      {"host=4", "sim:host=4: unknown option 'host' (did you mean hosts?); use hosts, leaf"},
      {"hosts=0", "hosts=0: must be 1 to 8"},
      {"hosts=9", "hosts=9: must be 1 to 8"},
      {"hosts=x", "sim:hosts: 'x' is not a whole number"},
      {"hosts=2,hosts=4", "hosts"},
      {"leaf=0", "leaf=0"},
      {"latency=-1us", "sim:latency"},
      {"latency=fast", "sim:latency"},
      {"spine-latency=1x", "sim:spine-latency"},
      {"local-latency=?", "sim:local-latency"},
      {"bandwidth=0GB/s", "sim:bandwidth"},
      {"bandwidth=12GB", "sim:bandwidth"},
      {"local-bandwidth=1", "sim:local-bandwidth"},
      {"noise=-0.1", "sim:noise"},
      {"noise=11", "sim:noise"},
      {"noise=a", "sim:noise"},
      {"seed=-1", "seed=-1"},
      {"seed=x", "sim:seed"}};
  for (const auto& [options, part] : wrong) expect_refused(options, part);
}

TEST(SimNetwork, wrong_faults_are_refused_with_the_required_form) {
  const std::pair<const char*, const char*> wrong[] = {
      {"slow-host=1", "slow-host=1: write HOST*FACTOR"},
      {"slow-host=1>2*0.5", "write HOST*FACTOR"},
      {"slow-link=1*0.5", "write FROM>TO*FACTOR"},
      {"slow-link=1>2", "write FROM>TO*FACTOR"},
      {"slow-link=1>2+3us", "write FROM>TO*FACTOR"},
      {"slow-link=1>2*0", "the factor must be above 0"},
      {"slow-link=1>2*-1", "the factor must be above 0"},
      {"slow-link=1>2*x", "'x' is not a number"},
      {"slow-host=8*0.5", "host 8 is not one of 0 to 7"},
      {"slow-host=-1*0.5", "host -1 is not one of"},
      {"slow-link=8>0*0.5", "rank 8 is not one of 0 to 7"},
      {"slow-link=0>8*0.5", "rank 8 is not one of"},
      {"delay-host=1*2", "write HOST+TIME"},
      {"delay-host=1+x", "invalid time 'x'"},
      {"delay-link=1>2", "write FROM>TO+TIME"},
      {"delay-link=1>2+-1us", "invalid time"},
      {"jitter-host=1", "write HOST*FACTOR"},
      {"jitter-link=1>2*0", "the factor must be above 0"},
      {"dead-host=9", "host 9 is not one of"},
      {"dead-host=1>2", "write HOST"},
      {"dead-host=x", "not a whole number"},
      {"dead=1", "write FROM>TO"},
      {"dead=1>", "not a whole number"},
      {"dead=1>x", "not a whole number"},
      {"dead=1>2,dead=9>2", "rank 9"},
      {"corrupt=1", "write FROM>TO or FROM>TO@MESSAGE"},
      {"corrupt=1>2@x", "'x' is not a"},
      {"corrupt=1>2@-1", "message -1 is not one of"},
      {"corrupt=1>2@3000000000", "message 3000000000 is not"},
      {"corrupt=1>2@1.5", "corrupt=1>2@1.5"},
      {"slow-link=1>1*0.5", "slow-link=1>1*0.5"}};
  for (const auto& [options, part] : wrong) expect_refused(options, part);
}

}  // namespace
}  // namespace everylink
