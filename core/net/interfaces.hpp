// The network interfaces of this machine.
#pragma once

#include <string>
#include <vector>

#include "net/socket.hpp"

namespace everylink {

// An address of this machine, and its interface.
struct Interface {
  std::string name;
  Address address;
  unsigned prefix;  // bits of the network part
  bool is_loopback;
};
std::vector<Interface> interfaces();  // those that are up, without link-local IPv6
// Those with this name or address. Throws UsageError, which names `option` and lists the existing ones.
std::vector<Interface> interfaces_named(const std::string& wanted, const std::string& option);
bool same_network(const Interface&, const Address&);

}  // namespace everylink
