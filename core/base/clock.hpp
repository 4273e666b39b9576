// The clock that limits are measured by.
#pragma once

#include "base/types.hpp"

namespace everylink {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Seconds now() = 0;  // never goes back
};

Clock& steady_clock();  // of this machine

}  // namespace everylink
