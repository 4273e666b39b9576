// Measures one pair in one step: every size, both links, over one connection.
#pragma once

#include <functional>
#include <string>

#include "base/bytes.hpp"
#include "base/host_reading.hpp"
#include "base/options.hpp"
#include "base/seconds.hpp"
#include "kernel/kernel.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "transport/transport.hpp"

namespace everylink {

struct PairWork {
  const Options& options;
  const Kernel& kernel;
  const TransportEntry& entry;
  int rank, peer;
  std::uint64_t epoch;
  const Measure& order;
  const Step& step;                         // of the order
  bool leads_in;                            // other ranks of the step may have their orders later
  Seconds budget;                           // for all sizes, including connecting
  std::uint32_t messages;                   // at most, per turn; 0: as in the options
  bool verifies_ends;                       // the contents of the first and the last message of a turn
  std::function<void(const Sample&)> keep;  // called for each size as soon as its link is measured
  // Called when a link fails, with its time limit and the number of turns on a processor that would have been
  // enough for it. Returns what this process or its host lacks, which is no fault of the network; "":
  // nothing.
  std::function<std::string(Seconds limit, double enough)> lacks;
  Carried& carried;  // by this rank so far
};

// Connects, measures and closes. An empty `peer_offer` means that the peer is gone. Never throws for the
// fault of a link. A signal ends it early: the report then has only what was measured.
Report measure_pair(const PairWork&, Transport&, Memory& out, Memory& in, View peer_offer);
// The report of a rank whose machine lacks what measuring takes.
Report pair_not_measured(const PairWork&, const std::string& cause);

}  // namespace everylink
