// CRC-32 as zlib, PNG and Ethernet compute it, so that Python's zlib.crc32 gives the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace everylink {
namespace detail {

// tables[k][b]: what a byte b does to the remainder when k more bytes follow it.
constexpr std::array<std::array<std::uint32_t, 256>, 8> crc32_tables() {
  constexpr std::uint32_t reflected_polynomial = 0xedb88320;
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? reflected_polynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}

}  // namespace detail

// Eight bytes at a time: one at a time takes several times as long.
inline std::uint32_t crc32(View bytes) {
  static constexpr auto tables = detail::crc32_tables();
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  std::uint32_t rest = 0xffffffff;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint32_t low = rest ^ (at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24);
    rest = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
           tables[4][low >> 24] ^ tables[3][at(i + 4)] ^ tables[2][at(i + 5)] ^ tables[1][at(i + 6)] ^
           tables[0][at(i + 7)];
  }
  for (; i < bytes.size(); ++i) rest = (rest >> 8) ^ tables[0][(rest ^ at(i)) & 0xff];
  return ~rest;
}

}  // namespace everylink
