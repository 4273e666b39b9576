// The table of memories.
#include "memory/memory.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace everylink {

extern const MemoryEntry host_memory, huge_memory;

std::span<const MemoryEntry> memories() {
  static const MemoryEntry all[] = {host_memory, huge_memory};
  return all;
}

const MemoryEntry& memory_named(std::string_view name) {
  std::string known;
  for (const auto& entry : memories()) {
    if (entry.name == name) return entry;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  throw UsageError(fmt::format("--memory {}: there is no such memory; there are: {}", name, known));
}

}  // namespace everylink
