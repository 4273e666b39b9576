// The lines of LinkTest 1.2 that scripts of its users match. Its "MB/s" are MiB/s.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/rows.hpp"
#include "base/sample.hpp"
#include "linktest/lines.hpp"

namespace everylink {

class OldLines {
 public:
  OldLines(std::size_t bytes, double directions, bool serial)
      : bytes_(bytes), directions_(directions), serial_(serial), all_(bytes, directions) {}

  // The settings of the run.
  static std::string head(const Options&, int ranks);

  void add(const Sample&);  // of the current step
  // Returns the lines that are complete. In a serial run every pair ends the same step, so a step's lines
  // come with the first pair of the next step. `step` counts from 1 in each iteration.
  std::string end_step(std::uint32_t iteration, std::int32_t step);
  std::string finished_step();  // the lines of a step that is complete
  // RESULT lines, and PINGPONG lines of the links that were re-measured.
  std::string results(const std::vector<Retest>& slowest) const;

 private:
  std::string time_of(const Sample&, int width, int digits) const;
  std::string bandwidth(double one_way) const;
  std::string result(const std::string& name, double one_way) const;

  std::size_t bytes_;
  double directions_;
  bool serial_;
  LinkTimes all_;
  std::uint32_t iteration_ = 0;
  std::int32_t step_ = 0;                // 0: none has begun
  std::vector<Sample> of_step_, fresh_;  // fresh: the step that they belong to has not ended
};

}  // namespace everylink
