// Measures a load pattern: decides which scene comes next, and records the results of its flows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/seconds.hpp"
#include "coordinator/campaign.hpp"
#include "load/scene_plan.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"

namespace everylink {

class LoadCampaign final : public Campaign {
 public:
  // Throws UsageError if the pattern cannot run with this number of ranks. `options` and `log` outlive it.
  LoadCampaign(const Options&, const Introduction&, RunLog&);

  std::size_t memory_bytes() const override { return plan_.memory_bytes(); }
  Order begin(Facts, std::span<const int> gone) override;
  void keep(const RoundResults&) override;
  std::optional<Order> next(const Order& current, std::span<const int> gone, Seconds now) override;
  std::optional<Order> last_order() const override { return {}; }
  std::optional<Seconds> began() const override { return began_; }
  std::string summary() const override;
  int finish(bool interrupted, bool kept) override;

 private:
  static Order under_load();
  std::optional<Order> following();
  bool is_connected(const Connect&) const;  // `order` is past the last turn of its scene
  Connect first_of(std::int64_t scene);
  void note_link(const FlowRow&);
  void learn(const std::vector<FlowRow>&);
  std::string sizes() const;
  std::string work() const;
  void say_scene(const Scene&, const std::vector<FlowRow>&) const;

  const Options& options_;
  const Pattern& pattern_;
  const ScenePlan plan_;
  RunLog& log_;
  std::optional<AssignedScene> assigned_;  // the current scene
  Connect first_order_;                    // of that scene
  Order order_{Submit{}};                  // the last one given
  std::int64_t scene_ = 0;                 // the scene of that order
  bool connected_ = false;                 // all turns of that scene have been given
  Seconds latest_ = 0;                     // of the ranks' virtual clocks
  std::optional<Seconds> began_;
  std::map<int, std::set<int>> silent_;    // by rank: the peers it failed with since its last success
  std::set<std::pair<int, int>> severed_;  // pairs that failed
  struct Whole {
    std::int64_t scene;
    Seconds took;
  };
  std::optional<Whole> whole_;  // the last scene without a failed flow
  std::vector<SceneSums> sums_;
  std::int64_t flows_ok_ = 0, flows_failed_ = 0, flows_unmeasured_ = 0;
};

}  // namespace everylink
