// --np: this process starts the ranks and stays behind as their supervisor.
#include "bootstrap/place.hpp"
#include "bootstrap/supervisor.hpp"

namespace everylink {

int run_here(int ranks, const std::function<int(Place)>& body) {
  Socket listener = listen_on(loopback(0), ranks);
  const Address rendezvous = local_address(listener);
  const Key key = random_key();
  Supervisor supervisor(0, true);
  for (int rank = 0; rank < ranks; ++rank) {
    if (!supervisor.start()) continue;
    if (rank != 0) listener = Socket();  // else it would answer when rank 0 no longer does
    Place place{rank, ranks, "local", {rendezvous}, std::move(listener), nullptr, key};
    place.core = {rank, ranks};
    return body(std::move(place));
  }
  listener = Socket();
  return supervisor.wait();
}

}  // namespace everylink
