// The one place that decides how a wait waits when nothing moved.
#pragma once

#include <sched.h>

namespace everylink {

// With a core of our own we spin a little, then yield; on a crowded machine the core is given away at once.
class Waiter {
 public:
  explicit Waiter(bool crowded) : crowded_(crowded) {}
  void moved() { idle_ = 0; }
  void nothing_moved() {
    if (crowded_ || ++idle_ > spins) ::sched_yield();
  }

 private:
  static constexpr int spins = 2000;
  bool crowded_;
  int idle_ = 0;
};

}  // namespace everylink
