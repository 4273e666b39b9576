// Prints progress and results on rank 0: text for people and scripts, or one JSON object per line for
// programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "base/seconds.hpp"

namespace everylink {

class Console {
 public:
  explicit Console(Progress);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void say(std::string_view lines);
  void say_linktest(std::string_view lines);  // LinkTest's lines, which JSON marks
  void complain(std::string_view line);       // to standard error
  bool quiet() const { return progress_ == Progress::none; }

  struct Plan {
    int ranks, hosts;
    std::string transport, kernel, schedule;
    std::vector<std::size_t> sizes;
    std::int64_t steps, links;  // of one pass through the schedule
    double file_bytes;
    std::string output;  // "": none
  };
  void plan(const Plan&);
  struct Step {
    std::uint32_t iteration;
    std::int64_t step, steps;  // of all iterations known so far
    std::int64_t links_done, links_failed;
    Seconds elapsed, left;
  };
  void step(const Step&);
  void retest(std::size_t done, std::size_t of);
  void end(int exit_code, std::int64_t links_ok, std::int64_t links_failed, const std::string& output);

 private:
  void event(std::string_view fields);  // {"event":...}
  void say(std::string_view lines, std::string_view marks);
  void clear_bar();
  Progress progress_;
  bool bar_ = false, bar_shown_ = false;
  Seconds last_ = 0;
};

}  // namespace everylink
