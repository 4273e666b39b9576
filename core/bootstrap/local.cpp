// --np: this process starts the ranks and stays behind as their supervisor.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "bootstrap/place.hpp"
#include "errors.hpp"

namespace everylink {
namespace {

constexpr Seconds grace = 25;  // for the rest to notice the end; Slurm gives 30 s behind its signal

volatile std::sig_atomic_t end_wanted = 0;
std::vector<pid_t> children;  // for the handler of signals

// A terminal signals the whole group; kill(1) only us: then it is passed on.
void pass_on(int signal) {
  if (signal != SIGUSR1 && signal != SIGUSR2) end_wanted = 1;
  for (const pid_t child : children)
    if (child > 0) ::kill(child, signal);
}

void die_with(pid_t parent) {
  check_errno(::prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
  if (::getppid() != parent) ::_exit(exit_machine);
}

// A rank that ends by a signal is named; of many that one signal ended, the first.
int exit_code_of(int rank, int status) {
  static int said = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (std::exchange(said, WTERMSIG(status)) == WTERMSIG(status)) return exit_machine;
  fmt::print(stderr, "everylink-measure: rank {} was ended by signal {} ({})\n", rank, WTERMSIG(status),
             ::strsignal(WTERMSIG(status)));
  return exit_machine;
}

// Waits for all children. Who is left long after the run has ended is stopped or stuck, and is ended by its
// process id.
class Supervisor {
 public:
  int run() {
    while (left() > 0) {
      int status = 0;
      const pid_t child = ::waitpid(-1, &status, WUNTRACED | WCONTINUED | (kill_at_ ? WNOHANG : 0));
      if (child < 0 && errno != EINTR) throw_errno("waitpid");
      if (child > 0) note(static_cast<std::size_t>(rank_of(child)), status);
      if (!is_over())
        kill_at_.reset();
      else if (!kill_at_)
        kill_at_ = steady_now() + grace;
      else if (steady_now() > *kill_at_)
        pass_on(SIGKILL);
      if (kill_at_ && child == 0) ::usleep(10000);
    }
    return of_rank_0_;
  }

 private:
  static std::ptrdiff_t left() {
    return std::count_if(children.begin(), children.end(), [](pid_t p) { return p > 0; });
  }
  static std::ptrdiff_t rank_of(pid_t child) {
    return std::find(children.begin(), children.end(), child) - children.begin();
  }

  void note(std::size_t rank, int status) {
    if (rank >= children.size()) return;
    if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
      if (WIFSTOPPED(status))
        stopped_.insert(rank);
      else
        stopped_.erase(rank);
      return;
    }
    const int code = exit_code_of(static_cast<int>(rank), status);
    if (rank == 0) of_rank_0_ = code;
    one_gave_up_ |= WIFEXITED(status) && code == exit_machine;
    stopped_.erase(rank);
    children[rank] = 0;
  }

  // Rank 0 has ended; or only it is left; or nobody is left who could go on, after one has given rank 0 up.
  bool is_over() const {
    const bool all_stopped = static_cast<std::size_t>(left()) == stopped_.size();
    return end_wanted || children[0] == 0 || left() == 1 || (one_gave_up_ && all_stopped);
  }

  int of_rank_0_ = exit_machine;
  bool one_gave_up_ = false;
  std::set<std::size_t> stopped_;  // ranks
  std::optional<Seconds> kill_at_;
};

}  // namespace

int run_here(int ranks, const std::function<int(Place)>& body) {
  Socket listener = listen_on(loopback(0), ranks);
  const Address rendezvous = local_address(listener);
  const Key key = random_key();
  const pid_t parent = ::getpid();
  std::fflush(stdout);
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = check_errno(::fork(), "fork");
    if (child == 0) {
      children.clear();
      die_with(parent);
      if (rank != 0) listener = Socket();  // else it would answer when rank 0 no longer does
      return body(Place{rank, ranks, "local", {rendezvous}, std::move(listener), nullptr, key});
    }
    children.push_back(child);
  }
  listener = Socket();
  struct sigaction action {};
  action.sa_handler = pass_on;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) ::sigaction(signal, &action, nullptr);
  return Supervisor().run();
}

}  // namespace everylink
