// One pair in one step: every size, both links, over one connection.
#pragma once

#include <functional>

#include "base/options.hpp"
#include "kernel/kernel.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "transport/transport.hpp"

namespace everylink {

struct PairWork {
  const Options& options;
  const Kernel& kernel;
  const TransportEntry& entry;  // of the transport
  int rank, peer, size;         // size: of the run
  std::uint64_t epoch;
  const Measure& order;
  Seconds budget;                           // for all sizes, connecting included
  std::uint32_t messages;                   // at most, a turn; 0: as the options say
  std::function<void(const Sample&)> keep;  // each link and size as soon as it is known
};

// Connects, measures and closes. `peer_offer` empty: the peer is gone. Never throws for a link's fault. A
// signal that wants the end cuts it short: what was not measured then is not in the report.
Report measure_pair(const PairWork&, Transport&, Memory& out, Memory& in, View peer_offer);

}  // namespace everylink
