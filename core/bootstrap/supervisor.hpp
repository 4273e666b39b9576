// Supervises the ranks that this process has started on this machine, until they end.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "bootstrap/attendance.hpp"
#include "bootstrap/processes.hpp"

namespace everylink {

// At most one per process. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to the ranks.
class Supervisor {
 public:
  // `first`: the rank of the first one started; `all`: they are all ranks of the run. The attendance is
  // shared with the ranks.
  Supervisor(Clock&, Processes&, int first, bool all, std::shared_ptr<Attendance> = {});
  // Starts the next rank. True: this is its process, which ends together with the one that started it.
  bool start();
  // Waits until all have ended. Returns rank 0's exit code, or the largest one if rank 0 is not among them.
  // Ranks that are left long after the run has ended are stopped or stuck, and are killed; at once if it ends
  // before it has begun. `hear` is called when there is something to read from `fd`, and every `nap` seconds,
  // until it returns false.
  int wait(int fd = -1, const std::function<bool()>& hear = {}, Seconds nap = 0);

  // Calls `tell` for each rank that ends before the run has begun.
  void tell_lost(std::function<void(int rank)> tell) { tell_lost_ = std::move(tell); }
  void pass_on(int signal);
  // Kills the ranks that are left after so long.
  void end_within(Seconds limit) { limit_ = limit; }

 private:
  void kill_all();
  void note_all();
  void note(const Processes::Change&);
  int exit_code_of(int rank, const Processes::Change&);
  std::size_t left() const;
  bool is_over() const;
  bool ends_early() const;

  Clock& clock_;
  Processes& processes_;
  const int first_;
  const bool all_;
  int code_;
  std::vector<int> children_;  // process numbers; 0: has ended
  std::shared_ptr<Attendance> attendance_;
  std::function<void(int rank)> tell_lost_;
  bool end_wanted_ = false;
  bool one_gave_up_ = false;
  int reported_ = 0;               // the signal that ended the last rank
  std::set<std::size_t> stopped_;  // by index
  std::optional<Seconds> limit_, kill_at_;
};

}  // namespace everylink
