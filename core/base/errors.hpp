// The two kinds of errors that are exceptions. The fault of a link is data: an Outcome.
#pragma once

#include <cerrno>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace everylink {

// A mistake of the user: one line that names the option and a value that works. Exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A fault of the machine or of Everylink: `main` prints the rank and the fault. Exit code 1.
struct MachineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// This machine lacks what connecting takes: descriptors, memory, an address. It is no fault of the network.
struct LocalFault : MachineError {
  LocalFault(const std::string& what, std::string why) : MachineError(what), cause(std::move(why)) {}
  std::string cause;  // "too many open files"
};
// What an errno says of this machine alone; "": it may say something of the network or the peer.
std::string local_cause(int error);
// Does `action`. Returns what this machine lacked for it: the LocalFault that it threw, or one for
// std::bad_alloc.
template <class Action>
std::optional<LocalFault> local_fault_of(Action action) {
  try {
    action();
  } catch (const LocalFault& fault) {
    return fault;
  } catch (const std::bad_alloc&) {
    return LocalFault(local_cause(ENOMEM), local_cause(ENOMEM));
  }
  return {};
}

// Rank 0 is gone, so the run has ended. Every rank notices, but a supervisor reports it only once.
struct RunLost : MachineError {
  using MachineError::MachineError;
};

// Why a file cannot be written. Throws MachineError where the error is one of the machine (no space, no
// memory, a disk that fails), else UsageError: the user can choose another file.
[[noreturn]] void throw_of_output(const std::string& what, int error);

// For calls that return -1 and set errno. Throws LocalFault where errno says so, else MachineError.
[[noreturn]] void throw_errno(const std::string& what);
int check_errno(int result, const char* call);  // returns the result, or throws MachineError

inline constexpr int exit_ok = 0, exit_machine = 1, exit_usage = 2, exit_links_failed = 3,
                     exit_not_measured = 4;  // no link failed, but some could not be measured here

}  // namespace everylink
