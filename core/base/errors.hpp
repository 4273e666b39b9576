// The two kinds of error that are exceptions; a link's fault is an Outcome.
#pragma once

#include <stdexcept>
#include <string>

namespace everylink {

// The user's mistake: one line that names the option and what would work. Exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The machine's fault or ours: `main` prints host, rank and what. Exit 1.
struct MachineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Rank 0 is gone, and with it the run: every rank sees it, and where a supervisor says it once, they need
// not.
struct RunLost : MachineError {
  using MachineError::MachineError;
};

// For calls that give -1 and set errno.
[[noreturn]] void throw_errno(const std::string& what);
int check_errno(int result, const char* call);  // gives the result back, or throws MachineError

inline constexpr int exit_ok = 0, exit_machine = 1, exit_usage = 2, exit_links_failed = 3;

}  // namespace everylink
