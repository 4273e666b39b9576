// The one place that decides what a wait does while nothing moves.
#pragma once

#include <sched.h>

#include "base/seconds.hpp"
#include "host/signals.hpp"

namespace everylink {

// Creates the waits of a link, and keeps the state that outlives a wait.
class Waiter {
 public:
  explicit Waiter(bool crowded) : crowded_(crowded) {}

  // One wait. With a core of its own, a rank spins briefly and then yields; on a crowded machine it yields at
  // once.
  class Wait {
   public:
    Wait(Waiter& waiter, Seconds until) : waiter_(waiter), until_(until) {}

    void moved() { idle_ = 0; }
    void nothing_moved() {
      if (waiter_.crowded_ || ++idle_ > spins) ::sched_yield();
    }

    // Whether the limit has passed, or a signal asks the run to end. Reading the clock takes as long as a
    // short message, so only some polls, counted over all waits of the link, read it.
    template <class Clock>
    bool is_over(Clock now) {
      if (until_ <= 0) return true;
      return waiter_.checks_now() && (now() >= until_ || end_is_wanted());
    }

   private:
    Waiter& waiter_;
    const Seconds until_;
    int idle_ = 0;
  };

  Wait until(Seconds limit) { return {*this, limit}; }

 private:
  bool checks_now() { return ++polls_ % (crowded_ ? polls_per_check_crowded : polls_per_check) == 0; }

  // On a crowded machine a poll takes as long as all other ranks of the core take for one.
  static constexpr unsigned polls_per_check = 32, polls_per_check_crowded = 4;
  static constexpr int spins = 2000;
  const bool crowded_;
  unsigned polls_ = 0;
};

}  // namespace everylink
