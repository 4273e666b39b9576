// Sorted lists of ranks.
#pragma once

#include <algorithm>
#include <span>

namespace everylink {

inline bool is_among(std::span<const int> sorted, int rank) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

}  // namespace everylink
