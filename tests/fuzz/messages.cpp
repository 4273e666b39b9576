// Reports and orders.
#include "base/outcome.hpp"
#include "base/rank_facts.hpp"
#include "fuzz.hpp"
#include "linktest/jupiter.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(messages) {
  fuzz::Pieces in(bytes);
  switch (in.byte() % 4) {
    case 0: packed(unpacked<Order>(in.rest())); break;
    case 1: packed(unpacked<Introduction>(in.rest())); break;
    case 2: {
      const std::vector<RankFacts> facts{unpacked<RankFacts>(in.rest()), RankFacts{}};
      crowded_of(facts);
      hosts_of(facts);
      Options o;
      o.preset = Preset::jupiter;
      doubts_of_preset(o, facts, {0, 1});
      break;
    }
    case 3: {
      const Reports reports = unpacked<Reports>(in.rest());
      for (const auto& report : reports.all) {
        report.check(0, 4, 2);
        for (const auto& sample : report.led.samples) said_of(sample.outcome);
      }
    }
  }
}
