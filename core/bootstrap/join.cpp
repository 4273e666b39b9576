// Joining over TCP. The control plane begins here, so that testbed/smpi can put another in its place.
#include "bootstrap/follower.hpp"
#include "bootstrap/leader.hpp"

namespace everylink {

std::unique_ptr<Bootstrap> join(Place& place, Seconds limit, int tree_above) {
  const Seconds until = steady_now() + limit;
  if (place.rank == 0) return std::make_unique<Leader>(place, tree_above, until);
  return std::make_unique<Follower>(place, until);
}

}  // namespace everylink
