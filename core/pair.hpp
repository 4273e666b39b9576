// One pair in one step: every size, both links, over one connection.
#pragma once

#include "config.hpp"
#include "kernel/kernel.hpp"
#include "letters.hpp"
#include "transport/transport.hpp"

namespace everylink {

struct PairWork {
  const Options& options;
  const Kernel& kernel;
  int rank, peer, size;  // size: of the run
  std::uint64_t epoch;
  const Order& order;
};

// Connects, measures and closes. `peer_offer` empty: the peer is gone. Never throws for a link's fault.
Report measure_pair(const PairWork&, Transport&, Memory& out, Memory& in, View peer_offer);

}  // namespace everylink
