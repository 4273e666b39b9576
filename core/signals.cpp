// Signals: the handlers only take notes.
#include "signals.hpp"

#include <csignal>
#include <initializer_list>

namespace everylink {
namespace {

volatile std::sig_atomic_t end_wanted = 0, summary_wanted = 0;

void note(int signal) {
  if (signal == SIGUSR1)
    summary_wanted = 1;
  else
    end_wanted = 1;
}

}  // namespace

void heed_signals() {
  struct sigaction action {};
  action.sa_handler = note;  // no SA_RESTART: a sleeping call comes back
  ::sigaction(SIGUSR1, &action, nullptr);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool end_is_wanted() { return end_wanted != 0; }

bool summary_is_wanted() {
  const bool wanted = summary_wanted != 0;
  summary_wanted = 0;
  return wanted;
}

}  // namespace everylink
