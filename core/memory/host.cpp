// Memory of the host: ordinary or huge pages.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "memory/memory.hpp"

namespace everylink {
namespace {

// Mapped rather than allocated: pages that no message touches cost nothing.
class Mapped final : public Memory {
 public:
  Mapped(std::size_t bytes, std::size_t page, int flags, const char* kind) : bytes_(bytes) {
    mapped_ = (bytes + page) / page * page;
    void* at = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (at == MAP_FAILED) throw_errno(fmt::format("{} bytes of {} memory", mapped_, kind));
    at_ = static_cast<std::byte*>(at);
  }
  ~Mapped() override { ::munmap(at_, mapped_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  Region region() const override { return {at_, bytes_, MemoryKind::host, 0}; }

  void fill(Slice slice, std::uint64_t seed) override {
    for (std::size_t i = 0; i < slice.bytes; i += 8) {
      const std::uint64_t word = mix(seed, i);
      std::memcpy(at_ + slice.offset + i, &word, std::min<std::size_t>(8, slice.bytes - i));
    }
  }

  bool holds(Slice slice, std::uint64_t seed) const override {
    for (std::size_t i = 0; i < slice.bytes; i += 8) {
      const std::uint64_t word = mix(seed, i);
      if (std::memcmp(at_ + slice.offset + i, &word, std::min<std::size_t>(8, slice.bytes - i)) != 0)
        return false;
    }
    return true;
  }

 private:
  std::byte* at_;
  std::size_t bytes_, mapped_;
};

// A value of /proc/meminfo, in kB; 0: the kernel does not report it.
std::size_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1));
  return 0;
}

std::string why_no_huge_pages() {
  return meminfo("HugePages_Free") > 0 ? "" : "no free huge pages here (sysctl vm.nr_hugepages)";
}

}  // namespace

extern const MemoryEntry host_memory{"host", "ordinary pages of the host", [] { return std::string(); },
                                     [](std::size_t bytes, int, bool) -> std::unique_ptr<Memory> {
                                       return std::make_unique<Mapped>(bytes, 4096, 0, "host");
                                     }};

extern const MemoryEntry huge_memory{"huge", "huge pages of the host", why_no_huge_pages,
                                     [](std::size_t bytes, int, bool) -> std::unique_ptr<Memory> {
                                       return std::make_unique<Mapped>(bytes, meminfo("Hugepagesize") * 1024,
                                                                       MAP_HUGETLB, "huge-page");
                                     }};

}  // namespace everylink
