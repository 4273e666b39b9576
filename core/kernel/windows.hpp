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
  explicit Windows(const Turn& turn)
      : turn_(turn), warm_(laps_in(turn.warmups)), all_(warm_ + laps_in(turn.messages)) {}
  int warm() const { return warm_; }
  int all() const { return all_; }
  int messages(int lap) const {
    const bool warming = lap < warm_;
    return std::min(turn_.window, (warming ? turn_.warmups : turn_.messages) -
                                      (warming ? lap : lap - warm_) * turn_.window);
  }

 private:
  int laps_in(int messages) const { return (messages + turn_.window - 1) / turn_.window; }
  const Turn& turn_;
  int warm_, all_;
};

}  // namespace everylink
