// What started this process, as far as we use it: rank, size, one broadcast, and the way out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"

namespace everylink {

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Sends rank 0's bytes to every rank: the one collective call of a run.
  virtual Blob tell_all(View from_rank_0) = 0;
  // The last call. Not clean: the library may hold requests that never complete; then it does not return.
  virtual void leave(int exit_code, bool clean) = 0;
};

// The one symbol, `launcher`, that a launcher's module exports.
struct LauncherEntry {
  int abi;
  std::string_view name;
  std::unique_ptr<Launcher> (*join)();  // throws UsageError when this process was started in another way
};
inline constexpr int launcher_abi = 1;

// The known launchers, and for --list why one cannot be used here ("": it can).
struct LauncherState {
  std::string_view name, summary;
  std::string why_unusable;
};
std::vector<LauncherState> launcher_states();
// Whether the launcher started this process and can be used here.
bool launcher_is_here(std::string_view name);

// PMI-1, the text protocol on the descriptor in PMI_FD, by which hydra (MPICH, Intel MPI) and `srun
// --mpi=pmi2` serve the processes that they start. Throws UsageError, MachineError.
std::unique_ptr<Launcher> join_by_pmi();

// What mpirun or srun set in this process's environment; "" or -1 where they set nothing.
struct LauncherHint {
  std::string name;
  int rank = no_rank, size = -1;
};
LauncherHint launcher_hint();

// Of waiting for ranks at the start, before people are told of it.
inline constexpr Seconds quiet_limit = 10;

// Ends this process with a message when a library's call takes longer than `limit` seconds. `notice` is
// printed after quiet_limit; "": nothing is.
class CallLimit {
 public:
  CallLimit(Seconds limit, std::string what, std::string notice = "");
  ~CallLimit();
  CallLimit(const CallLimit&) = delete;
  CallLimit& operator=(const CallLimit&) = delete;

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace everylink
