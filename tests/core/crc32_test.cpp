// The checksum of rows: that of zlib, so that a reader in Python finds the same.
#include "base/crc32.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace everylink {
namespace {

std::uint32_t of(std::string_view text) { return crc32(std::as_bytes(std::span(text))); }

TEST(Crc32, is_that_of_zlib) {
  EXPECT_EQ(of(""), 0u);
  EXPECT_EQ(of("a"), 0xe8b7be43u);
  EXPECT_EQ(of("123456789"), 0xcbf43926u);
  EXPECT_EQ(of("The quick brown fox jumps over the lazy dog"), 0x414fa339u);
}

TEST(Crc32, tells_any_flipped_bit_at_any_length) {
  for (std::size_t length = 1; length <= 40; ++length) {
    Blob bytes(length, std::byte{0x5a});
    const auto whole = crc32(bytes);
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(crc32(bytes), whole) << "bit " << bit << " of " << length << " bytes";
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

}  // namespace
}  // namespace everylink
