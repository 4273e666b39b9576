// What a rank knows about itself and its machine. It is recorded, and it decides how ranks wait.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "base/carrier.hpp"

namespace everylink {

inline constexpr int most_adapters = 1 << 10;  // of a host

struct RankFacts {
  std::string host;                   // its name
  std::string machine;                // boot id; ranks with the same one share cores
  std::string network;                // network namespace; with `machine` it tells hosts of one name apart
  std::string cores;                  // processors it may run on: "0-3,8"; "": none are known
  int numa = -1;                      // -1: several, or not known
  std::size_t free_memory = 0;        // bytes on its machine; 0: not known
  std::string topology_address = {};  // SLURM_TOPOLOGY_ADDR, its switches; "": not known
  std::string topology_pattern = {};  // names the parts of the address
  Carrier carrier = {};               // known once the transport is made
  int adapters = 0;                   // high-speed adapters of its host (host/adapters.hpp)

  bool is_sound() const { return adapters >= 0 && adapters <= most_adapters; }
  // The carrier comes with the first report.
  static constexpr auto fields =
      std::tuple(&RankFacts::host, &RankFacts::machine, &RankFacts::network, &RankFacts::cores,
                 &RankFacts::numa, &RankFacts::free_memory, &RankFacts::topology_address,
                 &RankFacts::topology_pattern, &RankFacts::adapters);
};

// Stands for the host of a rank that has not joined, as no rank on its host has.
std::string host_of_unjoined(int rank);
// Host indices 0, 1, ... in the order of their first rank.
std::vector<int> hosts_of(const std::vector<RankFacts>&);
// For each rank: whether its machine has more ranks than cores. Where no cores are known, it has not.
std::vector<char> crowded_of(const std::vector<RankFacts>&);

}  // namespace everylink
