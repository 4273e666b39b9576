// The kernel counts how long a thread waits for a processor; a handler counts the signals that continue it.
#include "host/standstill.hpp"

#include <fstream>

#include "base/clock.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds between_readings = 0.1;
// Ranks that share cores wait for each other as well, but each time for far less: they yield.
constexpr double most_of_the_time = 0.5;
constexpr Seconds long_wait = 0.05;

}  // namespace

void Standstill::begin() {
  stops_ = times_continued();
  const Seconds now = steady_now();
  if (now < read_at_ + between_readings) return;
  read_at_ = now;
  since_ = read();
}

std::string Standstill::cause(Seconds tried) const {
  if (times_continued() != stops_) return "stopped by a signal for a while";
  const Waits now = read();
  const Seconds waited = now.waited - since_.waited;
  const auto turns = static_cast<double>(now.turns - since_.turns + 1);
  if (waited > most_of_the_time * tried && waited / turns > long_wait) return "hardly any processor time";
  return "";
}

// The file has nanoseconds on a processor, nanoseconds waiting for one, and how often the thread got one.
Standstill::Waits Standstill::read() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, waited = 0;
  std::uint64_t turns = 0;
  if (!(file >> ran >> waited >> turns)) return {};
  return {waited * 1e-9, turns};
}

}  // namespace everylink
