// The three variables that start a rank: the value of a variable per line.
#include "base/units.hpp"
#include "bootstrap/place.hpp"
#include "fuzz.hpp"
#include "offline.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(variables) {
  const fuzz::Offline offline;
  const fuzz::Variables variables({"EVERYLINK_RANK", "EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS"},
                                  split(fuzz::text_of(bytes), '\n'));
  const fuzz::Variables ours({"EVERYLINK_KEY"}, {"key"});
  const Place place = place_from_variables("");
  for (const auto& address : place.rendezvous) address.with_port(1).text();
}
