// The one place that decides how a wait waits when nothing moved.
#pragma once

#include <sched.h>

#include "base/types.hpp"
#include "host/signals.hpp"

namespace everylink {

// Makes the waits of a link: what outlives one of them is here.
class Waiter {
 public:
  explicit Waiter(bool crowded) : crowded_(crowded) {}

  // One wait. With a core of our own we spin a little, then yield; on a crowded machine the core is given
  // away at once.
  class Wait {
   public:
    Wait(Waiter& waiter, Seconds until) : waiter_(waiter), until_(until) {}

    void moved() { idle_ = 0; }
    void nothing_moved() {
      if (waiter_.crowded_ || ++idle_ > spins) ::sched_yield();
    }

    // Whether the limit has come. A reading of the clock is as long as a short message, so not every poll
    // takes one, of however many waits they are. Who wants the end of the run ends every wait.
    template <class Clock>
    bool is_over(Clock now) {
      if (until_ <= 0) return true;
      return waiter_.looks_now() && (now() >= until_ || end_is_wanted());
    }

   private:
    Waiter& waiter_;
    const Seconds until_;
    int idle_ = 0;
  };

  Wait until(Seconds limit) { return {*this, limit}; }

 private:
  bool looks_now() { return crowded_ || ++polls_ % polls_a_look == 0; }

  static constexpr unsigned polls_a_look = 32;
  static constexpr int spins = 2000;
  const bool crowded_;
  unsigned polls_ = 0;
};

}  // namespace everylink
