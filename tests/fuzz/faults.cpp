// The options of sim: its network and the faults planted in it.
#include "base/units.hpp"
#include "fuzz.hpp"
#include "transport/sim/sim_network.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(faults) {
  fuzz::Pieces in(bytes);
  const int size = 2 + in.byte() % 16;
  const SimNetwork network(size, parse_settings(fuzz::text_of(in.rest()), "--mode sim"));
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to)
      if (from != to) network.way(from, to);
  network.host_name(size - 1);
}
