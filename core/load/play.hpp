// A pattern as this run plays it: all its scenes, one message size after the other. The same on every rank.
#pragma once

#include "base/options.hpp"
#include "load/flows.hpp"
#include "load/pattern.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

class Play {
 public:
  // Throws UsageError where the pattern cannot be played by so many ranks.
  Play(const Options&, const Introduction&);

  std::int64_t scenes() const { return script_.scenes * static_cast<std::int64_t>(options_.sizes.size()); }
  std::size_t bytes(std::int64_t scene) const;
  std::size_t ping_bytes() const { return script_.ping_bytes; }
  const Asking& asking() const { return script_.asking; }
  std::uint64_t messages() const { return script_.messages; }  // of a bulk flow; 0: those of a duration
  Staged staged(std::int64_t scene) const;
  FlowLayout layout(std::int64_t scene) const { return layout_of(bytes(scene)); }
  std::size_t memory_bytes() const;  // of each of the two memories, whatever the scene

  // How long connecting to one peer may take, and all flows of a scene.
  Seconds connect_limit() const { return options_.time_limit > 0 ? options_.time_limit : 10; }
  Seconds flow_limit(const RunFlows&) const;
  // What an order may say of it, by the time that another scene, none of whose flows failed, has taken.
  Seconds patience_of(std::int64_t scene, std::int64_t earlier, Seconds took) const;
  Patience patience(std::int64_t scene) const;

 private:
  FlowLayout layout_of(std::size_t bytes) const;
  const Options& options_;
  Script script_;
};

}  // namespace everylink
