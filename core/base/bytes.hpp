// Bytes, owned or viewed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace everylink {

using Blob = std::vector<std::byte>;
using View = std::span<const std::byte>;

// A part of a Memory.
struct Slice {
  std::size_t offset, bytes;
};

}  // namespace everylink
