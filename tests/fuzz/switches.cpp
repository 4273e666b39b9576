// The file of --switches: lines HOST SWITCH.
#include <stdexcept>

#include "coordinator/switches.hpp"
#include "fuzz.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(switches) {
  std::vector<RankFacts> ranks(6);
  const std::vector<int> host_of{0, 0, 1, 1, 2, 2};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank].host = "n" + std::to_string(host_of[rank]) + ".x";
  const auto switches = switches_in(fuzz::text_of(bytes), "--switches FILE", ranks, host_of);
  if (!switches.empty() && switches.size() != 3) throw std::logic_error("not one switch for each host");
  for (const int number : switches)
    if (number < 0 || number > 2) throw std::logic_error("a switch without a number of its own");
}
