// --np: this process starts the ranks and stays behind as their supervisor.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "bootstrap/place.hpp"
#include "errors.hpp"

namespace everylink {
namespace {

constexpr Seconds grace = 90;  // after rank 0 has ended, for the others to notice it

std::vector<pid_t> children;  // for the handler of signals

// A terminal signals the whole group; kill(1) only us: then it is passed on.
void pass_on(int signal) {
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

// Waits for all children; what is left long after rank 0 has ended is ended, by its process id.
int supervise() {
  int of_rank_0 = exit_machine;
  Seconds rank_0_ended = 0;
  for (std::size_t left = children.size(); left > 0;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, rank_0_ended > 0 ? WNOHANG : 0);
    if (ended < 0 && errno != EINTR) throw_errno("waitpid");
    for (std::size_t rank = 0; ended > 0 && rank < children.size(); ++rank) {
      if (children[rank] != ended) continue;
      const int code = exit_code_of(static_cast<int>(rank), status);
      if (rank == 0) of_rank_0 = code, rank_0_ended = steady_now();
      children[rank] = 0;
      --left;
    }
    if (ended == 0) {
      if (steady_now() > rank_0_ended + grace) pass_on(SIGKILL);
      ::usleep(10000);
    }
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
      return body(Place{
          rank, ranks, "local", {rendezvous}, rank == 0 ? std::move(listener) : Socket(), nullptr, key});
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
