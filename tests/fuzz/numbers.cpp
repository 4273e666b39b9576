// Numbers with units.
#include "base/units.hpp"
#include "fuzz.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(numbers) {
  fuzz::Pieces in(bytes);
  const int what = in.byte() % 7;
  const std::string text = fuzz::text_of(in.rest());
  switch (what) {
    case 0: text_of_bytes(static_cast<double>(parse_bytes(text, "-s"))); break;
    case 1: parse_sizes(text, "-s"); break;
    case 2: {
      const Seconds value = parse_seconds(text, "--time-limit");
      text_of_seconds(value);
      text_of_duration(value);
      break;
    }
    case 3: text_of_bandwidth(parse_rate(text, "bandwidth")); break;
    case 4: parse_number(text, "noise"); break;
    case 5: parse_integer(text, "-n"); break;
    case 6: parse_settings(text, "--mode tcp"); break;
  }
}
