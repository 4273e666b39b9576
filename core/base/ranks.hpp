// Ranks are numbers from 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everylink {

inline constexpr int no_rank = -1, most_ranks = 1 << 24;

// Whether a rank is in a sorted list.
inline bool is_among(std::span<const int> sorted, int rank) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

// "n01, n02 and 3 more": the first of many names.
std::string first_names(const std::vector<std::string>& names, std::size_t most = 10);

// "3 (n07), 5 (n08) and 7 more". `hosts`: by rank; empty: not known.
std::string first_ranks(std::span<const int> ranks, const std::vector<std::string>& hosts = {});
// The same after "rank" or "ranks".
std::string named_ranks(std::span<const int> ranks, const std::vector<std::string>& hosts = {});
// "host n3", or "hosts n4, n5 and 3 more": each host of these ranks once. `hosts`: by rank.
std::string named_hosts(std::span<const int> ranks, const std::vector<std::string>& hosts);

}  // namespace everylink
