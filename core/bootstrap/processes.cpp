// Child processes: fork, waitpid, kill, and signals that are taken during ppoll only.
#include "bootstrap/processes.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "base/errors.hpp"

namespace everylink {
namespace {

constexpr int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t arrived[NSIG];

void die_with(pid_t parent) {
  check_errno(::prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
  if (::getppid() != parent) ::_exit(exit_machine);
}

Processes::Change change_of(pid_t process, int status) {
  using Kind = Processes::Change::Kind;
  if (WIFSTOPPED(status)) return {process, Kind::stopped, WSTOPSIG(status)};
  if (WIFCONTINUED(status)) return {process, Kind::continued, SIGCONT};
  if (WIFEXITED(status)) return {process, Kind::exited, WEXITSTATUS(status)};
  return {process, Kind::killed, WTERMSIG(status)};
}

class ChildProcesses final : public Processes {
 public:
  void hold_signals() override {
    sigset_t held;
    ::sigemptyset(&held);
    ::sigaddset(&held, SIGCHLD);
    for (const int signal : passed_on) ::sigaddset(&held, signal);
    check_errno(::sigprocmask(SIG_BLOCK, &held, &mask_before_), "sigprocmask");
  }

  int start() override {
    const pid_t parent = ::getpid();
    std::fflush(stdout);
    const pid_t child = check_errno(::fork(), "fork");
    if (child > 0) return child;
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    die_with(parent);
    return 0;
  }

  std::optional<Change> next_change() override {
    int status = 0;
    pid_t child;
    do child = ::waitpid(-1, &status, WUNTRACED | WCONTINUED | WNOHANG);
    while (child < 0 && errno == EINTR);
    return child > 0 ? std::optional(change_of(child, status)) : std::nullopt;
  }

  void signal(int process, int number) override { ::kill(process, number); }

  std::vector<int> wait(int fd, Seconds longest) override {
    take_signals();
    const timespec limit{static_cast<time_t>(longest), static_cast<long>(std::fmod(longest, 1) * 1e9)};
    pollfd polled{fd, POLLIN, 0};  // of -1 nothing is ever read
    if (::ppoll(&polled, 1, &limit, &mask_before_) < 0 && errno != EINTR) throw_errno("ppoll");
    std::vector<int> signals;
    for (const int signal : passed_on)
      if (arrived[signal]) {
        arrived[signal] = 0;
        signals.push_back(signal);
      }
    return signals;
  }

 private:
  // At the first wait, so that the processes, which are started before, do not inherit the handlers.
  void take_signals() {
    if (takes_signals_) return;
    takes_signals_ = true;
    struct sigaction action {};
    action.sa_handler = [](int signal) { arrived[signal] = 1; };
    for (const int signal : passed_on) ::sigaction(signal, &action, nullptr);
    action.sa_handler = [](int) {};  // it only ends the sleep
    ::sigaction(SIGCHLD, &action, nullptr);
  }

  sigset_t mask_before_{};
  bool takes_signals_ = false;
};

}  // namespace

Processes& child_processes() {
  static ChildProcesses processes;
  return processes;
}

}  // namespace everylink
