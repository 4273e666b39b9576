// Rows that this rank has measured and that the results file does not have yet. They are written to
// FILE.parts/<rank> if the connection to rank 0 is lost or a library call does not return
// (docs/results-file.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "base/run_id.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"

namespace everylink {

class UnsavedRows {
 public:
  UnsavedRows(const Options&, int rank);
  ~UnsavedRows();  // writes the rows that are left
  UnsavedRows(const UnsavedRows&) = delete;
  UnsavedRows& operator=(const UnsavedRows&) = delete;

  void know(const RunId& run) { head_.run = run; }
  void write_also(std::function<void()> other) { other_ = std::move(other); }
  // Keeps a row that this round reports. False: there are too many.
  bool keep(const Sample&, std::uint64_t round);
  // On rank 0: keeps the rows of a link as they are recorded in this round, in place of its own of the same
  // link.
  bool keep_reported(const std::vector<Sample>&, std::uint64_t round);
  void report_later(std::uint64_t round);      // this round reports all rows so far
  void forget_before(std::uint64_t round);     // the file has these rows
  void forget_steps_from(std::uint32_t step);  // they are measured again, if they were
  // Forgets the failed links that this round would report. Rank 0 is lost, so their peers may have ended for
  // that reason alone.
  void forget_failures(std::uint64_t round);
  // Writes the rows to a file next to the results file, and whatever else is to be written. Uses only system
  // calls, because a signal handler calls it. False: not written.
  bool write() noexcept;

 private:
  struct Head {
    std::array<char, 8> magic{'e', 'v', 'e', 'r', 'y', 'l', 'p', '2'};
    RunId run{};
    std::uint32_t rank = 0, reserved = 0;
  };
  struct Row {
    std::uint64_t bytes;
    std::uint32_t from, to, step;
    std::uint8_t attempt, outcome;
    std::uint16_t check;  // the lower half of the CRC-32 of the row with 0 here
    std::int32_t arrived;
    float setup;
    std::uint32_t n;
    float min, median, mean, p99, max;
    std::uint32_t late;
    float all_to_all;
  };
  static_assert(sizeof(Head) == 32 && sizeof(Row) == 64);

  Row row_of(const Sample&) const;
  template <class Is>
  void forget_if(Is is_wrong);  // of the index of a row

  const Options& options_;
  const std::size_t most_;
  std::function<void()> other_;
  std::string folder_, path_;
  Head head_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> rounds_;  // of each row, in ascending order
};

// Unless stop_watching is called within `limit` seconds, writes the rows and ends this process. `what` (a
// literal) names the call. `stay`: the process must not end before rank 0 (MPI would end all ranks), so it
// sleeps.
void watch(UnsavedRows&, Seconds limit, const char* what, bool stay);
void stop_watching();

}  // namespace everylink
