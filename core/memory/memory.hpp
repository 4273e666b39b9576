// The memories that hold messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace everylink {

namespace cuda {
class Allocation;
}

enum class MemoryKind : std::uint8_t { host, cuda, cuda_managed };

// What a transport needs to register a memory.
struct Region {
  std::byte* at;
  std::size_t bytes;
  MemoryKind kind;
  int gpu;                                       // its ordinal, of memory that a GPU sees
  const cuda::Allocation* allocation = nullptr;  // of kind cuda: what other processes open it by
  bool is_of_gpu() const { return kind != MemoryKind::host; }
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
  // For transports that move bytes by the processor: the same bytes in memory of the host. Of a GPU's memory
  // this is a copy, made at the first call; `download` brings a part of it up to date, `upload` the GPU's
  // part. All throw LocalFault.
  virtual std::byte* host_copy() { return region().at; }
  virtual void download(Slice) {}
  virtual void upload(Slice) {}
  bool is_copied() { return host_copy() != region().at; }
  // 8 bytes for the processor: of a GPU's memory one copy of 8 bytes. Both throw LocalFault.
  virtual std::uint64_t word_at(std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, host_copy() + offset, sizeof word);
    return word;
  }
  virtual void set_word_at(std::size_t offset, std::uint64_t word) {
    std::memcpy(host_copy() + offset, &word, sizeof word);
  }
};

struct MemoryEntry {
  std::string_view name, summary;
  std::string (*why_unusable)();  // "": usable here; else the reason, one sentence
  // `gpu`: the ordinal of the GPU that has or sees it. `for_hosts`: processes of other hosts will open it,
  // too, if the GPU can do that. Throws MachineError if there is not enough.
  std::unique_ptr<Memory> (*make)(std::size_t bytes, int gpu, bool for_hosts);
  bool needs_gpu = false;
};

std::span<const MemoryEntry> memories();
const MemoryEntry& memory_named(std::string_view name);  // throws UsageError, which lists the known ones

}  // namespace everylink
