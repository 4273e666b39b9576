// Bytes, owned or viewed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace everylink {

using Blob = std::vector<std::byte>;
using View = std::span<const std::byte>;

// A struct with numbers in floating point says how many bytes its values have.
template <class T>
concept SaysItsBytes = requires {
  requires T::bytes_of_values == sizeof(T);
};
// Whether each byte of a T is part of a value. Nobody sets the others (padding), so they would send whatever
// was in memory before.
template <class T>
inline constexpr bool has_no_padding =
    std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> || SaysItsBytes<T>;
template <class T, std::size_t N>
inline constexpr bool has_no_padding<std::array<T, N>> = has_no_padding<T>;

// A value that travels as its bytes.
template <class T>
requires std::is_trivially_copyable_v<T> View bytes_of(const T& value) {
  static_assert(has_no_padding<T>, "name the padding: a field `unused` that is set");
  return std::as_bytes(std::span(&value, 1));
}

inline void append(Blob& bytes, View more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

// A part of a Memory.
struct Slice {
  std::size_t offset, bytes;
};

}  // namespace everylink
