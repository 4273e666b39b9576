// The device and libraries that carry a rank's messages.
#pragma once

#include <string>
#include <tuple>

namespace everylink {

// As far as the transport reports it; empty: not known.
struct Carrier {
  std::string device = {}, address = {}, lanes = {}, libraries = {};
  int numa_distance = -1;  // between rank and device (host/numa.hpp); not set by transports
  static constexpr auto fields = std::tuple(&Carrier::device, &Carrier::address, &Carrier::lanes,
                                            &Carrier::libraries, &Carrier::numa_distance);
};

}  // namespace everylink
