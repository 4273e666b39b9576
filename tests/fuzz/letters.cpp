// What ranks and rank 0 tell each other in rounds.
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

#include "fuzz.hpp"
#include "host/facts.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(letters) {
  fuzz::Pieces in(bytes);
  switch (in.byte() % 4) {
    case 0: Order::unpacked(in.rest()).packed(); break;
    case 1: Introduction::unpacked(in.rest()).packed(); break;
    case 2: crowded_of({RankFacts::unpacked(in.rest())}); break;
    case 3: {
      const Report report = Report::unpacked(in.rest());
      report.check(0, 4, 2);
      for (const auto& sample : report.led.samples) said_of(sample.outcome);
    }
  }
}
