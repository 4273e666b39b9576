// The table of memories.
#include "memory/memory.hpp"

#include "base/errors.hpp"
#include "base/names.hpp"

namespace everylink {

extern const MemoryEntry host_memory, huge_memory;

std::span<const MemoryEntry> memories() {
  static const MemoryEntry all[] = {host_memory, huge_memory};
  return all;
}

const MemoryEntry& memory_named(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : memories()) {
    if (entry.name == name) return entry;
    known.emplace_back(entry.name);
  }
  if (name == "cuda")
    throw UsageError(
        "--memory cuda (LinkTest's --use-gpu-memory): GPU memory cannot be measured yet; leave it out to "
        "measure host memory");
  throw UsageError("--memory: " + unknown_name("memory", name, known));
}

}  // namespace everylink
