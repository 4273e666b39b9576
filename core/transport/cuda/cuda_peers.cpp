// Shares memories between processes, and gives out flags.
#include "transport/cuda/cuda_peers.hpp"

#include <numeric>

#include "base/errors.hpp"
#include "base/pack.hpp"

namespace everylink::cuda {

FlagBlock::FlagBlock(const Device& device, bool for_hosts)
    : device_(device), memory_(device, bytes, for_hosts), free_(places) {
  std::iota(free_.rbegin(), free_.rend(), 0u);
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
  return Packer()
      .add(host)
      .add(domain)
      .add(out_bytes)
      .add(in_bytes)
      .add(out)
      .add(in)
      .add(flags)
      .add(place)
      .take();
}

CudaOffer CudaOffer::unpacked(View bytes) {
  Unpacker said(bytes);
  CudaOffer offer;
  offer.host = said.text();
  offer.domain = said.text();
  offer.out_bytes = said.get<std::uint64_t>();
  offer.in_bytes = said.get<std::uint64_t>();
  offer.out = said.get<Shared>();
  offer.in = said.get<Shared>();
  offer.flags = said.get<Shared>();
  offer.place = said.get<std::uint32_t>();
  said.end();
  Unpacker::must(offer.place < FlagBlock::places);
  return offer;
}

OpenedPeers::Memories OpenedPeers::open(int peer, const CudaOffer& offer) {
  auto& opened = by_peer_[peer];
  // A peer that gave up its memories has new ones.
  std::erase_if(opened, [&](const auto& one) {
    return one->what() != offer.out && one->what() != offer.in && one->what() != offer.flags;
  });
  const auto at = [&](const Shared& wanted) {
    for (const auto& one : opened)
      if (one->what() == wanted) return one->at();
    opened.push_back(std::make_unique<Opened>(device_, wanted));
    return opened.back()->at();
  };
  const Memories memories{at(offer.out), at(offer.in), at(offer.flags)};
  return memories;
}

}  // namespace everylink::cuda
