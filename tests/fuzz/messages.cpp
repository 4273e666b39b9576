// Reports and orders.
#include "base/outcome.hpp"
#include "base/rank_facts.hpp"
#include "fuzz.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(messages) {
  fuzz::Pieces in(bytes);
  switch (in.byte() % 4) {
    case 0: packed(unpacked<Order>(in.rest())); break;
    case 1: packed(unpacked<Introduction>(in.rest())); break;
    case 2: crowded_of({unpacked<RankFacts>(in.rest())}); break;
    case 3: {
      const Report report = unpacked<Report>(in.rest());
      report.check(0, 4, 2);
      for (const auto& sample : report.led.samples) said_of(sample.outcome);
    }
  }
}
