// Which hosts share a switch: by Slurm's addresses, and by a file.
#include "coordinator/switches.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace everylink {
namespace {

using Switches = std::vector<int>;

// Two ranks on each of n0 to n3.
std::vector<RankFacts> eight_ranks(const std::string& domain = "") {
  std::vector<RankFacts> ranks;
  for (int rank = 0; rank < 8; ++rank) {
    RankFacts facts{};
    facts.host = "n" + std::to_string(rank / 2) + domain;
    ranks.push_back(facts);
  }
  return ranks;
}

const std::vector<int> host_of{0, 0, 1, 1, 2, 2, 3, 3};

Switches in(const std::string& text, const std::string& domain = "") {
  return switches_in(text, "--switches mine", eight_ranks(domain), host_of);
}

TEST(Switches, slurm_tells_the_one_next_to_each_host) {
  auto ranks = eight_ranks();
  for (auto& rank : ranks) {
    rank.topology_pattern = "switch.switch.node";
    rank.topology_address = (rank.host < "n2" ? "top.a." : "top.b.") + rank.host;
  }
  EXPECT_EQ(switches_told(ranks, host_of), (Switches{0, 0, 1, 1}));
  ranks[6].topology_address = ranks[7].topology_address = "";
  EXPECT_EQ(switches_told(ranks, host_of), (Switches{0, 0, 1, 2})) << "n3 may be anywhere";
}

TEST(Switches, a_single_one_tells_nothing) {
  auto ranks = eight_ranks();
  EXPECT_TRUE(switches_told(ranks, host_of).empty());
  for (auto& rank : ranks) {
    rank.topology_pattern = "switch.node";
    rank.topology_address = "a." + rank.host;
  }
  EXPECT_TRUE(switches_told(ranks, host_of).empty());
}

TEST(Switches, a_file_names_the_one_of_each_host) {
  EXPECT_EQ(in("n3 b # the last one\nn0 a\n\nn1 a\nn2 b\nx9 c\n"), (Switches{0, 0, 1, 1}));
  EXPECT_EQ(in("n0 a\nn1 b\n"), (Switches{0, 1, 2, 3}));
  EXPECT_EQ(in("n0.x a\nn1.x a\nn2.y b\nn3 b\n", ".cluster"), (Switches{0, 0, 1, 1}));
  EXPECT_EQ(in("n0.x a\nn0.y b\nn1.x a\nn2.x b\nn3 b\n", ".cluster"), (Switches{0, 1, 2, 2})) << "which n0?";
}

TEST(Switches, a_file_that_is_wrong_is_refused_with_the_line) {
  const std::pair<std::string, std::string> wrong[] = {
      {"n0 a\nn1\n", "line 2: write 'HOST SWITCH'"},
      {"n0 a b\n", "line 1: "},
      {"n0 a\nn1 b\nn0 b\n", "line 3: n0 is behind a by line 1"},
      {"", "names none of the hosts, such as n0"},
      {"m0 a\n", "names none of the hosts, such as n0"}};
  for (const auto& [text, why] : wrong) try {
      in(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--switches mine: " + why)) << error.what();
    }
}

}  // namespace
}  // namespace everylink
