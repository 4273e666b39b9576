// What started this process, as far as it serves us: rank, size, one word to everybody, and the way out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace everylink {

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Rank 0's bytes to everybody: the one collective call of a run.
  virtual Blob tell_all(View from_rank_0) = 0;
  // The last call. Not clean: the library may hold requests that never end; then it does not return.
  virtual void leave(int exit_code, bool clean) = 0;
};

// The one symbol, `launcher`, of a launcher's module.
struct LauncherEntry {
  int abi;
  std::string_view name;
  std::unique_ptr<Launcher> (*join)();  // throws UsageError when this process was not started that way
};
inline constexpr int launcher_abi = 1;

// Those there are, and for --list why one cannot be used here ("": it can).
struct LauncherState {
  std::string_view name, summary;
  std::string why_unusable;
};
std::vector<LauncherState> launcher_states();
// Whether this process was started so that the launcher serves it, and it can be used here.
bool launcher_is_here(std::string_view name);

// What mpirun or srun said in this process's environment; "" or -1 where they did not.
struct LauncherHint {
  std::string name;
  int rank = no_rank, size = -1;
};
LauncherHint launcher_hint();

// A library's call must not hold the run up: ends this process with a sentence when it outlives `limit`
// seconds.
class CallLimit {
 public:
  CallLimit(Seconds limit, std::string what);
  ~CallLimit();
  CallLimit(const CallLimit&) = delete;
  CallLimit& operator=(const CallLimit&) = delete;

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace everylink
