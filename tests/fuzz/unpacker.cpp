// Bytes to values, requested in any order.
#include "base/pack.hpp"
#include "fuzz.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(unpacker) {
  enum class Three : std::uint8_t { a, b, c };
  fuzz::Pieces in(bytes);
  const View order = in.bytes(in.byte());
  Unpacker values(in.rest());
  for (const auto what : order) {
    switch (std::to_integer<int>(what) % 8) {
      case 0: values.get<bool>(); break;
      case 1: values.get<std::uint64_t>(); break;
      case 2: values.choice(Three::c); break;
      case 3: values.list<std::byte>(); break;
      case 4: values.list<std::uint64_t>(); break;
      case 5: values.text(); break;
      case 6: values.get<std::uint8_t>(); break;
      case 7: values.end(); break;
    }
  }
}
