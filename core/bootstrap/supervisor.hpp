// The ranks that this process has started on this machine, and their end.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "base/types.hpp"

namespace everylink {

// One in a process. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 go on to the ranks.
class Supervisor {
 public:
  // `first`: the rank of the first one started; `all`: every rank of the run is among them.
  Supervisor(int first, bool all);
  // Starts the next rank. True: this is its process, which ends with the one that started it.
  bool start();
  // Until all have ended; then rank 0's exit code, or where rank 0 is not among them the largest. Who is left
  // long after the run has ended is stopped or stuck, and is ended by its process id. `hear` is called when
  // there is something to read from `fd`, and every `nap` seconds, until it gives false.
  int wait(int fd = -1, const std::function<bool()>& hear = {}, Seconds nap = 0);

  static void pass_on(int signal);
  // Who is left after so long is ended.
  void end_within(Seconds limit) { limit_ = limit; }

 private:
  void note_all();
  void note(std::size_t index, int status);
  int exit_code_of(int rank, int status);
  bool is_over() const;

  const int first_;
  const bool all_;
  int code_;
  bool one_gave_up_ = false;
  int said_ = 0;                   // the signal that the last one was ended by
  std::set<std::size_t> stopped_;  // by index
  std::optional<Seconds> limit_, kill_at_;
};

}  // namespace everylink
