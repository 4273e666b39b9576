// What this rank has measured and the results file does not hold yet: written beside the file, to
// FILE.parts/<rank>, when rank 0 is lost or a library does not come back (docs/results-file.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "base/sample.hpp"

namespace everylink {

class Parts {
 public:
  Parts(const Options&, int rank);
  ~Parts();  // writes what is left
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void know(const RunId& run) { head_.run = run; }
  void prefer(std::function<bool()> place_in_file) { place_in_file_ = std::move(place_in_file); }
  // A link and size that is handed in for this round.
  void keep(const Sample&, std::uint64_t round);
  void hand_in_later(std::uint64_t round);  // what could not be handed in before goes with this round
  void forget_before(std::uint64_t round);  // the file has it
  // To the rank's own place in the results file, if it has one, else or if that fails beside it. Made of
  // nothing but system calls, for the handler of a signal; false: could not.
  bool write() noexcept;
  bool write_beside() noexcept;
  const std::string& path() const { return path_; }

 private:
  struct Head {
    std::array<char, 8> magic{'e', 'v', 'e', 'r', 'y', 'l', 'p', '1'};
    RunId run{};
    std::uint32_t rank = 0, reserved = 0;
  };
  struct Row {
    std::uint64_t bytes;
    std::uint32_t from, to, step;
    std::uint8_t attempt, outcome;
    std::uint16_t reserved;
    std::int32_t arrived;
    float setup;
    std::uint32_t n;
    float min, median, mean, p99, max;
    std::uint32_t late;
    float all_to_all;
  };
  static_assert(sizeof(Head) == 32 && sizeof(Row) == 64);

  const Options& options_;
  std::function<bool()> place_in_file_;
  std::string folder_, path_;
  Head head_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> rounds_;  // of each row, growing
};

// From here on, a call that does not come back within `limit` seconds ends this process: what it has is
// written first. `what` (a literal) says which call. `stay`: it must not end before rank 0 does (MPI would
// end all), so it sleeps.
void watch(Parts&, Seconds limit, const char* what, bool stay);
void stop_watching();

}  // namespace everylink
