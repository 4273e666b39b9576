// Bytes, owned or viewed.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace everylink {

using Blob = std::vector<std::byte>;
using View = std::span<const std::byte>;

template <class T>
requires std::is_trivially_copyable_v<T> View bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// A part of a Memory.
struct Slice {
  std::size_t offset, bytes;
};

}  // namespace everylink
