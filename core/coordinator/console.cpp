// Prints progress and results. A closed pipe must not end a run: text that cannot be written is dropped,
// results are not.
#include "coordinator/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/units.hpp"
#include "host/streams.hpp"

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

constexpr Seconds plain_every = 10, bar_every = 0.1;

}  // namespace

Console::Console(Progress progress) : progress_(progress) {
  if (progress_ != Progress::automatic) return;
  bar_ = ::isatty(STDERR_FILENO);
  if (!bar_) progress_ = Progress::plain;
}

Console::~Console() { clear_bar(); }

void Console::say(std::string_view lines) { say(lines, ""); }

void Console::say_linktest(std::string_view lines) { say(lines, R"("linktest":true,)"); }

void Console::say(std::string_view lines, std::string_view marks) {
  clear_bar();
  if (progress_ == Progress::json)
    for (const auto& line : split(lines, '\n'))
      event(fmt::format(R"("text",{}"text":{})", marks, quoted(line)));
  else
    print_briefly(Stream::output, fmt::format("{}\n", lines));
}

void Console::complain(std::string_view line) {
  clear_bar();
  everylink::complain(line);
}

void Console::event(std::string_view fields) {
  print_briefly(Stream::output, fmt::format("{{\"event\":{}}}\n", fields));
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
    print_briefly(Stream::error,
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
  if (bar_shown_) print_briefly(Stream::error, "\r\033[K");
  bar_shown_ = false;
}

}  // namespace everylink
