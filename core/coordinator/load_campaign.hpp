// Plays a load pattern: which scene comes next, and what became of its flows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "coordinator/campaign.hpp"
#include "load/play.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

class LoadCampaign final : public Campaign {
 public:
  // Throws UsageError where so many ranks cannot play the pattern. `options` and `log` outlive it.
  LoadCampaign(const Options&, const Introduction&, RunLog&);

  std::size_t memory_bytes() const override { return play_.memory_bytes(); }
  Order begin(Facts) override;
  void keep(const Brought&) override;
  std::optional<Order> next(const Order& current, std::span<const int> gone, Seconds now) override;
  std::optional<Order> last_order() const override { return {}; }
  std::string summary() const override;
  int finish(bool interrupted, bool kept) override;

 private:
  std::optional<Order> following();
  bool is_connected(const Connect&) const;  // after all turns of its scene
  Connect first_of(std::int64_t scene);
  void note_link(const FlowRow&);
  void learn(const std::vector<FlowRow>&);
  std::string sizes() const;
  std::string work() const;
  void say_scene(const Scene&, const std::vector<FlowRow>&) const;

  const Options& options_;
  const Pattern& pattern_;
  const Play play_;
  RunLog& log_;
  std::optional<Staged> staged_;  // the current scene
  Connect first_order_;           // of that scene
  Order order_{HandIn{}};         // the last one that was given out
  std::int64_t scene_ = 0;        // the one that order is about
  bool connected_ = false;        // every turn of that scene has been given out
  Seconds latest_ = 0;            // of the ranks' virtual clocks
  std::optional<Seconds> began_;
  std::map<int, std::set<int>> silent_;    // of each rank: the peers it failed with, and none succeeded since
  std::set<std::pair<int, int>> severed_;  // pairs that failed
  struct Whole {
    std::int64_t scene;
    Seconds took;
  };
  std::optional<Whole> whole_;  // the last scene none of whose flows failed
  std::vector<SceneSums> sums_;
  std::int64_t flows_ok_ = 0, flows_failed_ = 0;
};

}  // namespace everylink
