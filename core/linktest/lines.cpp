// LinkTest's lines.
#include "linktest/lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everylink {

void LinkTimes::add(Outcome outcome, double one_way) {
  ++links_;
  if (outcome != Outcome::ok || !(one_way > 0)) return;
  min_ = timed_ ? std::min(min_, one_way) : one_way;
  max_ = std::max(max_, one_way);
  sum_ += one_way;
  bandwidths_ += bandwidth(one_way);
  ++timed_;
}

void Lines::add(const Sample& sample) {
  step_.add(sample.outcome, static_cast<double>(sample.one_way.mean));
  all_.add(sample.outcome, static_cast<double>(sample.one_way.mean));
}

void Lines::choose_units(const LinkTimes& times) {
  if (time_ || !times.any()) return;
  time_ = time_unit(times.mean());
  bandwidth_ = bandwidth_unit(times.bandwidth(times.mean()));
  bisection_ = bandwidth_unit(times.bisection_bandwidth());  // larger: the sum over many links
}

std::string Lines::times(const LinkTimes& t, double bisection) const {
  const auto one = [&](const char* name, double value) {
    return fmt::format("{}:{:11.5f} {} ( {:9.4f} {}) ", name, value / time_->factor, time_->name,
                       t.bandwidth(value) / bandwidth_->factor, bandwidth_->name);
  };
  return one("min", t.min()) + one("avg", t.mean()) + one("max", t.max()) +
         fmt::format("avg. bisection bw: {:10.4f} {}", bisection / bisection_->factor, bisection_->name);
}

std::string Lines::end_step(std::uint32_t step) {
  choose_units(step_);
  const double bisection = step_.bisection_bandwidth();
  bisections_ += bisection;
  least_bisection_ = steps_ ? std::min(least_bisection_, bisection) : bisection;
  greatest_bisection_ = std::max(greatest_bisection_, bisection);
  ++steps_;
  std::string text = fmt::format("{} Results for step {}: ", serial_ ? "Serial" : "Parallel", step);
  text += step_.any() ? times(step_, bisection) : "no link was measured";
  if (all_.any()) text += "\nAggregated Results: " + times(all_, bisections_ / static_cast<double>(steps_));
  step_ = LinkTimes(bytes_, directions_);
  return text;
}

std::string Lines::timing(Seconds elapsed, std::int64_t done, std::int64_t left_in_iteration,
                          std::int64_t left) {
  if (!elapsed_) elapsed_ = time_unit(elapsed > 0 ? elapsed : 1e-3);
  const double all = elapsed / elapsed_->factor, step = all / static_cast<double>(done);
  const auto remaining = [&](const char* name, std::int64_t steps) {
    return fmt::format(" Estimated {}:{:11.5f} {} ({} steps)", name, step * static_cast<double>(steps),
                       elapsed_->name, steps);
  };
  return fmt::format("Timing Summary: Elapsed time:{:11.5f} {} ( {:9.5f} {}/step).", all, elapsed_->name,
                     step, elapsed_->name) +
         remaining("time remaining for iteration", left_in_iteration) + "." +
         fmt::format(" Estimated total time remaining:{:11.5f} {}", step * static_cast<double>(left),
                     elapsed_->name);
}

std::string Lines::results() const {
  if (!all_.any()) return "RESULT: no link was measured";
  std::string text;
  const auto time = time_.value_or(time_unit(all_.mean()));  // a resumed run may have no step of its own
  const auto one = [&](const char* name, double value) {
    const auto unit = bandwidth_.value_or(bandwidth_unit(all_.bandwidth(value)));
    text += fmt::format("{}RESULT: {} Time:{:11.5f} {} ( {:9.4f} {})", text.empty() ? "" : "\n", name,
                        value / time.factor, time.name, all_.bandwidth(value) / unit.factor, unit.name);
  };
  one("Min", all_.min());
  one("Avg", all_.mean());
  one("Max", all_.max());
  return text;
}

std::string Lines::bisection_table() const {
  if (!time_) return "no link was measured";
  const auto rate = [](double value, const Unit& unit) {
    return fmt::format("{:.4f} {}", value / unit.factor, unit.name);
  };
  const auto link = [&](double time) {
    return fmt::format("{:.5f} {} ({})", time / time_->factor, time_->name,
                       rate(all_.bandwidth(time), *bandwidth_));
  };
  const auto row = [](std::string_view name, const auto&... cells) {
    return fmt::format("\n{:<20}", name) + (fmt::format("{:>32}", cells) + ...);
  };
  return fmt::format("{:<20}{:>32}{:>32}{:>32}", "", "min", "avg", "max") +
         row("Bisection bandwidth", rate(least_bisection_, *bisection_),
             rate(bisections_ / static_cast<double>(steps_), *bisection_),
             rate(greatest_bisection_, *bisection_)) +
         row("Aggregated, a link", link(all_.min()), link(all_.mean()), link(all_.max()));
}

}  // namespace everylink
