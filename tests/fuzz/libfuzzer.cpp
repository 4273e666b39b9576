// One target under libFuzzer.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* at, std::size_t bytes) {
  using namespace everylink;
  fuzz::call(fuzz::targets().at(0).target, std::as_bytes(std::span(at, bytes)));
  return 0;
}
