// The two kinds of error that are exceptions; a link's fault is an Outcome.
#pragma once

#include <stdexcept>
#include <string>

namespace everylink {

// The user's mistake: one line that names the option and a value that works. Exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A fault of the machine or of Everylink: `main` prints the rank and the fault. Exit 1.
struct MachineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Rank 0 is gone, and with it the run. Every rank notices, but a supervisor reports it once for all of
// them.
struct RunLost : MachineError {
  using MachineError::MachineError;
};

// For calls that give -1 and set errno.
[[noreturn]] void throw_errno(const std::string& what);
int check_errno(int result, const char* call);  // returns the result, or throws MachineError

inline constexpr int exit_ok = 0, exit_machine = 1, exit_usage = 2, exit_links_failed = 3;

}  // namespace everylink
