// Installs handlers that only set flags.
#include "host/signals.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace everylink {
namespace {

volatile std::sig_atomic_t end_wanted = 0, summary_wanted = 0;
std::atomic<std::uint64_t> continued = 0;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // a handler may use it

// A terminal and the parent process may both deliver one request. A repetition by the user comes later.
constexpr time_t one_request = 1;  // seconds
time_t requested_at = 0;

time_t seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void note(int signal) {
  if (signal == SIGUSR1) {
    summary_wanted = 1;
  } else if (!end_wanted) {
    end_wanted = 1;
    requested_at = seconds_now();
  } else if (seconds_now() > requested_at + one_request) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = note;  // no SA_RESTART: a sleeping call returns
  ::sigaction(SIGUSR1, &action, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  struct sigaction count {};
  count.sa_handler = [](int) { ++continued; };
  count.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &count, nullptr);
}

bool end_is_wanted() { return end_wanted != 0; }

bool summary_is_wanted() {
  const bool wanted = summary_wanted != 0;
  summary_wanted = 0;
  return wanted;
}

std::uint64_t times_continued() { return continued; }

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsBlocked::SignalsBlocked(int signal) {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_BLOCK, &one, &before_);
}

SignalsBlocked::~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

KeptSignals::KeptSignals() : handlers_(SIGRTMAX + 1) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    ::sigaction(signal, nullptr, &handlers_[static_cast<std::size_t>(signal)]);
}

KeptSignals::~KeptSignals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction now {};
    const auto& before = handlers_[static_cast<std::size_t>(signal)];
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != before.sa_handler)
      ::sigaction(signal, &before, nullptr);
  }
}

}  // namespace everylink
