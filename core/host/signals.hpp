// Signals that ask this process to end soon with a complete file, or to print an interim summary.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

namespace everylink {

// SIGINT, SIGTERM and SIGHUP ask for the end of the run, SIGUSR1 for an interim summary. A later repetition
// of one of the first three ends the process at once. SIGCONT is counted.
void handle_signals();

bool end_is_wanted();             // every wait ends, and rank 0 closes the file
bool summary_is_wanted();         // once per SIGUSR1
std::uint64_t times_continued();  // this process, by SIGCONT: it was stopped before

// While it lives, this thread takes none of these signals, and neither does a thread that it starts.
class SignalsBlocked {
 public:
  SignalsBlocked();  // all
  explicit SignalsBlocked(int signal);
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Some libraries install signal handlers. The destructor restores every handler that was installed at
// construction.
class KeptSignals {
 public:
  KeptSignals();
  ~KeptSignals();
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  std::vector<struct sigaction> handlers_;
};

}  // namespace everylink
