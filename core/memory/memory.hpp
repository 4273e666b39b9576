// The memories that hold messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace everylink {

enum class MemoryKind : std::uint8_t { host, cuda };

// What a transport needs to register a memory.
struct Region {
  std::byte* at;
  std::size_t bytes;
  MemoryKind kind;
  int device;
};

inline bool lies_within(std::size_t bytes, Slice part) {
  return part.offset <= bytes && part.bytes <= bytes - part.offset;
}

class Memory {
 public:
  virtual ~Memory() = default;
  virtual Region region() const = 0;
  // Writes contents that depend on every bit of the seed; `holds` verifies them, every byte.
  virtual void fill(Slice, std::uint64_t seed) = 0;
  virtual bool holds(Slice, std::uint64_t seed) const = 0;
};

struct MemoryEntry {
  std::string_view name, summary;
  std::string (*why_unusable)();                       // "": usable here; else the reason, one sentence
  std::unique_ptr<Memory> (*make)(std::size_t bytes);  // throws MachineError if there is not enough
};

std::span<const MemoryEntry> memories();
const MemoryEntry& memory_named(std::string_view name);  // throws UsageError, which lists the known ones

}  // namespace everylink
