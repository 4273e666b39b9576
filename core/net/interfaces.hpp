// The network interfaces of this machine.
#pragma once

#include <string>
#include <vector>

#include "net/socket.hpp"

namespace everylink {

// An address of this machine and the interface that has it.
struct Interface {
  std::string name;
  Address address;
  unsigned prefix;  // bits of the network part
  bool is_loopback;
};
std::vector<Interface> interfaces();  // those that are up; link-local IPv6 left out
// Those of this name or address. Throws UsageError that names `option` and those there are.
std::vector<Interface> interfaces_named(const std::string& wanted, const std::string& option);
bool same_network(const Interface&, const Address&);

}  // namespace everylink
