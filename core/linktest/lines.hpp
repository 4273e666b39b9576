// The lines that scripts of LinkTest's users match, for one message size.
#pragma once

#include <optional>
#include <string>

#include "base/outcome.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"
#include "base/units.hpp"

namespace everylink {

// Minimum, mean and maximum of link times, and the bisection bandwidth that follows.
class LinkTimes {
 public:
  LinkTimes(std::size_t bytes, double directions)
      : bytes_(static_cast<double>(bytes)), directions_(directions) {}
  void add(Outcome, double mean_one_way);
  bool any() const { return timed_ > 0; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return sum_ / static_cast<double>(timed_); }
  std::int64_t timed() const { return timed_; }
  std::int64_t links() const { return links_; }
  double bandwidth(double one_way) const { return directions_ * bytes_ / one_way; }
  // The number of pairs times the arithmetic mean of the bandwidths; a failed link counts 0.
  double bisection_bandwidth() const {
    return links_ ? static_cast<double>(links_) / 2 * bandwidths_ / static_cast<double>(links_) : 0;
  }

 private:
  double bytes_, directions_;
  std::int64_t timed_ = 0, links_ = 0;
  double sum_ = 0, min_ = 0, max_ = 0, bandwidths_ = 0;
};

class Lines {
 public:
  Lines(std::size_t bytes, double directions, bool serial)
      : bytes_(bytes),
        directions_(directions),
        serial_(serial),
        all_(bytes, directions),
        step_(bytes, directions) {}

  void add(const Sample&);  // of the current step
  // Ends the current step and returns its lines.
  std::string end_step(std::uint32_t step);
  std::string timing(Seconds elapsed, std::int64_t steps_done, std::int64_t steps_left_in_iteration,
                     std::int64_t steps_left);
  std::string results() const;  // RESULT: ...
  // The least, mean and greatest bisection bandwidth of a step, and the last aggregate, with as many digits
  // as the lines above.
  std::string bisection_table() const;

 private:
  std::string times(const LinkTimes&, double bisection) const;
  void choose_units(const LinkTimes&);
  std::size_t bytes_;
  double directions_;
  bool serial_;
  LinkTimes all_, step_;
  double bisections_ = 0, least_bisection_ = 0, greatest_bisection_ = 0;
  std::int64_t steps_ = 0;
  std::optional<Unit> time_, bandwidth_, bisection_, elapsed_;  // one unit over all steps
};

}  // namespace everylink
