// The one place that decides how a wait waits when nothing moved.
#pragma once

#include <sched.h>

#include "signals.hpp"
#include "words.hpp"

namespace everylink {

// With a core of our own we spin a little, then yield; on a crowded machine the core is given away at once.
class Waiter {
 public:
  explicit Waiter(bool crowded) : crowded_(crowded) {}
  void moved() {
    idle_ = 0;
  }  // to be called at the end of every wait too, or short ones add up to a long one
  void nothing_moved() {
    if (crowded_ || ++idle_ > spins) ::sched_yield();
  }

  // Whether the limit has come. A reading of the clock is as long as a short message, so not every poll takes
  // one. Who wants the end of the run ends every wait.
  template <class Clock>
  bool is_over(Seconds until, Clock now) {
    if (until <= 0) return true;
    return (crowded_ || ++polls_ % polls_a_look == 0) && (now() >= until || end_is_wanted());
  }

 private:
  static constexpr unsigned polls_a_look = 32;
  static constexpr int spins = 2000;
  bool crowded_;
  int idle_ = 0;
  unsigned polls_ = 0;
};

}  // namespace everylink
