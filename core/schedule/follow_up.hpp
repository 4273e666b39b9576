// The plan of --confirm: which pairs are measured again, and in which phases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/sample.hpp"
#include "schedule/pairs.hpp"

namespace everylink {

struct Phase {
  std::string_view name;  // in the file
  Attempt attempt;        // of its rows
  int readings;           // of each pair; of serial phases several: some networks send a message a longer way
  double busy;            // part of the ranks that measure at the same time; 0: one pair alone
  bool is_serial() const { return busy == 0; }
};
inline constexpr std::array<Phase, 5> phases{{{"order", Attempt::order, 6, 1},
                                              {"quarter", Attempt::quarter, 6, 0.25},
                                              {"few", Attempt::few, 3, 0.0625},
                                              {"alone", Attempt::alone, 3, 0},
                                              {"one-way", Attempt::one_way, 3, 0}}};

struct FollowUp {
  std::array<RankPairs, phases.size()> of_phase;

  RankPairs all() const;     // each pair once
  std::string text() const;  // "order 2 pairs, one-way 2 pairs"
};

// Lines `RANK RANK PHASE`; without a phase, `order` and `one-way` are meant. Throws UsageError.
FollowUp follow_up_of(const std::string& text, const PairsOption&);

// The steps of a parallel phase: its pairs, filled up with others until its part of the ranks is busy. Of any
// other attempt: all pairs, as in the phase `order`. `key`: of the order of the pairs and of the others.
Plan plan_of(const FollowUp&, Attempt, int size, std::uint64_t key);
// The pairs of plan_of one at a time, without others.
Plan serial_plan_of(const FollowUp&, Attempt, int size, std::uint64_t key);

}  // namespace everylink
