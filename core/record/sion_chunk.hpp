// A rank's own chunk of a .sion file: filled while the run goes on, and written by nobody else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/sample.hpp"
#include "record/sion_layout.hpp"

namespace everylink::sion {

// The file that rank 0 made for this run, opened to be written. Made of nothing but system calls.
class File {
 public:
  // -1 where `error` is: what stands under this name is not of this run.
  File(const std::string& path, const RunId&) noexcept;
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void put(std::int64_t at, View) noexcept;  // nothing, after an error
  int save() noexcept;  // all of it is on the disk, or the first error: 0 none, else errno
  int error() const { return error_; }

 private:
  int fd_, error_ = 0;
};
std::string text_of_error(int error);

class Chunk {
 public:
  Chunk(const Options&, int rank, int ranks, const std::string& host, const RunId&);

  // Who we are; it shows that this host sees the file. Gives an error of File.
  int begin() noexcept;
  // What we led in the main run; a link that failed once stays not measured (0).
  void keep(const Sample&, std::int32_t step);
  void keep_all_to_all(std::int32_t step, Seconds);
  void discard(int to);  // what looked well from here had arrived as wrong bytes
  int write() noexcept;

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
  std::vector<Mean> means_;  // of each peer
};

}  // namespace everylink::sion
