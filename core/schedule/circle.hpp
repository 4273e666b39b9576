// The circle method for a round-robin tournament (Kirkman 1847): n players, every pair once; n - 1 steps of
// disjoint pairs for even n, n steps with one bye each for odd n.
#pragma once

#include <cstdint>

#include "base/ranks.hpp"

namespace everylink {

constexpr std::int64_t circle_steps(std::int64_t n) { return n < 2 ? 0 : n - 1 + n % 2; }

constexpr int circle_partner(std::int64_t n, std::int64_t step, std::int64_t player) {
  const std::int64_t last = n - 1 + n % 2;  // the player that stays in place: a bye if n is odd
  const std::int64_t peer = player == last   ? step
                            : player == step ? last
                                             : (2 * step - player + 2 * last) % last;
  return peer < n ? static_cast<int>(peer) : no_rank;
}

}  // namespace everylink
