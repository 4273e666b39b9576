// What a rank knows of itself and its machine; it goes into the file, and it decides how ranks wait.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "base/carrier.hpp"

namespace everylink {

inline constexpr int most_adapters = 1 << 10;  // of a host

struct RankFacts {
  std::string host;             // its name
  std::string machine;          // boot id: whose cores it shares
  std::string network;          // network namespace: hosts of one name are told apart by machine and network
  std::string cores;            // processors it may run on: "0-3,8"
  int numa = -1;                // -1: several, or not known
  std::size_t free_memory = 0;  // bytes on its machine; 0: not known
  std::string topology_address = {};  // SLURM_TOPOLOGY_ADDR: the switches above it; "": not known
  std::string topology_pattern = {};  // what the parts of that are
  Carrier carrier = {};               // known once the transport is made
  int adapters = 0;                   // of a high-speed network, on its host (host/adapters.hpp)

  bool is_sound() const { return adapters >= 0 && adapters <= most_adapters; }
  // The carrier comes with the first report.
  static constexpr auto fields =
      std::tuple(&RankFacts::host, &RankFacts::machine, &RankFacts::network, &RankFacts::cores,
                 &RankFacts::numa, &RankFacts::free_memory, &RankFacts::topology_address,
                 &RankFacts::topology_pattern, &RankFacts::adapters);
};

// Host indices 0, 1, ... in the order of their first rank.
std::vector<int> hosts_of(const std::vector<RankFacts>&);
// Whether more ranks than cores share the machine of each rank.
std::vector<char> crowded_of(const std::vector<RankFacts>&);

}  // namespace everylink
