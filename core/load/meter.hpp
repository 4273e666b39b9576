// At which rate messages arrive.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace everylink {

// Readings of the clock as messages arrive, and the straight line through them: blocks come in bursts, so
// that two readings alone would count a burst too many. The first fifth of the time is left out, in which a
// network still finds its pace. Without a duration a number of messages is all that was asked for: then it is
// the time until the last one.
class Meter {
 public:
  void begin(Seconds now, Seconds duration);
  void read(Seconds now, std::uint64_t messages);
  std::uint64_t messages() const { return used().last - used().first; }
  Seconds seconds() const;  // that so many messages take

 private:
  struct Line {
    double n = 0, times = 0, counts = 0, squares = 0, products = 0;
    std::uint64_t first = 0, last = 0;
    void add(Seconds time, std::uint64_t messages);
    double slope() const;  // messages a second; 0: not known
  };
  const Line& used() const;
  Seconds begin_ = 0, warm_ = 0, last_ = 0;
  bool counts_ = false;
  Line whole_, warmed_;
};

}  // namespace everylink
