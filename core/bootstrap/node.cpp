// What rank 0 and the others share.
#include "bootstrap/node.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/units.hpp"
#include "bootstrap/bootstrap.hpp"

namespace everylink {

Mac host_of(const Place& place) {
  const std::string text = place.host.empty() ? boot_id() + network_namespace() : place.host;
  return hmac_sha256({}, {std::as_bytes(std::span(text))});
}

Socket listener_for(const Place& place) {
  if (place.bootstrap == "local") return Socket();
  const Address& rank_0 = place.rendezvous.at(0);
  if (place.own.length) return listen_on(place.own.with_port(0), 1024);
  if (rank_0.is_loopback()) return listen_on(loopback(0), 1024);
  return listen_on(any_address(rank_0.family()), 1024);
}

void say(const std::string& line) { fmt::print(stderr, "everylink-measure: {}\n", line); }

int default_tree_above() {
  const char* text = std::getenv("EVERYLINK_TREE_ABOVE");
  return text && *text ? static_cast<int>(parse_integer(text, "EVERYLINK_TREE_ABOVE")) : 512;
}

}  // namespace everylink
