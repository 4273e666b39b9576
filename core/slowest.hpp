// The slowest pairs of a run, to be measured again at its end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sample.hpp"

namespace everylink {

// A slow link, and how it was when it was measured again, if it was.
struct Retest {
  Sample first;
  std::optional<Sample> again;
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
  std::vector<Retest> retests() const;  // the slower link of each pair

 private:
  Pair* find(const Sample&);
  std::size_t keep_;
  std::vector<Pair> pairs_;
};

}  // namespace everylink
