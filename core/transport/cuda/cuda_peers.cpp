// Shares memories between processes, and gives out flags.
#include "transport/cuda/cuda_peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "base/pack.hpp"

namespace everylink::cuda {
namespace {

constexpr unsigned enables_peer_access = 1;  // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
constexpr Status success = 0, no_peer_access = 217;

}  // namespace

FlagBlock::FlagBlock(const Device& device) : device_(device), free_(places) {
  std::iota(free_.rbegin(), free_.rend(), 0u);
  device_.check(device_.driver().allocate(&at_, bytes), "cuMemAlloc");
  device_.check(device_.driver().share(&handle_, at_), "cuIpcGetMemHandle");
}

FlagBlock::~FlagBlock() {
  if (device_.may_free()) device_.driver().release(at_);
}

std::uint32_t FlagBlock::take() {
  if (free_.empty()) throw LocalFault("cuda: too many links at once", "too many links between GPUs at once");
  const auto place = free_.back();
  device_.check(device_.driver().fill_words(flags(place).posted, 0, Flags::bytes / 4, device_.stream()),
                "cuMemsetD32Async");
  device_.finish("clearing the flags of a link");
  free_.pop_back();
  return place;
}

Blob CudaOffer::packed() const {
  return Packer().add(host).add(out_bytes).add(in_bytes).add(out).add(in).add(flags).add(place).take();
}

CudaOffer CudaOffer::unpacked(View bytes) {
  Unpacker said(bytes);
  CudaOffer offer;
  offer.host = said.text();
  offer.out_bytes = said.get<std::uint64_t>();
  offer.in_bytes = said.get<std::uint64_t>();
  offer.out = said.get<SharedHandle>();
  offer.in = said.get<SharedHandle>();
  offer.flags = said.get<SharedHandle>();
  offer.place = said.get<std::uint32_t>();
  said.end();
  Unpacker::must(offer.place < FlagBlock::places);
  return offer;
}

OpenedPeers::~OpenedPeers() {
  if (!device_.may_free()) return;
  for (const auto& [peer, opened] : by_peer_)
    for (const auto& one : opened) device_.driver().close_shared(one.at);
}

OpenedPeers::Memories OpenedPeers::open(int peer, const CudaOffer& offer) {
  auto& opened = by_peer_[peer];
  const SharedHandle* const wanted[] = {&offer.out, &offer.in, &offer.flags};
  // A peer that gave up its memories has new ones.
  std::erase_if(opened, [&](const One& one) {
    if (std::any_of(std::begin(wanted), std::end(wanted),
                    [&](const auto* handle) { return handle->bytes == one.handle.bytes; }))
      return false;
    device_.driver().close_shared(one.at);
    return true;
  });
  const auto at = [&](const SharedHandle& handle) {
    for (const auto& one : opened)
      if (one.handle.bytes == handle.bytes) return one.at;
    opened.push_back({handle, open(handle)});
    return opened.back().at;
  };
  const Memories memories{at(offer.out), at(offer.in), at(offer.flags)};
  return memories;
}

Pointer OpenedPeers::open(const SharedHandle& handle) const {
  Pointer at = 0;
  const Status status = device_.driver().open_shared(&at, handle, enables_peer_access);
  if (status == no_peer_access) {
    const auto why = fmt::format("GPU {} cannot access the memory of the peer's GPU: {}", device_.ordinal(),
                                 text_of(status));
    throw LocalFault(why, why);
  }
  if (status != success) device_.check(status, "cuIpcOpenMemHandle");
  return at;
}

}  // namespace everylink::cuda
