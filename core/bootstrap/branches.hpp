// Those below us in the tree: a channel to each that called here, and through which of them each rank is
// reached.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "bootstrap/channel.hpp"

namespace everylink {

class Branches {
 public:
  using Take = std::function<void(int from, Channel::Frame)>;  // MachineError: it closes the channel
  using Ended = std::function<void(int rank)>;  // the process of one that called here has ended

  explicit Branches(int size);
  int fd() const { return epoll_.fd(); }  // readable: serve has something to do
  bool empty() const { return channels_.empty(); }

  void add(int rank, Socket);
  void serve(const Take&, const Ended&);  // never waits
  void reached_through(int rank, int branch) { ways_[static_cast<std::size_t>(rank)] = branch; }
  int way_to(int rank) const { return ways_[static_cast<std::size_t>(rank)]; }
  bool reaches(int rank) const { return channels_.contains(way_to(rank)); }

  // One frame to each branch, for those of the ranks that are reached through it. Who is reached through none
  // is left out: it will ask again.
  void send(View common, const std::vector<Answer::For>&);
  // Waits for what still lies in outboxes, but not for those who have taken nothing for `patience`.
  void drain(Seconds until, Seconds patience);

 private:
  Socket epoll_;
  std::map<int, Channel> channels_;
  std::vector<int> ways_;  // a branch a rank
  Seconds looked_ = 0;
};

}  // namespace everylink
