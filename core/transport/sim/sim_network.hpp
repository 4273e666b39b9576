// The simulated network of `sim`: hosts, switches and planted faults, from the options of --mode sim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/seconds.hpp"
#include "base/settings.hpp"

namespace everylink {

// One direction of one link. A message of b bytes leaves in b / bandwidth and arrives `latency` later.
struct SimWay {
  Seconds latency;
  double bandwidth;   // bytes per second
  double noise;       // lengthens each message by up to this fraction
  double jitter;      // one message in 20 takes this many times as long; 1: none
  bool dead;          // nothing ever arrives
  int corrupt;        // number of the message that is corrupted; -1: none, -2: all
  std::uint64_t key;  // of the random numbers of this direction
  bool local;         // within a host, not through a port
  double port;        // bytes per second through the port of `from`, each way
};

class SimNetwork {
 public:
  SimNetwork(int size, const Settings&);  // throws UsageError, which names the option
  SimWay way(int from, int to) const;
  int host_of(int rank) const { return static_cast<int>(static_cast<std::int64_t>(rank) * hosts_ / size_); }
  std::string host_name(int rank) const;

 private:
  enum class Kind { slow, delay, jitter, dead, corrupt };
  struct Fault {
    Kind kind;
    int from, to;  // ranks of a link; or a host and no_rank
    double value;  // speed factor, seconds, jitter factor or message number
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
