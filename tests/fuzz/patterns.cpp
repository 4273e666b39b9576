// The settings of load patterns, and the scenes that follow from them.
#include <algorithm>
#include <stdexcept>

#include "base/units.hpp"
#include "fuzz.hpp"
#include "load/pattern.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(patterns) {
  fuzz::Pieces in(bytes);
  const auto all = patterns();
  const Pattern& pattern = *all[in.byte() % all.size()];
  const int size = 2 + in.byte() % 15, ranks_per_host = 1 + in.byte() % 4;
  std::vector<std::int32_t> host_of;
  for (int rank = 0; rank < size; ++rank) host_of.push_back(rank / ranks_per_host);
  const Sweep sweep = pattern.make({size, 7, host_of, parse_settings(fuzz::text_of(in.rest()), "pattern")});
  constexpr std::int64_t most = 20;
  for (std::int64_t i = 0; i < std::min(sweep.scenes, most); ++i)
    for (const auto& flow : assign(sweep.scene(sweep.scenes - 1 - i)).scene.flows)
      if (flow.from == flow.to || std::min(flow.from, flow.to) < 0 || std::max(flow.from, flow.to) >= size)
        throw std::logic_error("a flow between ranks that are not there");
}
