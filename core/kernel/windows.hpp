// The laps of kernels that have a window of messages in flight.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernel/kernel.hpp"

namespace everylink {

inline constexpr std::size_t most_open = 64;  // libraries repeatedly search everything that is in flight

// The laps of a turn: windows of warm-ups first, then of messages. The last of each may be shorter.
class Windows {
 public:
  explicit Windows(const Shot& shot)
      : shot_(shot), warm_(laps_in(shot.warmups)), all_(warm_ + laps_in(shot.messages)) {}
  int warm() const { return warm_; }
  int all() const { return all_; }
  int messages(int lap) const {
    const bool warming = lap < warm_;
    return std::min(shot_.window, (warming ? shot_.warmups : shot_.messages) -
                                      (warming ? lap : lap - warm_) * shot_.window);
  }

 private:
  int laps_in(int messages) const { return (messages + shot_.window - 1) / shot_.window; }
  const Shot& shot_;
  int warm_, all_;
};

}  // namespace everylink
