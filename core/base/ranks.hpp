// Ranks are numbers from 0.
#pragma once

#include <algorithm>
#include <span>

namespace everylink {

inline constexpr int no_rank = -1;

// Whether a rank is in a sorted list.
inline bool is_among(std::span<const int> sorted, int rank) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

}  // namespace everylink
