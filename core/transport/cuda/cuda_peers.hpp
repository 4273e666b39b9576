// What links between GPUs share: memories of peers that this process has opened, and flags in the memory of
// our GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "memory/cuda/driver.hpp"
#include "memory/cuda/sharing.hpp"

namespace everylink::cuda {

// Counters of one end of a link. Peers write them; streams of our GPU wait for them.
struct Flags {
  Pointer posted, arrived, met;  // receives that the peer has posted, messages from it, tokens of `meet`

  static constexpr std::size_t apart = 64, bytes = 4 * apart;  // 32-bit words, each in a line of its own
  static Flags at(Pointer begin) { return {begin, begin + apart, begin + 2 * apart}; }
  Pointer held() const { return met + apart; }  // for `hold`: written by our own processor
};

// A block of GPU memory with the flags of many links, each in one place.
class FlagBlock {
 public:
  static constexpr std::size_t bytes = 4 * granularity, places = bytes / Flags::bytes;
  FlagBlock(const Device&, bool for_hosts);

  Shared share() const { return memory_.share(); }
  // A place, all of whose flags are 0. Throws LocalFault if none is free.
  std::uint32_t take();
  void give_back(std::uint32_t place) { free_.push_back(place); }
  Flags flags(std::uint32_t place) const { return Flags::at(memory_.at() + place * Flags::bytes); }

 private:
  const Device& device_;
  const Allocation memory_;
  std::vector<std::uint32_t> free_;
};

// What a peer needs: memories and flags, all by handles of one kind.
struct CudaOffer {
  std::string host;    // machine, and namespace of process ids: handles of CUDA IPC are valid within them
  std::string domain;  // of NVLink: fabric handles are valid within it (host/inventory/nvml.hpp)
  std::uint64_t out_bytes = 0, in_bytes = 0;
  Shared out, in, flags;
  std::uint32_t place = 0;

  Blob packed() const;
  static CudaOffer unpacked(View);
};

// Opens memories of peers, and keeps them open: opening takes far longer than a message.
class OpenedPeers {
 public:
  explicit OpenedPeers(const Device& device) : device_(device) {}

  struct Memories {
    Pointer out = 0, in = 0, flags = 0;
  };
  // Throws LocalFault if our GPU cannot reach the peer's.
  Memories open(int peer, const CudaOffer&);

 private:
  const Device& device_;
  std::map<int, std::vector<std::unique_ptr<Opened>>> by_peer_;
};

}  // namespace everylink::cuda
