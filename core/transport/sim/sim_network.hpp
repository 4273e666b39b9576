// The made-up network of `sim`: hosts, switches and planted faults, read from the options behind --mode
// sim:...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace everylink {

// One direction of one link. A message of b bytes leaves in b / bandwidth and arrives `latency` after that.
struct SimWay {
  Seconds latency;
  double bandwidth;   // bytes a second
  double noise;       // each message takes up to this part longer
  double jitter;      // one message in 20 takes this many times as long; 1: none
  bool dead;          // nothing ever arrives
  int corrupt;        // number of the message that arrives wrong; -1: none, -2: every one
  std::uint64_t key;  // of this direction's counted randomness
  bool local;         // within a host, through no port
  double port;        // bytes a second through the port of `from`, each way
};

class SimNetwork {
 public:
  SimNetwork(int size, const Settings&);  // throws UsageError that names the option
  SimWay way(int from, int to) const;
  int host_of(int rank) const { return static_cast<int>(static_cast<std::int64_t>(rank) * hosts_ / size_); }
  std::string host_name(int rank) const;

 private:
  enum class Kind { slow, delay, jitter, dead, corrupt };
  struct Fault {
    Kind kind;
    int from, to;  // ranks of a link; a host fault has its host in `from` and no_rank in `to`
    double value;  // speed factor, seconds, times as long, message number
  };
  void read_faults(const Settings&, const std::string& key, Kind, bool of_host, char before_value);
  bool concerns(const Fault&, int from, int to) const;
  double port_of(int host) const;

  int size_, hosts_, leaf_;
  Seconds latency_, local_latency_, spine_latency_;
  double bandwidth_, local_bandwidth_, noise_;
  std::uint64_t seed_;
  std::vector<Fault> faults_;
};

}  // namespace everylink
