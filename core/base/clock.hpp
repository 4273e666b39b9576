// The clocks behind every time limit.
#pragma once

#include <chrono>

#include "base/seconds.hpp"

namespace everylink {

inline Seconds steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A clock; tests replace it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Seconds now() = 0;  // never goes back
};

Clock& steady_clock();  // this machine's

}  // namespace everylink
