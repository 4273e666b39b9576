// The lines of LinkTest 1.2.
#include "linktest/old_lines.hpp"
#include "base/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace everylink {
namespace {

constexpr double mebi = 1048576, micro = 1e-6;

// The times of ranks that took part in an all-to-all; "": there was none.
std::string all_to_all(const std::vector<Sample>& samples) {
  double min = 0, max = 0;
  for (const auto& sample : samples) {
    if (!(sample.all_to_all > 0)) continue;
    min = min > 0 ? std::min(min, double{sample.all_to_all}) : sample.all_to_all;
    max = std::max(max, double{sample.all_to_all});
  }
  if (max <= 0) return "";
  return fmt::format(" [ alltoall min={:10.3f}us max={:10.3f}us ]", min / micro, max / micro);
}

}  // namespace

std::string OldLines::head(const Options& o, int ranks) {
  std::string text = std::string(58, '-');
  const auto wide = [&](const char* name, const auto& value, const char* unit = "") {
    const std::string label = fmt::format("linktest: {}:", name);
    text += fmt::format("\n{}{:>{}}{}", label, value, 47 - label.size(), unit);
  };
  const auto narrow = [&](const char* name, const auto& value) {
    text += fmt::format("\n{:<37}{}", fmt::format("linktest: {}:", name), value);
  };
  const auto bytes = o.largest();
  wide("Number of MPI-Task", ranks);
  wide("Message length", bytes, " Bytes");
  wide("Message length", fmt::format("{:.4f}", static_cast<double>(bytes) / 1024), " KBytes");
  wide("Number of Iteration", o.most_messages());
  wide("Number of Iter. (Warmup)", o.warmups);
  narrow("alltoall", int{o.all_to_all});
  narrow("mixing pe order", int{o.randomize > 0});
  narrow("serial test", int{o.serial});
  narrow("control wtime", fmt::format("{:.6f}", o.min_runtime > 0 ? o.min_runtime : -1));
  narrow("write protocol (SION)", int{o.is_sion()});
  narrow("      par I/O", 1);
  narrow("max stest", std::min(o.slowest, ranks));
  return text + "\n" + std::string(58, '-');
}

void OldLines::add(const Sample& sample) {
  fresh_.push_back(sample);
  all_.add(sample.outcome, static_cast<double>(sample.one_way.mean));
}

std::string OldLines::bandwidth(double one_way) const {
  return fmt::format("({:7.2f} MB/s)", all_.bandwidth(one_way) / mebi);
}

std::string OldLines::end_step(std::uint32_t iteration, std::int32_t step) {
  std::string text;
  if (serial_ && (iteration != iteration_ || step != step_)) text = finished_step();
  iteration_ = iteration;
  step_ = step;
  of_step_.insert(of_step_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  return serial_ ? text : finished_step();
}

std::string OldLines::finished_step() {
  if (step_ == 0) return "";
  auto samples = std::exchange(of_step_, {});
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  LinkTimes times(bytes_, directions_);
  std::string text = fmt::format(" {:<8} PingPong for step {:5d}: ", serial_ ? "Serial" : "Parallel",
                                 std::exchange(step_, 0));
  if (serial_) text += '\n';
  for (const auto& sample : samples) {
    times.add(sample.outcome, double{sample.one_way.mean});
    if (serial_)
      text += fmt::format(" {:6d}->{:6d}:{} (l={})\n", sample.from, sample.to, time_of(sample, 12, 5),
                          sample.from);
  }
  if (!times.any()) return text + "  no link was measured" + all_to_all(samples);
  const auto one = [&](const char* name, double value) {
    return fmt::format("{}={:10.3f}us {}", name, value / micro, bandwidth(value));
  };
  return text + "  " + one("avg", times.mean()) + " " + one("min", times.min()) + " " +
         one("max", times.max()) + all_to_all(samples);
}

std::string OldLines::time_of(const Sample& sample, int width, int digits) const {
  if (sample.outcome != Outcome::ok) return fmt::format(" {}", said_of(sample.outcome));
  const double time = sample.one_way.mean;
  return fmt::format("{:{}.{}f}us {}", time / micro, width, digits, bandwidth(time));
}

std::string OldLines::result(const std::string& name, double one_way) const {
  return fmt::format("\n{:<29}{:20.8f}us {} [iter {:2d} ]", fmt::format("RESULT: {}:", name), one_way / micro,
                     bandwidth(one_way), iteration_ + 1);
}

std::string OldLines::results(const std::vector<Retest>& slowest) const {
  if (!all_.any()) return "RESULT: no link was measured";
  std::string text = "\n" + result("Min Time", all_.min()) + result("Max Time", all_.max()) +
                     result("Avg Time", all_.mean());
  LinkTimes again(bytes_, directions_);
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    const auto& [first, second] = slowest[i];
    text += fmt::format("\n {:6d}: PINGPONG {:6d}  <->  {:6d}:  1st: {}    2nd: {}", i, first.from, first.to,
                        time_of(first, 10, 4), time_of(second, 10, 4));
    again.add(second.outcome, double{second.one_way.mean});
  }
  if (!again.any()) return text;
  return text + result("Min Time Stest", again.min()) + result("Max Time Stest", again.max()) +
         result("Avg Time Stest", again.mean());
}

}  // namespace everylink
