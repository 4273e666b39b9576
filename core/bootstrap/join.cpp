// Joining over TCP. The control plane begins here, so that testbed/smpi can put another in its place.
#include <cstdlib>
#include <memory>

#include "base/units.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/follower.hpp"
#include "bootstrap/leader.hpp"
#include "host/signals.hpp"
#include "net/tcp_network.hpp"

namespace everylink {

std::unique_ptr<Bootstrap> join(Place& place, Seconds limit, int tree_above, const System& system) {
  if (place.rank == 0) return std::make_unique<Leader>(system, place, tree_above, limit);
  return std::make_unique<Follower>(system, place, system.clock.now() + limit);
}

std::unique_ptr<Bootstrap> join(Place& place, Seconds limit) {
  const char* text = std::getenv("EVERYLINK_TREE_ABOVE");
  const int above =
      text && *text ? static_cast<int>(parse_integer(text, "EVERYLINK_TREE_ABOVE")) : usual_tree_above;
  return join(place, limit, above, {steady_clock(), tcp_network(), end_is_wanted});
}

}  // namespace everylink
