// Failed links, folded into what a person can read: a line a host where all its links failed, single links
// else.
#pragma once

#include <string>
#include <vector>

#include "facts.hpp"
#include "sample.hpp"

namespace everylink {

class Failures {
 public:
  void know(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of);
  void add(const Sample&);  // every row of the main run, whatever its outcome
  std::int64_t count() const { return count_; }
  int hosts() const { return static_cast<int>(host_names_.size()); }
  std::vector<std::string> lines() const;  // worst first

 private:
  struct Link {
    int from, to;
    Outcome outcome;
  };
  std::string name(int rank) const;
  std::vector<std::string> rank_names_, host_names_;
  std::vector<int> host_of_;
  std::vector<std::int64_t> failed_of_, links_of_;  // of each host
  std::vector<Link> kept_;
  std::int64_t count_ = 0;
};

}  // namespace everylink
