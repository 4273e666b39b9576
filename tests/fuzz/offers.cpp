// The addresses in a peer's offer.
#include "base/clock.hpp"
#include "fuzz.hpp"
#include "net/door.hpp"
#include "offline.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(offers) {
  const fuzz::Offline offline;
  fuzz::Pieces in(bytes);
  const int peer = in.byte() % 2 ? 1 : 0;  // the lower rank calls, the upper one listens
  Door door(1 - peer, "", true);
  door.offer(peer, 7);
  door.connect(peer, 7, in.rest(), 1, steady_now());
}
