// Nothing leaves this machine: while one of these lives, calls are refused, names have no addresses, and
// nothing listens except on loopback.
#pragma once

namespace everylink::fuzz {

class Offline {
 public:
  Offline();
  ~Offline();
  Offline(const Offline&) = delete;
  Offline& operator=(const Offline&) = delete;
};

}  // namespace everylink::fuzz
