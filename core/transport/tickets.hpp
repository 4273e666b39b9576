// Messages in flight in one direction, for transports that split them into pieces. A message is done when all
// its pieces are.
#pragma once

#include <cstddef>
#include <deque>

namespace everylink {

class Tickets {
 public:
  int start(int pieces) {
    left_.push_back(pieces);
    return base_ + static_cast<int>(left_.size()) - 1;
  }
  void piece_done(int ticket) {
    --left_[static_cast<std::size_t>(ticket - base_)];
    for (; !left_.empty() && left_.front() == 0; ++base_) left_.pop_front();
  }
  bool done(int ticket) const {
    return ticket < base_ || left_[static_cast<std::size_t>(ticket - base_)] == 0;
  }
  bool all_done() const { return left_.empty(); }

 private:
  std::deque<int> left_;
  int base_ = 0;
};

}  // namespace everylink
