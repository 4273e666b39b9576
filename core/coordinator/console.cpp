// Prints progress and results. A closed pipe must not end a run: text that cannot be written is dropped,
// results are not.
#include "coordinator/console.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/clock.hpp"
#include "base/units.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", c);
    else
      out += c;
  }
  return out + '"';
}

std::string or_null(const std::string& text) { return text.empty() ? "null" : quoted(text); }

// A reader that does not read delays the run only briefly; then the text is dropped. A pipe that polls as
// writable takes PIPE_BUF bytes without blocking.
void write(int fd, std::string_view text) {
  static bool stuck = false;
  constexpr int usual_limit = 30000, limit_when_ending = 200;  // milliseconds
  while (!text.empty()) {
    pollfd one{fd, POLLOUT, 0};
    const int ready = ::poll(&one, 1, stuck ? 0 : end_is_wanted() ? limit_when_ending : usual_limit);
    if (ready < 0 && errno == EINTR) continue;
    stuck = ready <= 0;
    if (stuck) return;
    const ssize_t n = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

constexpr Seconds plain_every = 10, bar_every = 0.1;

}  // namespace

Console::Console(Progress progress) : progress_(progress) {
  if (progress_ != Progress::automatic) return;
  bar_ = ::isatty(STDERR_FILENO);
  if (!bar_) progress_ = Progress::plain;
}

Console::~Console() { clear_bar(); }

void Console::say(std::string_view lines) {
  clear_bar();
  if (progress_ == Progress::json)
    for (const auto& line : split(lines, '\n')) event(fmt::format(R"("text","text":{})", quoted(line)));
  else
    write(STDOUT_FILENO, fmt::format("{}\n", lines));
}

void Console::complain(std::string_view line) {
  clear_bar();
  write(STDERR_FILENO, fmt::format("everylink-measure: {}\n", line));
}

void Console::event(std::string_view fields) {
  write(STDOUT_FILENO, fmt::format("{{\"event\":{}}}\n", fields));
}

void Console::plan(const Plan& plan) {
  if (progress_ == Progress::json)
    event(fmt::format(
        R"("plan","ranks":{},"hosts":{},"transport":{},"kernel":{},"schedule":{},"sizes":[{}],"steps":{},"links":{},"file_bytes":{:.0f},"output":{})",
        plan.ranks, plan.hosts, quoted(plan.transport), quoted(plan.kernel), quoted(plan.schedule),
        fmt::join(plan.sizes, ","), plan.steps, plan.links, plan.file_bytes, or_null(plan.output)));
}

void Console::step(const Step& s) {
  const double part = s.steps ? static_cast<double>(s.step) / static_cast<double>(s.steps) : 1;
  const Seconds now = steady_now();
  if (progress_ == Progress::json) {
    event(fmt::format(
        R"("step","iteration":{},"step":{},"steps":{},"links_done":{},"links_failed":{},"seconds":{:.6g},"seconds_left":{:.6g})",
        s.iteration, s.step, s.steps, s.links_done, s.links_failed, s.elapsed, s.left));
  } else if (bar_ && now > last_ + bar_every) {
    constexpr int width = 30;
    const int full = static_cast<int>(part * width);
    write(STDERR_FILENO,
          fmt::format("\r\033[K[{:#<{}}{:.<{}}] step {} of {}, {} failed, {} left", "", full, "",
                      width - full, s.step, s.steps, s.links_failed, text_of_duration(s.left)));
    bar_shown_ = true;
    last_ = now;
  } else if (progress_ == Progress::plain && now > last_ + plain_every) {
    if (last_ > 0)
      say(fmt::format("Progress: step {} of {} ({:.0f} %), {} links measured, {} failed, {} left", s.step,
                      s.steps, 100 * part, s.links_done, s.links_failed, text_of_duration(s.left)));
    last_ = now;
  }
}

void Console::retest(std::size_t done, std::size_t of) {
  if (progress_ == Progress::json) event(fmt::format(R"("retest","done":{},"of":{})", done, of));
}

void Console::end(int exit_code, std::int64_t ok, std::int64_t failed, const std::string& output) {
  clear_bar();
  if (progress_ == Progress::json)
    event(fmt::format(R"("end","exit":{},"links_ok":{},"links_failed":{},"output":{})", exit_code, ok, failed,
                      or_null(output)));
}

void Console::clear_bar() {
  if (bar_shown_) write(STDERR_FILENO, "\r\033[K");
  bar_shown_ = false;
}

}  // namespace everylink
