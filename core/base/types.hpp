// The types that every part of the core shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace everylink {

using Blob = std::vector<std::byte>;  // bytes that only their creator understands
using View = std::span<const std::byte>;
using Seconds = double;                               // SI everywhere; text is made at the edges
using Settings = std::map<std::string, std::string>;  // key=value,... after a mode; the values of a
                                                      // repeated key are joined by ';'

// What became of a link: data, never an exception. Results files store the numbers.
enum class Outcome : std::uint8_t { ok = 0, timeout = 1, broken = 2, corrupt = 3, absent = 4, presumed = 5 };
constexpr Outcome last_of(Outcome) { return Outcome::presumed; }

// A part of a Memory.
struct Slice {
  std::size_t offset, bytes;
};

// What carries this rank's messages, as far as the transport reports it; empty: not known.
struct Carrier {
  std::string device = {}, address = {}, lanes = {}, libraries = {};
  int numa_distance = -1;  // between rank and device (host/numa.hpp); not set by transports
  static constexpr auto fields = std::tuple(&Carrier::device, &Carrier::address, &Carrier::lanes,
                                            &Carrier::libraries, &Carrier::numa_distance);
};

using RunId = std::array<std::uint8_t, 16>;  // drawn by rank 0; unsaved rows find their file by it

inline constexpr int no_rank = -1;
inline constexpr std::size_t longest_host_name = 255;

}  // namespace everylink
