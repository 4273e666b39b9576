// The neighbour of an interface, from the frames of the Link Layer Discovery Protocol that a service of the
// host has kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace everylink::inventory {

// "sw01 Ethernet1/7": the name of the switch, or its address where it tells no name, and the port. `frames`:
// as systemd-networkd keeps them, each behind its length in 8 bytes, lowest first. The first one counts.
std::optional<std::string> neighbour_in(std::string_view frames);

}  // namespace everylink::inventory
