// The words that every part of the core shares.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace everylink {

using Blob = std::vector<std::byte>;  // bytes that only their maker understands
using View = std::span<const std::byte>;
using Seconds = double;                               // SI everywhere; text is made at the edges
using Settings = std::map<std::string, std::string>;  // key=value,... behind a mode; a repeated key's values
                                                      // are joined by ';'

inline std::string setting(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

// What became of a link. Data, never an exception. The numbers stand in results files.
enum class Outcome : std::uint8_t { ok = 0, timeout = 1, broken = 2, corrupt = 3, absent = 4, presumed = 5 };
constexpr Outcome last_of(Outcome) { return Outcome::presumed; }

// As a person says it of a link.
constexpr std::string_view said_of(Outcome outcome) {
  constexpr std::string_view sentences[] = {"ok",
                                            "timed out",
                                            "broke",
                                            "delivered wrong bytes",
                                            "found the peer gone",
                                            "not tried, the rank is dark"};
  return sentences[static_cast<std::size_t>(outcome)];
}

// A part of a Memory.
struct Slice {
  std::size_t offset, bytes;
};

inline bool lies_within(std::size_t bytes, Slice part) {
  return part.offset <= bytes && part.bytes <= bytes - part.offset;
}

// What carries this rank's messages, as far as the transport tells; empty: not known.
struct Carrier {
  std::string device, address, lanes, libraries;
  int numa_distance = -1;  // between rank and device (host/numa.hpp); no transport's business
  static constexpr auto fields = std::tuple(&Carrier::device, &Carrier::address, &Carrier::lanes,
                                            &Carrier::libraries, &Carrier::numa_distance);
};

using RunId = std::array<std::uint8_t, 16>;  // drawn by rank 0, so that a part finds its file

inline constexpr int no_rank = -1;
inline constexpr std::size_t longest_host_name = 255;

inline bool is_among(std::span<const int> sorted, int rank) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

inline Seconds steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace everylink
