// Where messages lie.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace everylink {

enum class MemoryKind : std::uint8_t { host, cuda };

// All that a transport registers by.
struct Region {
  std::byte* at;
  std::size_t bytes;
  MemoryKind kind;
  int device;
};

class Memory {
 public:
  virtual ~Memory() = default;
  virtual Region region() const = 0;
  // Writes contents that depend on every bit of the seed; `holds` says whether they are there, every byte.
  virtual void fill(Slice, std::uint64_t seed) = 0;
  virtual bool holds(Slice, std::uint64_t seed) const = 0;
};

struct MemoryEntry {
  std::string_view name, summary;
  std::string (*why_unusable)();                       // "" if it can be had here, else one sentence
  std::unique_ptr<Memory> (*make)(std::size_t bytes);  // throws MachineError when there is not enough
};

std::span<const MemoryEntry> memories();
const MemoryEntry& memory_named(std::string_view name);  // throws UsageError that names those that exist

}  // namespace everylink
