// Signals that ask this process for something: to end soon with its file whole, or to say how far it is.
#pragma once

#include <csignal>
#include <vector>

namespace everylink {

// SIGINT, SIGTERM and SIGHUP ask for the end of the run, SIGUSR1 for an interim summary. One of
// these again, later, ends the process at once.
void heed_signals();

bool end_is_wanted();      // every wait is over, and rank 0 closes the file
bool summary_is_wanted();  // once for each SIGUSR1

// Some libraries take signals for themselves: when this ends, every handler is as it was when it began.
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
