// A rank's own chunk of a .sion file: filled during the run and written by that rank only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/options.hpp"
#include "base/ranks.hpp"
#include "base/run_id.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"
#include "record/sion_layout.hpp"

namespace everylink::sion {

// The file that rank 0 created for this run, opened for writing. Uses only system calls.
class File {
 public:
  // error() is -1 when the file of this name belongs to another run.
  File(const std::string& path, const RunId&) noexcept;
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void put(std::int64_t at, View) noexcept;  // does nothing after an error
  int save() noexcept;  // 0: everything is on the disk; otherwise the first error, as errno
  int error() const { return error_; }

 private:
  int fd_, error_ = 0;
};
std::string text_of_error(int error);

class Chunk {
 public:
  Chunk(const Options&, int rank, int ranks, const std::string& host, const RunId&);

  // Writes this rank's number, which proves that this host sees the file. Returns File's error.
  int begin() noexcept;
  // Keeps a link that this rank led in the main run. A link that failed once stays "not measured" (0).
  void keep(const Sample&, std::int32_t step, std::uint64_t round);
  // The failures of this round, the last one, have another cause: rank 0 is lost, and the peers ended.
  void forget_failures(std::uint64_t round);
  void keep_all_to_all(std::int32_t step, Seconds);
  void discard(int to);  // ok here, but the peer received wrong bytes
  int write() noexcept;  // does nothing if nothing is new

 private:
  std::string path_;
  RunId run_;
  int rank_;
  Layout layout_;
  Blob head_;
  Measured measured_;
  struct Mean {
    double readings = 0, seconds = 0;
    bool tried = false, failed = false;
  };
  std::vector<Mean> means_;  // by peer
  struct Failure {
    std::uint64_t round = 0;
    int to = no_rank;
  } last_failure_;
  bool new_ = false;  // has something that write() has not written
};

}  // namespace everylink::sion
