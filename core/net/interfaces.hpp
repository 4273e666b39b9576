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
// Where a listener is reached at all of these addresses: the address itself if it is the only one, else those
// of all interfaces.
Address listening_at(const std::vector<Interface>&);
bool same_network(const Interface&, const Address&);

}  // namespace everylink
