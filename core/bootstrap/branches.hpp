// The ranks below this one in the tree: a channel to each that called here, and the branch through which each
// rank is reached.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "bootstrap/channel.hpp"
#include "net/network.hpp"

namespace everylink {

inline constexpr Seconds look_again = 1;      // at dark paths and half-open callers
inline constexpr Seconds farewell_limit = 5;  // for messages that are not sent yet

class Branches {
 public:
  using Take = std::function<void(int from, Channel::Frame)>;  // MachineError closes the channel
  using Ended = std::function<void(int rank)>;  // the process of a rank that called here has ended

  Branches(Network&, Clock&, int size);
  // Ready: serve has something to do. Null: nobody has called here yet, and no descriptor is taken for it.
  const Source* source() const { return ready_.get(); }
  bool empty() const { return channels_.empty(); }

  void add(int rank, Channel);
  void serve(const Take&, const Ended&);  // never waits
  void reached_through(int rank, int branch) { ways_[static_cast<std::size_t>(rank)] = branch; }
  int way_to(int rank) const { return ways_[static_cast<std::size_t>(rank)]; }
  bool reaches(int rank) const { return channels_.contains(way_to(rank)); }

  // Sends one frame to each branch, for the ranks that are reached through it. A rank that is reached through
  // none is left out: it will ask again.
  void send(View common, const std::vector<Answer::For>&);
  // Waits until all outboxes are sent, but not for branches that take nothing for `patience`. Never throws.
  void drain(Seconds until, Seconds patience) noexcept;

 private:
  Network& network_;
  Clock& clock_;
  std::unique_ptr<ReadySet> ready_;
  std::map<int, Channel> channels_;
  std::vector<int> ways_;  // the branch of each rank
  Seconds looked_ = 0;
};

}  // namespace everylink
