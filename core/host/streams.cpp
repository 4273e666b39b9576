// Writes to standard output and error without a buffer, and keeps the first error of standard output.
#include "host/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include "host/signals.hpp"

namespace everylink {
namespace {

std::atomic<int> output_errno = 0;
std::string program_name = "everylink-measure";
std::atomic<bool> stuck[STDERR_FILENO + 1];

void note_error(int fd) {
  int none = 0;
  if (fd == STDOUT_FILENO && errno != EPIPE) output_errno.compare_exchange_strong(none, errno);
}

// How long to wait for a reader, in milliseconds; -1: for ever.
enum class Wait { brief, endless };
int limit_of(Wait wait, bool stuck_before) {
  constexpr int usual_limit = 30000, limit_when_ending = 200;
  if (wait == Wait::endless) return -1;
  if (stuck_before) return 0;
  return end_is_wanted() ? limit_when_ending : usual_limit;
}

// A pipe that polls as writable takes PIPE_BUF bytes without blocking.
void write(int fd, std::string_view text, Wait wait) {
  while (!text.empty()) {
    pollfd one{fd, POLLOUT, 0};
    const int ready = ::poll(&one, 1, limit_of(wait, stuck[fd]));
    if (ready < 0 && errno == EINTR) continue;
    stuck[fd] = ready <= 0;
    if (ready <= 0) return;
    const ssize_t n = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return note_error(fd);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

void open_closed_streams() {
  // Writing to a file that is open for reading fails, as it should for a closed standard output.
  constexpr int access[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", access[fd]) < 0) return;
}

void print(std::string_view text) { write(STDOUT_FILENO, text, Wait::endless); }

void print_briefly(Stream stream, std::string_view text) {
  write(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO, text, Wait::brief);
}

void complain(std::string_view line) {
  print_briefly(Stream::error, fmt::format("{}: {}\n", program_name, line));
}

void complain_as(std::string_view program) { program_name = program; }

std::string fault_of_output() {
  const int error = output_errno;
  if (error == 0) return "";
  return fmt::format("cannot write to standard output: {}",
                     error == EBADF ? "it is closed" : std::strerror(error));
}

}  // namespace everylink
