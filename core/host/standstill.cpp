// The kernel counts how long a thread waits for a processor, and how often; a handler counts the signals that
// continue it.
#include "host/standstill.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds between_readings = 0.1;
constexpr double most_of_the_time = 0.5;
// A wait for a turn that is not held against the host. Ranks that share cores wait for each other as well,
// but yield within microseconds. A program that does not yield keeps the processor for some 3 ms at a time,
// so it takes three of them for each rank to exceed this.
constexpr Seconds short_wait = 0.002;

// The file has nanoseconds on a processor, nanoseconds waiting for one, and how often the thread got one.
Seconds waited_so_far() {
  const Descriptor file(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  std::array<char, 96> text{};
  const auto length = file.is_open() ? ::read(file.fd(), text.data(), text.size()) : 0;
  const char* const end = text.data() + std::max(length, ssize_t{0});
  const char* const second = std::find<const char*>(text.data(), end, ' ');
  std::uint64_t nanoseconds = 0;
  if (second != end) std::from_chars(second + 1, end, nanoseconds);
  return static_cast<double>(nanoseconds) * 1e-9;
}

// Far cheaper than the file.
long turns_so_far() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw + used.ru_nivcsw;
}

}  // namespace

void Standstill::begin() {
  stops_ = times_continued();
  turns_ = turns_so_far();
  const Seconds now = steady_now();
  if (now < read_at_ + between_readings) return;
  read_at_ = now;
  waited_ = waited_so_far();
}

std::string Standstill::cause(Seconds had, double enough) const {
  if (times_continued() != stops_) return "stopped by a signal for a while";
  const Seconds waited = waited_so_far() - waited_;
  const auto turns = static_cast<double>(turns_so_far() - turns_ + 1);
  const bool waited_long = waited - turns * short_wait > most_of_the_time * had;
  return waited_long && turns < enough ? "hardly any processor time" : "";
}

}  // namespace everylink
