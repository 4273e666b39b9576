// The slowest pairs of a run, to be measured again at its end.
#pragma once

#include <span>
#include <vector>

#include "sample.hpp"

namespace everylink {

// A slow link, in the main run and measured again.
struct Retest {
  Sample first, again;
};

class Slowest {
 public:
  explicit Slowest(int keep) : keep_(static_cast<std::size_t>(keep)) {}

  struct Pair {
    float mean;  // of its slower link
    int low, high;
    std::vector<Sample> first, second;  // its links in the main run, and measured again
  };
  void add(const Sample&);  // of the main run
  void add_again(const Sample&);
  void sort();  // slowest first; before the first retest
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::vector<Retest> retests() const;  // slowest first

 private:
  Pair* find(const Sample&);
  std::size_t keep_;
  std::vector<Pair> pairs_;
};

}  // namespace everylink
