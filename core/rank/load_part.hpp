// A rank's part in a load pattern: connects and runs its flows, following orders.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/host_reading.hpp"
#include "base/seconds.hpp"
#include "bootstrap/bootstrap.hpp"
#include "load/flows.hpp"
#include "load/scene_plan.hpp"
#include "protocol/introduction.hpp"
#include "protocol/report.hpp"

namespace everylink {

// A transport and the memories that it registers. They are freed or abandoned together. All are null where
// this machine lacks what they take.
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
    const TransportEntry& entry;
    bool waits_in_turn;
  };
  // `endpoint` may be filled later. `abandon` replaces its contents.
  LoadPart(const Work&, Endpoint& endpoint, std::function<void()> abandon);

  std::size_t memory_bytes() const { return plan_.memory_bytes(); }  // of each of the two memories
  // The peer to connect to, or no_rank.
  int peer_in(const Connect&);
  // The real time that an order may take.
  Seconds limit_of(const Connect&) const;
  Seconds limit_of(const RunFlows&) const;
  // `local_fault`: why this machine could not even make an offer; "": it did.
  Report connect(const Connect&, std::uint64_t epoch, int peer, const Round&, const std::string& local_fault);
  Report run(const RunFlows&);
  const Carried& carried() const { return carried_; }  // by all flows so far

 private:
  void enter_scene(std::int64_t scene);
  std::optional<std::uint64_t> contents_of(std::int64_t scene) const;
  Seconds now() const;
  void note_virtual_time(Report&) const;
  bool leave_scene();

  const Work work_;
  const ScenePlan plan_;
  Endpoint& endpoint_;
  const std::function<void()> abandon_;
  std::int64_t scene_ = -1;  // the scene of `flows_`; -1: none
  std::optional<Flows> flows_;
  Carried carried_;
};

}  // namespace everylink
