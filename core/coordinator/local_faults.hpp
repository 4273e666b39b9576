// What hosts lacked, so that links could not be measured: it says nothing of the network.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace everylink {

class LocalFaults {
 public:
  // True: not known of this rank yet.
  bool add(int rank, const std::string& cause) { return ranks_[cause].insert(rank).second; }
  // "too many open files on host n3 (rank 6); not enough memory on hosts n4, n5 (ranks 8, 10)". `hosts`: by
  // rank.
  std::string text(const std::vector<std::string>& hosts) const;

 private:
  std::map<std::string, std::set<int>> ranks_;  // by cause
};

}  // namespace everylink
