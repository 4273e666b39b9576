// All scenes of a run: the pattern's sweep for one message size after the other. The same on every rank.
#pragma once

#include "base/options.hpp"
#include "base/seconds.hpp"
#include "load/flows.hpp"
#include "load/pattern.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"

namespace everylink {

class ScenePlan {
 public:
  // Throws UsageError if the pattern cannot run with this number of ranks or these options.
  ScenePlan(const Options&, const Introduction&);

  std::int64_t scenes() const { return sweep_.scenes * static_cast<std::int64_t>(options_.sizes.size()); }
  std::size_t bytes(std::int64_t scene) const;
  std::size_t ping_bytes() const { return sweep_.ping_bytes; }
  const RequestLoad& request_load() const { return sweep_.request_load; }
  // Of a bulk flow; 0: as many as fit in the duration.
  std::uint64_t messages() const { return sweep_.messages; }
  AssignedScene assigned(std::int64_t scene) const;
  FlowLayout layout(std::int64_t scene) const { return layout_of(bytes(scene)); }
  std::size_t memory_bytes() const;  // of each of the two memories, in any scene
  // Faults of a GPU can be silent, so the first and the last message of each flow are always verified.
  bool verifies_ends() const;

  // Time limits: connecting to one peer, and all flows of a scene.
  Seconds connect_limit() const { return options_.time_limit > 0 ? options_.time_limit : 10; }
  Seconds flow_limit(const RunFlows&) const;
  // A shorter limit for an order, from the time that an earlier scene without failed flows took.
  Seconds timeout(std::int64_t scene, std::int64_t earlier, Seconds took) const;
  ReplyTimeout reply_timeout(std::int64_t scene) const;

 private:
  FlowLayout layout_of(std::size_t bytes) const;
  const Options& options_;
  Sweep sweep_;
};

}  // namespace everylink
