// The slowest pairs of a run, which are measured again at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rows.hpp"
#include "base/sample.hpp"

namespace everylink {

class Slowest {
 public:
  explicit Slowest(int keep) : keep_(static_cast<std::size_t>(keep)) {}
  void keep_at_most(std::size_t pairs) { keep_ = std::min(keep_, pairs); }  // before the first sample

  struct Pair {
    float mean;  // of its slower link
    int low, high;
    std::vector<Sample> first, second;  // its links in the main run, and measured again
  };
  void add(const Sample&);  // of the main run
  void add_again(const Sample&);
  void sort();  // slowest first; before the first retest
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::vector<Retest> retests() const;  // of all links of these pairs, slowest first

 private:
  using Key = std::uint64_t;  // of a pair
  static Key key_of(int low, int high);
  void forget_fastest();
  std::size_t keep_;
  std::vector<Pair> pairs_;
  std::unordered_map<Key, std::size_t> at_;  // where in pairs_
  std::set<std::pair<float, Key>> by_time_;  // sorted: every link is added, and thousands may be kept
};

}  // namespace everylink
