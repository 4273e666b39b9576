// What files of pairs have in common: their lines, and steps of disjoint pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace everylink {

struct PairsLine {
  int number;  // from 1
  std::vector<std::string> words;
};
// The lines that are not empty. A comment begins with #.
std::vector<PairsLine> lines_of(const std::string& text);

// The option that names the file, and the number of ranks of the run.
struct PairsOption {
  std::string asked_by;
  int size;

  [[noreturn]] void refuse(const PairsLine&, const std::string& why) const;  // throws UsageError
  std::string place(const PairsLine&) const;                                 // "--confirm FILE: line 3"
  int rank_in(const std::string& word, const PairsLine&) const;              // throws UsageError
  std::pair<int, int> pair_in(const PairsLine&,
                              std::size_t first) const;  // two different ranks; throws UsageError
};

using RankPairs = std::vector<std::pair<int, int>>;
using Steps = std::vector<std::map<int, int>>;  // step -> rank -> partner

// Each pair in the first step in which both ranks are idle and fewer than `most` pairs measure. `order`: key
// of the order in which pairs are taken; 0: as given.
Steps packed(const RankPairs&, std::uint64_t order,
             std::size_t most = std::numeric_limits<std::size_t>::max());
Plan plan_of(Steps);

}  // namespace everylink
