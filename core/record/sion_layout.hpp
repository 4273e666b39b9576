// The layout of a .sion file: the container of SIONlib (file format 5, one file) with the payload of
// LinkTest 1.2, one chunk per rank, and behind it the results file in HDF5 (docs/sion.md). Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/run_id.hpp"

namespace everylink::sion {

// All offsets are known before measuring, so every rank finds its chunk without communication. Chunks start
// on separate pages: no two hosts write to the same page.
class Layout {
 public:
  Layout(int ranks, bool all_to_all) : ranks_(ranks), all_to_all_(all_to_all) {}

  int ranks() const { return ranks_; }
  bool all_to_all() const { return all_to_all_; }

  std::int64_t chunk_at(int rank) const;
  std::int64_t chunk_bytes(int rank) const;    // in the file
  std::int64_t payload_bytes(int rank) const;  // the part of it that is written
  std::int64_t totals_at() const;              // in rank 0's chunk
  std::int64_t measured_at(int rank) const;
  std::int64_t measured_bytes() const;
  std::int64_t retests_at() const;  // in rank 0's chunk
  std::int64_t tail_at() const;
  std::int64_t container_bytes() const;
  // Where the results file begins: at a power of two, where HDF5 looks for it.
  std::int64_t results_at() const;

  static constexpr std::int64_t run_at = 52 + 1024 - sizeof(RunId);

 private:
  int ranks_;
  bool all_to_all_;
};

// The container's beginning and end. The end of the name's field, which readers of the name do not reach, has
// where the results file begins, and the run's id. The id tells a rank that rank 0 created this file.
Blob header(const Layout&, const std::string& name, const RunId&);
Blob tail(const Layout&);

// The beginning of a rank's chunk: its rank and host.
Blob head(int rank, const std::string& host);

struct Extent {
  double min = 0, max = 0, mean = 0;  // seconds
};
struct Totals {
  std::int32_t iterations = 0, bytes = 0;
  bool serial = false, mixed = false;
  Extent times = {}, all_to_all = {};
};
Blob totals(const Layout&, const Totals&);

// A rank's own measurements, indexed by peer or by step.
struct Measured {
  explicit Measured(const Layout&);
  void put_time(int to, double seconds);
  void put_step(int to, std::int32_t step);
  void put_all_to_all(std::int32_t step, double seconds);

  Blob bytes;  // as in the file

 private:
  std::size_t ranks_;
};

// A slow link with both its times.
struct Slow {
  double again, first;
  std::int32_t from, to;
};
Blob retests(const Layout&, const std::vector<Slow>& slowest_first);  // at most one per rank

}  // namespace everylink::sion
