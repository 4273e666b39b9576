// The rate at which messages arrive.
#pragma once

#include <cstdint>

#include "base/seconds.hpp"

namespace everylink {

// Reads the clock as messages arrive, and fits a straight line by least squares: blocks arrive in bursts, so
// two readings alone would count one burst too many. The first fifth of the duration, in which the network
// ramps up, is left out. Without a duration, the time until the last of a number of messages counts.
class Meter {
 public:
  void begin(Seconds now, Seconds duration);
  void read(Seconds now, std::uint64_t messages);
  std::uint64_t messages() const { return used().last - used().first; }
  Seconds seconds() const;  // that these messages took

 private:
  struct Line {
    double n = 0, times = 0, counts = 0, squares = 0, products = 0;
    std::uint64_t first = 0, last = 0;
    void add(Seconds time, std::uint64_t messages);
    double slope() const;  // messages per second; 0: not known
  };
  const Line& used() const;
  Seconds begin_ = 0, warm_ = 0, last_ = 0;
  bool counts_ = false;
  Line whole_, warmed_;
};

}  // namespace everylink
