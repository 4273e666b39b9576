// A rank's part in a load pattern: what it does at each order.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "bootstrap/bootstrap.hpp"
#include "load/flows.hpp"
#include "load/play.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

// A transport and the memories it registers: they live and are buried together.
struct Carrying {
  std::unique_ptr<Memory> out, in;
  std::unique_ptr<Transport> transport;
};

class Player {
 public:
  struct Work {
    const Options& options;
    const Introduction& introduction;
    int rank;
    const TransportEntry& entry;  // of the transport
    bool waits_in_turn;
  };
  // `carrying` may be filled later, and `bury` replaces what it holds.
  Player(const Work&, Carrying& carrying, std::function<void()> bury);

  std::size_t memory_bytes() const { return play_.memory_bytes(); }  // of each of the two memories
  // Whom this order connects us to, or no_rank.
  int peer_in(const Order&);
  Seconds limit_of(const Order&) const;  // of real time
  Report play(const Order&, int peer, const Round&);

 private:
  bool leave_scene();

  const Work work_;
  const Play play_;
  Carrying& carrying_;
  const std::function<void()> bury_;
  std::int64_t scene_ =
      -1;  // the one that links stand for: each from its turn on, until all flows have ended
  std::optional<Flows> flows_;
};

}  // namespace everylink
