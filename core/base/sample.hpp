// The results of one link in one step: a row.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "base/outcome.hpp"

namespace everylink {

inline constexpr float not_known = std::numeric_limits<float>::quiet_NaN();

// One-way times in seconds.
struct Statistics {
  std::uint32_t n = 0;  // readings
  float min = not_known, median = not_known, mean = not_known;
  float p99 = not_known;  // not known below 1,000 readings
  float max = not_known;
  std::uint32_t late = 0;  // readings above twice the median
  static constexpr auto fields =
      std::tuple(&Statistics::n, &Statistics::min, &Statistics::median, &Statistics::mean, &Statistics::p99,
                 &Statistics::max, &Statistics::late);
};
// Sorts the readings in place. Without readings, every statistic is unknown.
Statistics statistics_of(std::span<float> one_way_times);

// Why a link was measured. The attempts of --confirm have the names of its phases; `one_way` uses the
// unidirectional kernel, whichever kernel the run uses.
enum class Attempt : std::uint8_t {
  main = 0,
  retest = 1,        // one of the slowest, alone
  failed_again = 2,  // a failed one, alone
  order = 3,
  one_way = 4,
  quarter = 5,
  alone = 6,
  few = 7,
};
constexpr Attempt last_of(Attempt) { return Attempt::few; }
// All pairs of a step at the same time; otherwise one pair.
constexpr bool is_parallel(Attempt attempt) {
  return attempt == Attempt::main || attempt == Attempt::order || attempt == Attempt::quarter ||
         attempt == Attempt::few;
}

struct Sample {
  std::uint32_t from = 0, to = 0;
  std::uint32_t step = 0;  // row of /steps
  std::uint32_t size = 0;  // index among the run's sizes
  Attempt attempt = Attempt::main;
  Outcome outcome = Outcome::ok;
  std::int32_t arrived = -1;  // messages that reached `to`, warm-ups included; -1: not known
  float setup = not_known;    // seconds to connect
  Statistics one_way;
  float all_to_all = not_known;
  static constexpr auto fields =
      std::tuple(&Sample::from, &Sample::to, &Sample::step, &Sample::size, &Sample::attempt, &Sample::outcome,
                 &Sample::arrived, &Sample::setup, &Sample::one_way, &Sample::all_to_all);
};

}  // namespace everylink
