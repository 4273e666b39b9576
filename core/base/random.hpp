// Counter-based random numbers: the same in every process, in every run, and in any order of calls.
#pragma once

#include <cstdint>

namespace everylink {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a good 64-bit hash of a counter.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

// Uniform in [0, 1).
constexpr double unit_interval(std::uint64_t x) {
  return static_cast<double>(mix(x) >> 11) / 9007199254740992.0;
}

// A bijection of [0, n) chosen by a key, without a table: a Feistel network over the next even power of two,
// walked until it falls into the range (Black, Rogaway: Ciphers with Arbitrary Finite Domains, 2002). Key 0
// is the identity.
class Shuffle {
 public:
  constexpr Shuffle(std::int64_t n, std::uint64_t key) : n_(n), key_(key) {
    while ((std::int64_t{1} << (2 * half_)) < n_) ++half_;
  }
  constexpr std::int64_t operator()(std::int64_t x) const {
    if (key_ == 0) return x;
    do x = rounds(x, true);
    while (x >= n_);
    return x;
  }
  constexpr std::int64_t inverse(std::int64_t x) const {
    if (key_ == 0) return x;
    do x = rounds(x, false);
    while (x >= n_);
    return x;
  }

 private:
  static constexpr int count_ = 6;
  constexpr std::int64_t rounds(std::int64_t x, bool forward) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = static_cast<std::uint64_t>(x) >> half_, right = static_cast<std::uint64_t>(x) & mask;
    for (int i = 0; i < count_; ++i) {
      const int round = forward ? i : count_ - 1 - i;
      const std::uint64_t kept = forward ? right : left;
      const std::uint64_t other =
          (forward ? left : right) ^ (mix(key_ + static_cast<std::uint64_t>(round), kept) & mask);
      left = forward ? kept : other;
      right = forward ? other : kept;
    }
    return static_cast<std::int64_t>(left << half_ | right);
  }
  std::int64_t n_;
  std::uint64_t key_;
  int half_ = 1;
};

}  // namespace everylink
