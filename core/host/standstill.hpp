// Whether this process could not go on by itself: stopped by a signal, or without a processor.
#pragma once

#include <cstdint>
#include <string>

#include "base/seconds.hpp"

namespace everylink {

// Watches the thread that calls it. Where the kernel does not tell of waits for a processor
// (/proc/thread-self/schedstat), it knows of signals only. Keeps no file open.
class Standstill {
 public:
  void begin();  // watches from now on; waits for a processor from up to 0.1 s before
  // Why a task that has failed since `begin` says nothing about others: this thread was kept from running for
  // most of the time that the task had. The cause of a local fault; "": it was not. `enough`: the number of
  // turns on a processor in which the task can be done.
  std::string cause(Seconds had, double enough) const;

 private:
  Seconds read_at_ = 0;
  Seconds waited_ = 0;       // ready to run, for a processor
  long turns_ = 0;           // on a processor
  std::uint64_t stops_ = 0;  // by signals, each continued
};

}  // namespace everylink
