// Which ranks share cores.
#include "base/rank_facts.hpp"

#include <gtest/gtest.h>

namespace everylink {
namespace {

RankFacts rank_on(const std::string& host, const std::string& machine, const std::string& cores) {
  return {.host = host, .machine = machine, .network = "", .cores = cores};
}

TEST(RankFacts, ranks_are_crowded_where_their_machine_has_fewer_cores_than_ranks) {
  EXPECT_EQ(crowded_of({rank_on("n1", "a", "0-1"), rank_on("n1", "a", "0-1"), rank_on("n1", "a", "1-2"),
                        rank_on("n2", "b", "0"), rank_on("n2", "b", "0")}),
            (std::vector<char>{0, 0, 0, 1, 1}));
}

TEST(RankFacts, containers_of_one_machine_share_its_cores) {
  EXPECT_EQ(crowded_of({rank_on("c1", "a", "0"), rank_on("c2", "a", "0")}), (std::vector<char>{1, 1}));
}

TEST(RankFacts, ranks_on_simulated_hosts_and_absent_ranks_wait_for_no_core) {
  EXPECT_EQ(crowded_of({rank_on("n0", "a", ""), rank_on("n1", "a", ""), rank_on("rank 2", "", "")}),
            (std::vector<char>{0, 0, 0}));
}

}  // namespace
}  // namespace everylink
