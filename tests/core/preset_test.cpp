// --preset jupiter: its settings, refusals, warnings and table.
#include "linktest/jupiter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/errors.hpp"
#include "host/adapters.hpp"
#include "linktest/command_line.hpp"
#include "options/command_line.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;
using Sentences = std::vector<std::string>;

Options options(std::vector<const char*> args) {
  args.insert(args.begin(), {"everylink-measure", "--preset", "jupiter"});
  return parse(in_our_words({args.begin(), args.end()}, "")).options;
}

std::string refusal(const std::vector<const char*>& args) {
  try {
    options(args);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "understood";
}

TEST(Preset, jupiter_is_the_rule_of_the_suite) {
  const Options o = options({});
  EXPECT_EQ(o.mode, "mpi");
  EXPECT_EQ(o.most_messages(), 25);
  EXPECT_EQ(o.warmups, 3);
  EXPECT_EQ(o.sizes, std::vector<std::size_t>{16777216});
  EXPECT_EQ(o.kernel, "bidirectional");
  EXPECT_EQ(o.schedule, "bisection");
}

TEST(Preset, a_further_option_refines_the_run_within_the_rule) {
  const Options o = options({"-n", "1000", "-w100", "-s16MiB", "--bidirectional", "--bisection",
                             "--num-randomize-tasks", "3", "--mode", "mpi:wait=block", "--memory", "huge"});
  EXPECT_EQ(o.most_messages(), 1000);
  EXPECT_EQ(o.warmups, 100);
  EXPECT_EQ(o.randomize, 3);
  EXPECT_EQ(o.mode, "mpi");
  EXPECT_EQ(o.mode_options, "wait=block");
  EXPECT_EQ(o.memory, "huge");
}

TEST(Preset, it_also_overrides_the_defaults_of_linktest) {
  const Options o = parse(in_our_words({"mpilinktest", "--preset", "jupiter"}, "")).options;
  EXPECT_EQ(o.most_messages(), 25);
  EXPECT_EQ(o.sizes, std::vector<std::size_t>{16777216});
  EXPECT_EQ(o.output, "pingpong_results_bin.sion");
}

TEST(Preset, an_option_that_breaks_the_rule_is_refused_by_name) {
  const std::pair<std::vector<const char*>, const char*> refused[] = {
      {{"-n", "24"}, "-n/--num-messages 24: --preset jupiter requires 25 or more"},
      {{"-w", "2"}, "-w/--num-warmup-messages 2: --preset jupiter requires 3 or more"},
      {{"-s", "1MiB"},
       "-s/--size-messages 1048576: --preset jupiter requires messages of 16 MiB and no other size"},
      {{"-s", "1,16MiB"},
       "-s/--size-messages 1,16777216: --preset jupiter requires messages of 16 MiB and no other size"},
      {{"--semidirectional"}, "--semidirectional: --preset jupiter requires --bidirectional"},
      {{"--unidirectional"}, "--unidirectional: --preset jupiter requires --bidirectional"},
      {{"--schedule", "sample:3"}, "--schedule sample:3: --preset jupiter requires bisection"},
      {{"--serial-tests"}, "--serial-tests: --preset jupiter requires all pairs of a step at the same time"},
      {{"--resume", "x.h5"}, "--resume: the table of --preset jupiter requires one whole run"},
      {{"--preset", "juwels"}, "--preset: unknown value 'juwels'; use jupiter"}};
  for (const auto& [args, message] : refused) EXPECT_EQ(refusal(args), message);
}

// Ranks in blocks: the number of ranks and adapters of each host.
Sentences doubts(const std::vector<std::pair<int, int>>& ranks_and_adapters,
                 const std::vector<const char*>& more = {}) {
  std::vector<RankFacts> ranks;
  std::vector<int> host_of;
  for (int host = 0; const auto& [count, adapters] : ranks_and_adapters) {
    RankFacts facts;
    facts.host = fmt::format("n{}", host);
    facts.adapters = adapters;
    ranks.insert(ranks.end(), static_cast<std::size_t>(count), facts);
    host_of.insert(host_of.end(), static_cast<std::size_t>(count), host++);
  }
  return doubts_of_preset(options(more), ranks, host_of);
}

TEST(Preset, one_rank_per_adapter_raises_no_doubt) {
  EXPECT_EQ(doubts({{4, 4}, {4, 4}}), Sentences{});
  EXPECT_EQ(doubts({{2, 2}, {2, 3}}), Sentences{}) << "one of 5 adapters has no rank";
}

TEST(Preset, hosts_with_different_numbers_of_ranks_and_adapters_are_named_once) {
  EXPECT_EQ(doubts({{2, 4}, {4, 4}, {2, 4}, {4, 1}}),
            (Sentences{"--preset jupiter: not a rank for each adapter: 2 ranks and 4 adapters on n0, n2",
                       "--preset jupiter: not a rank for each adapter: 4 ranks and 1 adapter on n3"}));
  EXPECT_EQ(doubts({{1, 1}, {1, 2}, {1, 2}, {1, 1}}).size(), 1u) << "more than one adapter has no rank";
  const auto many = doubts(std::vector<std::pair<int, int>>(20, {1, 2}));
  EXPECT_TRUE(many.at(0).ends_with("on n0, n1, n2, n3, n4, n5, n6, n7 and 12 more")) << many.at(0);
}

TEST(Preset, each_rank_has_a_gpu_of_its_own_and_each_gpu_a_rank) {
  const auto doubts_on = [](const std::vector<int>& gpus, int of_host) {
    std::vector<RankFacts> ranks;
    std::vector<int> host_of;
    for (int host = 0; host < 2; ++host)
      for (const int gpu : gpus) {
        ranks.push_back({.host = fmt::format("n{}", host), .adapters = static_cast<int>(gpus.size())});
        ranks.back().carrier.gpu = {.number = gpu, .of_host = of_host};
        host_of.push_back(host);
      }
    return doubts_of_preset(options({"--memory", "cuda"}), ranks, host_of);
  };
  EXPECT_EQ(doubts_on({0, 1, 2, 3}, 4), Sentences{});
  EXPECT_EQ(doubts_on({0, 0}, 1),
            Sentences{"--preset jupiter: not a GPU for each rank: ranks share some on n0, n1"});
  EXPECT_EQ(
      doubts_on({0, 2}, 4),
      Sentences{"--preset jupiter: not a rank for each GPU: messages in memory of 2 of 4 GPUs on n0, n1"});
  EXPECT_EQ(doubts_on({-1, -1}, 0), Sentences{}) << "memory of the host";
}

TEST(Preset, missing_adapters_on_all_hosts_are_reported_once) {
  const auto said = doubts({{2, 0}, {2, 0}});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("no host has an InfiniBand, Omni-Path or RoCE adapter"), std::string::npos);
}

TEST(Preset, other_departures_from_the_rule_are_reported) {
  const auto torn = doubts({{4, 4}});
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_EQ(torn[0], "--preset jupiter: the bisection goes through hosts: n0 has ranks in both halves");
  EXPECT_EQ(doubts({{1, 1}, {1, 1}, {1, 1}}).size(), 1u) << "an odd number of ranks";
  EXPECT_EQ(doubts({{1, 1}, {1, 1}}, {"--mode", "tcp"}),
            Sentences{"--preset jupiter: mode tcp: the rule is mpi"});
  EXPECT_EQ(doubts({{1, 1}, {1, 1}}, {"--check"}).size(), 1u);
  EXPECT_EQ(doubts({{1, 0}, {2, 0}}, {"--mode", "sim", "--confirm", "x"}), Sentences{})
      << "re-measured links give no table";
}

TEST(Preset, its_table_repeats_the_numbers_of_the_lines) {
  // 2 GiB in 125, 250, 500 ms, both ways at once: 32, 16, 8 GiB/s.
  Lines lines(std::size_t{2} << 30, 2, false);
  for (const double seconds : {0.125, 0.25, 0.25, 0.5}) {
    Sample sample;
    sample.outcome = Outcome::ok;
    sample.one_way.mean = static_cast<float>(seconds);
    lines.add(sample);
    lines.add(sample);
    lines.end_step(0);
  }
  const auto blanks = [](std::size_t count) { return std::string(count, ' '); };
  EXPECT_EQ(
      table_of_preset(options({"-n", "30"}), 8, 2, lines),
      "JUPITER Benchmark Suite, LinkTest: 30 messages of 16 MiB, 3 warm-ups, bidirectional, bisection, mode "
      "mpi, 8 ranks on 2 hosts\n" +
          blanks(49) + "min" + blanks(29) + "avg" + blanks(29) + "max\n" +
          "Bisection bandwidth                     8.0000 GiB/s" + blanks(19) + "18.0000 GiB/s" + blanks(19) +
          "32.0000 GiB/s\n" +
          "Aggregated, a link      125.00000 ms (32.0000 GiB/s)    281.25000 ms (14.2222 GiB/s)     "
          "500.00000 "
          "ms (8.0000 GiB/s)");
  EXPECT_TRUE(table_of_preset(options({}), 8, 2, Lines(1, 2, false)).ends_with("\nno link was measured"));
}

class Adapters : public testing::Test {
 protected:
  ~Adapters() override { fs::remove_all(sys_); }
  void port(const std::string& path, const char* state, const char* link_layer) {
    const fs::path folder = sys_ / "class/infiniband" / path;
    fs::create_directories(folder);
    std::ofstream(folder / "state") << state << '\n';
    std::ofstream(folder / "link_layer") << link_layer << '\n';
  }
  const fs::path sys_ = fs::path(testing::TempDir()) / fmt::format("everylink-adapters-{}", ::getpid());
};

TEST_F(Adapters, are_devices_with_an_active_port) {
  EXPECT_EQ(active_adapters(sys_), 0) << "no such folder";
  port("mlx5_0/ports/1", "4: ACTIVE", "Ethernet");
  EXPECT_EQ(active_adapters(sys_), 1);
  port("mlx5_1/ports/1", "1: DOWN", "InfiniBand");
  EXPECT_EQ(active_adapters(sys_), 1) << "RoCE counts if it is the only network";
  port("mlx5_1/ports/2", "4: ACTIVE", "InfiniBand");
  port("mlx5_2/ports/1", "4: ACTIVE", "InfiniBand");
  port("mlx5_2/ports/2", "4: ACTIVE", "InfiniBand");
  port("mlx5_3/ports/1", "2: INIT", "InfiniBand");
  EXPECT_EQ(active_adapters(sys_), 2) << "next to InfiniBand, RoCE does not count";
}

}  // namespace
}  // namespace everylink
