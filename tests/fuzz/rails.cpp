// --rails, --gpus, and the names of devices.
#include "host/rails.hpp"

#include "base/units.hpp"
#include "fuzz.hpp"
#include "host/gpus.hpp"
#include "host/numa.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(rails) {
  fuzz::Pieces in(bytes);
  const auto modes = modes_with_rails();
  const std::string mode = modes[in.byte() % modes.size()];
  const auto words = split(fuzz::text_of(in.rest()), '\n');
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : ""; };
  device_names(word(0));
  const auto with = parse_settings(with_rails(mode, word(1), word(2)), "--mode " + mode);
  if (!rails_are_auto(with))
    for (int rank = 0; rank < 4; ++rank) on_own_rail(mode, with, {0, 0, 1, 0}, rank);
  check_gpus(word(3));
}
