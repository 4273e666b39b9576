// A rank's part in a load pattern: how it follows each order.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "bootstrap/bootstrap.hpp"
#include "load/flows.hpp"
#include "load/play.hpp"
#include "protocol/introduction.hpp"
#include "protocol/report.hpp"

namespace everylink {

// A transport and the memories it registers: they live and are abandoned together.
struct Endpoint {
  std::unique_ptr<Memory> out, in;
  std::unique_ptr<Transport> transport;
};

class LoadPart {
 public:
  struct Work {
    const Options& options;
    const Introduction& introduction;
    int rank;
    const TransportEntry& entry;  // of the transport
    bool waits_in_turn;
  };
  // `endpoint` may be filled later, and `abandon` replaces what it holds.
  LoadPart(const Work&, Endpoint& endpoint, std::function<void()> abandon);

  std::size_t memory_bytes() const { return play_.memory_bytes(); }  // of each of the two memories
  // The peer that this order connects us to, or no_rank.
  int peer_in(const Connect&);
  // Real time that following an order may take.
  Seconds limit_of(const Connect&) const;
  Seconds limit_of(const RunFlows&) const;
  Report connect(const Connect&, int peer, const Round&);
  Report run(const RunFlows&);

 private:
  void enter_scene(std::int64_t scene);
  bool leave_scene();

  const Work work_;
  const Play play_;
  Endpoint& endpoint_;
  const std::function<void()> abandon_;
  std::int64_t scene_ =
      -1;  // the one that links stand for: each from its turn on, until all flows have ended
  std::optional<Flows> flows_;
};

}  // namespace everylink
