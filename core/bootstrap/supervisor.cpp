// The supervisor of ranks: waits for children, signals and words at once, and sleeps in between.
#include "bootstrap/supervisor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace everylink {
namespace {

constexpr Seconds grace = 25;  // for the rest to notice the end; Slurm gives 30 s behind its signal
constexpr int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t end_wanted = 0;
std::vector<pid_t> children;  // for the handler of signals; 0: has ended
sigset_t mask_before;

void die_with(pid_t parent) {
  check_errno(::prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
  if (::getppid() != parent) ::_exit(exit_machine);
}

std::size_t left() {
  return static_cast<std::size_t>(
      std::count_if(children.begin(), children.end(), [](pid_t p) { return p > 0; }));
}

}  // namespace

// A terminal signals the whole group; kill(1) only us: then it is passed on.
void Supervisor::pass_on(int signal) {
  if (signal != SIGUSR1 && signal != SIGUSR2) end_wanted = 1;
  for (const pid_t child : children)
    if (child > 0) ::kill(child, signal);
}

// Signals are taken while this process sleeps, and at no other time: none is missed.
Supervisor::Supervisor(int first, bool all)
    : first_(first), all_(all), code_(first == 0 ? exit_machine : exit_ok) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  for (const int signal : passed_on) ::sigaddset(&blocked, signal);
  check_errno(::sigprocmask(SIG_BLOCK, &blocked, &mask_before), "sigprocmask");
}

bool Supervisor::start() {
  const pid_t parent = ::getpid();
  std::fflush(stdout);
  const pid_t child = check_errno(::fork(), "fork");
  if (child > 0) {
    children.push_back(child);
    return false;
  }
  children.clear();
  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  die_with(parent);
  return true;
}

int Supervisor::wait(int fd, const std::function<bool()>& hear, Seconds nap) {
  struct sigaction action {};
  action.sa_handler = pass_on;
  for (const int signal : passed_on) ::sigaction(signal, &action, nullptr);
  action.sa_handler = [](int) {};  // it only wakes
  ::sigaction(SIGCHLD, &action, nullptr);
  for (note_all(); left() > 0; note_all()) {
    if (!is_over())
      kill_at_.reset();
    else if (!kill_at_)
      kill_at_ = steady_now() + limit_.value_or(grace);
    else if (steady_now() > *kill_at_)
      pass_on(SIGKILL);
    Seconds longest = fd >= 0 ? nap : 3600;
    if (kill_at_) longest = std::clamp(*kill_at_ - steady_now(), 0.01, longest);
    const timespec limit{static_cast<time_t>(longest), static_cast<long>(std::fmod(longest, 1) * 1e9)};
    pollfd polled{fd, POLLIN, 0};
    const int ready = ::ppoll(&polled, 1, &limit, &mask_before);
    if (ready < 0 && errno != EINTR) throw_errno("ppoll");
    if (fd >= 0 && ready >= 0 && !hear()) fd = -1;  // poll passes over it
  }
  return code_;
}

void Supervisor::note_all() {
  int status = 0;
  for (pid_t child; (child = ::waitpid(-1, &status, WUNTRACED | WCONTINUED | WNOHANG)) > 0;)
    note(static_cast<std::size_t>(std::find(children.begin(), children.end(), child) - children.begin()),
         status);
}

void Supervisor::note(std::size_t index, int status) {
  if (index >= children.size()) return;
  if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
    if (WIFSTOPPED(status))
      stopped_.insert(index);
    else
      stopped_.erase(index);
    return;
  }
  const int rank = first_ + static_cast<int>(index), code = exit_code_of(rank, status);
  if (rank == 0) code_ = code;
  if (first_ > 0) code_ = std::max(code_, code);
  one_gave_up_ |= WIFEXITED(status) && code == exit_machine;
  stopped_.erase(index);
  children[index] = 0;
}

// A rank that ends by a signal is named; of many that one signal ended, the first.
int Supervisor::exit_code_of(int rank, int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (std::exchange(said_, WTERMSIG(status)) == WTERMSIG(status)) return exit_machine;
  fmt::print(stderr, "everylink-measure: rank {} was ended by signal {} ({})\n", rank, WTERMSIG(status),
             ::strsignal(WTERMSIG(status)));
  return exit_machine;
}

// Rank 0 has ended; or only it is left; or nobody is left who could go on, after one has given rank 0 up.
bool Supervisor::is_over() const {
  const bool only_one = all_ && left() == 1, rank_0_ended = first_ == 0 && children[0] == 0;
  return end_wanted || limit_ || rank_0_ended || only_one || (one_gave_up_ && left() == stopped_.size());
}

}  // namespace everylink
