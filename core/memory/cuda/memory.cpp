// Memory of a GPU, memory that moves between GPU and processor, and host memory that a GPU sees. All are
// written and verified by the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "memory/cuda/driver.hpp"
#include "memory/cuda/sharing.hpp"
#include "memory/memory.hpp"

namespace everylink {
namespace {

using namespace cuda;

constexpr unsigned for_every_stream = 1;         // CU_MEM_ATTACH_GLOBAL
constexpr unsigned portable_and_mapped = 1 | 2;  // CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP

Pointer address_of(const void* at) { return reinterpret_cast<Pointer>(at); }

// Host memory that the GPU reads and writes without the processor.
class Pinned {
 public:
  Pinned(const Device& device, std::size_t bytes) : device_(device) {
    void* at = nullptr;
    device_.check(device_.driver().allocate_pinned(&at, bytes, portable_and_mapped), "cuMemHostAlloc");
    at_ = static_cast<std::byte*>(at);
  }
  ~Pinned() {
    if (device_.may_free()) device_.driver().release_pinned(at_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  std::byte* at() const { return at_; }

 private:
  const Device& device_;
  std::byte* at_ = nullptr;
};

enum class Kind { device, managed, pinned };

class OnGpu final : public Memory {
 public:
  OnGpu(std::size_t bytes, int gpu, Kind kind, bool for_hosts)
      : device_(device_of(gpu)), kind_(kind), bytes_(bytes), word_(device_, sizeof(std::uint64_t)) {
    const auto& driver = device_.driver();
    const std::size_t room = std::max<std::size_t>(bytes, 1);
    if (kind == Kind::pinned)
      pinned_ = std::make_unique<Pinned>(device_, room);
    else if (kind == Kind::managed)
      device_.check(driver.allocate_managed(&managed_, room, for_every_stream), "cuMemAllocManaged");
    else
      allocation_ = std::make_unique<Allocation>(device_, room, for_hosts);
    if (const auto status = driver.allocate(&counter_, sizeof(std::uint64_t)); status != 0) {
      release();
      device_.check(status, "cuMemAlloc");
    }
  }
  ~OnGpu() override { release(); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  Region region() const override {
    const MemoryKind kinds[] = {MemoryKind::cuda, MemoryKind::cuda_managed, MemoryKind::host};
    return {reinterpret_cast<std::byte*>(at()), bytes_, kinds[static_cast<int>(kind_)], device_.ordinal(),
            allocation_.get()};
  }

  void fill(Slice slice, std::uint64_t seed) override {
    launch(device_.functions().fill, slice, seed, nullptr);
    device_.finish("writing the contents of messages");
  }

  bool holds(Slice slice, std::uint64_t seed) const override {
    auto& wrong = word();
    wrong = not_answered;
    device_.check(device_.driver().fill_words(counter_, 0, sizeof wrong / 4, device_.stream()),
                  "cuMemsetD32Async");
    launch(device_.functions().count_wrong, slice, seed, &counter_);
    copy(address_of(&wrong), counter_, sizeof wrong);
    device_.finish("verifying the contents of messages");
    return wrong == 0;
  }

  std::byte* host_copy() override {
    if (kind_ != Kind::device) return reinterpret_cast<std::byte*>(at());
    if (!copy_) copy_ = std::make_unique<Pinned>(device_, std::max<std::size_t>(bytes_, 1));
    return copy_->at();
  }
  void download(Slice slice) override { bring(slice, false); }
  void upload(Slice slice) override { bring(slice, true); }

  std::uint64_t word_at(std::size_t offset) override {
    if (kind_ != Kind::device) return Memory::word_at(offset);
    copy(address_of(&word()), at() + offset, sizeof word());
    device_.finish("reading a word");
    return word();
  }
  void set_word_at(std::size_t offset, std::uint64_t value) override {
    if (kind_ != Kind::device) return Memory::set_word_at(offset, value);
    word() = value;
    copy(at() + offset, address_of(&word()), sizeof value);
    device_.finish("writing a word");
  }

 private:
  static constexpr std::uint64_t not_answered = ~std::uint64_t{0};

  std::uint64_t& word() const { return *reinterpret_cast<std::uint64_t*>(word_.at()); }
  Pointer at() const {
    if (allocation_) return allocation_->at();
    return pinned_ ? address_of(pinned_->at()) : managed_;
  }

  void release() {
    if (!device_.may_free()) return;
    const auto& driver = device_.driver();
    if (managed_) driver.release(managed_);
    if (counter_) driver.release(counter_);
  }

  void copy(Pointer to, Pointer from, std::size_t bytes) const {
    device_.check(device_.driver().copy(to, from, bytes, device_.stream()), "cuMemcpyAsync");
  }

  void bring(Slice slice, bool up) {
    if (kind_ != Kind::device || slice.bytes == 0) return;
    const Pointer here = address_of(host_copy() + slice.offset), there = at() + slice.offset;
    up ? copy(there, here, slice.bytes) : copy(here, there, slice.bytes);
    device_.finish("a copy between GPU and host");
  }

  void launch(Handle function, Slice slice, std::uint64_t seed, const Pointer* counter) const {
    constexpr unsigned threads = 256, most_blocks = 1024;
    Pointer where = at() + slice.offset, last = counter ? *counter : 0;
    std::uint64_t bytes = slice.bytes, key = mix(seed);
    std::array<void*, 4> arguments{&where, &bytes, &key, &last};
    const auto blocks =
        static_cast<unsigned>(std::clamp<std::size_t>((slice.bytes / 8 + threads) / threads, 1, most_blocks));
    device_.check(device_.driver().launch(function, blocks, 1, 1, threads, 1, 1, 0, device_.stream(),
                                          arguments.data(), nullptr),
                  "cuLaunchKernel");
  }

  const Device& device_;
  const Kind kind_;
  const std::size_t bytes_;
  const Pinned word_;  // in memory of the host: the last count, or a word on its way
  std::unique_ptr<Allocation> allocation_;
  std::unique_ptr<Pinned> pinned_, copy_;
  Pointer managed_ = 0, counter_ = 0;
};

template <Kind kind>
std::unique_ptr<Memory> make(std::size_t bytes, int gpu, bool for_hosts) {
  return std::make_unique<OnGpu>(bytes, gpu, kind, for_hosts);
}

}  // namespace

extern const MemoryEntry cuda_memory{.name = "cuda",
                                     .summary = "memory of a GPU (NVIDIA)",
                                     .why_unusable = why_unusable,
                                     .make = make<Kind::device>,
                                     .needs_gpu = true};
extern const MemoryEntry cuda_managed_memory{.name = "cuda-managed",
                                             .summary = "memory that moves between a GPU and the host",
                                             .why_unusable = why_unusable,
                                             .make = make<Kind::managed>,
                                             .needs_gpu = true};
extern const MemoryEntry cuda_pinned_memory{.name = "cuda-pinned",
                                            .summary = "memory of the host that a GPU sees",
                                            .why_unusable = why_unusable,
                                            .make = make<Kind::pinned>,
                                            .needs_gpu = true};

}  // namespace everylink
