// The front of a .sion file, which LinkTest's programs read (docs/sion.md): rank 0 creates and completes it.
// Every rank writes its own chunk (sion_chunk.hpp).
#pragma once

#include <string>
#include <vector>

#include "base/run_id.hpp"
#include "record/recorder.hpp"
#include "record/sion_layout.hpp"

namespace everylink::sion {

class Front {
 public:
  explicit Front(const Facts&);
  // Writes every rank with its host and without measurements. Returns 0, or the error as errno.
  int make(const std::string& path, const std::vector<RankFacts>&) const;
  void add(const LinkRows&);
  // Writes the minimum, maximum and mean of all links, and the retests. Throws MachineError.
  void complete(const std::string& path, const std::vector<Retest>&) const;
  // Removes a file without measurements, which is useless and would block the next run.
  void remove_if_empty(const std::string& path) const noexcept;

 private:
  // The minimum, maximum and mean of values added one by one.
  class Spread {
   public:
    void add(double value);
    const Extent& extent() const { return extent_; }

   private:
    Extent extent_;
    double sum_ = 0, n_ = 0;
  };

  RunId run_;
  Layout layout_;
  Totals settings_;  // their times are 0
  Spread times_, all_to_all_;
  bool empty_ = true;
};

}  // namespace everylink::sion
