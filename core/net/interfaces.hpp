// The network interfaces of this machine.
#pragma once

#include <string>
#include <vector>

#include "net/socket.hpp"

namespace everylink {

// One address of this machine, with its interface.
struct Interface {
  std::string name;
  Address address;
  unsigned prefix;  // bits of the network part
  bool is_loopback;
};
std::vector<Interface> interfaces();  // those that are up; no link-local IPv6
// Those with this name or address. Throws UsageError if there is none; it names `option` and lists all.
std::vector<Interface> interfaces_named(const std::string& wanted, const std::string& option);
bool same_network(const Interface&, const Address&);

}  // namespace everylink
