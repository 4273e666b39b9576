// --np: this process starts the ranks and stays behind as their supervisor.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
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

// Waits for all children. What is left long after rank 0 has ended, or all but rank 0 have, or a signal
// wanted the end, is stopped or stuck, and is ended by its process id.
int supervise() {
  int of_rank_0 = exit_machine;
  std::optional<Seconds> kill_at;
  for (std::size_t left = children.size(); left > 0;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, kill_at ? WNOHANG : 0);
    if (ended < 0 && errno != EINTR) throw_errno("waitpid");
    for (std::size_t rank = 0; ended > 0 && rank < children.size(); ++rank) {
      if (children[rank] != ended) continue;
      const int code = exit_code_of(static_cast<int>(rank), status);
      if (rank == 0) of_rank_0 = code;
      children[rank] = 0;
      --left;
    }
    if (!kill_at && (children[0] == 0 || left == 1 || end_wanted)) kill_at = steady_now() + grace;
    if (kill_at && steady_now() > *kill_at) pass_on(SIGKILL);
    if (kill_at && ended == 0) ::usleep(10000);
  }
  return of_rank_0;
}

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
  return supervise();
}

}  // namespace everylink
