// Runs a probe in a child process.
#include "host/probe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/clock.hpp"
#include "base/errors.hpp"

namespace everylink {
namespace {

[[noreturn]] void answer(const std::function<std::string()>& why, int to) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
  for (const int signal : {SIGABRT, SIGSEGV, SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
  const std::string text = '=' + why();
  const auto written = ::write(to, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
  ::_exit(written > 0 ? 0 : 1);
}

// Reads until the end of the stream or until the limit.
std::string heard(int from, Seconds until) {
  std::string text;
  for (;;) {
    pollfd waiting{from, POLLIN, 0};
    const auto left = std::max(0.0, until - steady_now()) * 1000;
    const int ready = ::poll(&waiting, 1, static_cast<int>(left) + 1);
    if (ready < 0 && errno == EINTR) continue;
    char letters[PIPE_BUF];
    const ssize_t n = ready > 0 ? ::read(from, letters, sizeof letters) : 0;
    if (n <= 0) return text;
    text.append(letters, static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string tried_in_child(const std::function<std::string()>& why, Seconds limit) {
  int ends[2];
  check_errno(::pipe2(ends, O_CLOEXEC), "pipe2");
  const pid_t child = check_errno(::fork(), "fork");
  if (child == 0) answer(why, ends[1]);
  ::close(ends[1]);
  const std::string text = heard(ends[0], steady_now() + limit);
  ::close(ends[0]);
  if (text.empty()) ::kill(child, SIGKILL);  // it aborted, or hangs
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text.empty()) return text.substr(1);
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    return fmt::format("its library terminates the process that starts it ({})",
                       ::strsignal(WTERMSIG(status)));
  return "its library does not start and gives no reason";
}

}  // namespace everylink
