// Rank 0's mind in a load pattern: which scene comes next, and what became of its flows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "coordinator/console.hpp"
#include "coordinator/failures.hpp"
#include "coordinator/keeping.hpp"
#include "load/play.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"

namespace everylink {

class Director {
 public:
  Director(const Options&, const Introduction&, Recorder&, Console&);

  std::size_t memory_bytes() const { return play_.memory_bytes(); }
  // Opens the output and says what is to come.
  void begin(Facts);
  // Nothing: all scenes have been given out, and what ranks did last has come in.
  std::optional<Order> next();
  // What a round brought; `began` and `now` on the transport's clock.
  void keep(const std::vector<Report>&, const Order& done, std::span<const int> gone, Seconds began,
            Seconds now);
  bool commit_if_due(bool at_once) { return commits_.if_due(at_once); }
  void tell_interim();
  void carried(int rank, const std::string& lanes) {
    ranks_[static_cast<std::size_t>(rank)].carrier.lanes = lanes;
  }
  void remark(const std::string& text) { remarks_.add(text); }  // once each
  // Closes the output, says the results, and gives the exit code.
  int end(bool interrupted);

 private:
  bool is_connected(const Order&) const;  // after all turns of its scene
  Order first_of(std::int64_t scene);
  void note_link(const FlowRow&);
  void learn(const std::vector<FlowRow>&);
  std::string summary() const;
  std::string sizes() const;
  std::string work() const;
  void say_scene(const Scene&, const std::vector<FlowRow>&) const;

  const Options& options_;
  const Pattern& pattern_;
  const Play play_;
  Recorder& recorder_;
  Commits commits_{recorder_};
  Console& console_;
  std::vector<RankFacts> ranks_;
  Failures failures_;
  std::optional<Staged> staged_;       // the scene that is under way
  std::optional<Order> staged_order_;  // the first one of that scene
  Order order_;                        // the last one that was given out
  Seconds latest_ = 0;                 // of the ranks' made-up clocks
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
  std::vector<bool> known_;  // of each link: it is among failures_, whether it failed or not
  Remarks remarks_;
};

}  // namespace everylink
