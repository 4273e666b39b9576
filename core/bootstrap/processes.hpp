// Processes that this one starts, and signals sent to this one. Tests put simulated ones in their place.
#pragma once

#include <optional>
#include <vector>

#include "base/seconds.hpp"

namespace everylink {

class Processes {
 public:
  // What became of a process that this one started.
  struct Change {
    enum class Kind { exited, killed, stopped, continued };
    int process = 0;
    Kind kind = Kind::exited;
    int number = 0;  // exit code, or signal
  };

  virtual ~Processes() = default;
  // From now on signals that ask for the end or for a summary, and the ends of processes, arrive during
  // `wait` and at no other time: none is missed.
  virtual void hold_signals() = 0;
  // Returns 0 in the new process, which ends together with the one that started it; otherwise its number.
  virtual int start() = 0;
  virtual std::optional<Change> next_change() = 0;  // never waits
  virtual void signal(int process, int number) = 0;
  // Sleeps until a process changes, a signal arrives or there is something to read from `fd` (-1: from
  // nowhere), but no longer than this. Returns the signals.
  virtual std::vector<int> wait(int fd, Seconds longest) = 0;
};

Processes& child_processes();  // of this machine

}  // namespace everylink
