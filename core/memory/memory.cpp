// The table of memories.
#include "memory/memory.hpp"

#include "base/errors.hpp"
#include "base/names.hpp"

namespace everylink {

extern const MemoryEntry host_memory, huge_memory, cuda_memory, cuda_managed_memory, cuda_pinned_memory;

std::span<const MemoryEntry> memories() {
  static const MemoryEntry all[] = {host_memory, huge_memory, cuda_memory, cuda_managed_memory,
                                    cuda_pinned_memory};
  return all;
}

const MemoryEntry& memory_named(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : memories()) {
    if (entry.name == name) return entry;
    known.emplace_back(entry.name);
  }
  throw UsageError("--memory: " + unknown_name("memory", name, known));
}

}  // namespace everylink
