// What links between GPUs share: memories of peers that this process has opened, and flags in the memory of
// our GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "memory/cuda/driver.hpp"

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
  explicit FlagBlock(const Device&);
  ~FlagBlock();
  FlagBlock(const FlagBlock&) = delete;
  FlagBlock& operator=(const FlagBlock&) = delete;

  SharedHandle handle() const { return handle_; }
  // A place, all of whose flags are 0. Throws LocalFault if none is free.
  std::uint32_t take();
  void give_back(std::uint32_t place) { free_.push_back(place); }
  Flags flags(std::uint32_t place) const { return Flags::at(at_ + place * Flags::bytes); }

 private:
  const Device& device_;
  Pointer at_ = 0;
  SharedHandle handle_{};
  std::vector<std::uint32_t> free_;
};

// What a peer needs: memories and flags, by handles that processes of the same host can open.
struct CudaOffer {
  std::string host;  // machine, and namespace of process ids: handles are valid within them
  std::uint64_t out_bytes = 0, in_bytes = 0;
  SharedHandle out{}, in{}, flags{};
  std::uint32_t place = 0;

  Blob packed() const;
  static CudaOffer unpacked(View);
};

// Opens memories of peers, and keeps them open: opening takes far longer than a message.
class OpenedPeers {
 public:
  explicit OpenedPeers(const Device& device) : device_(device) {}
  ~OpenedPeers();
  OpenedPeers(const OpenedPeers&) = delete;
  OpenedPeers& operator=(const OpenedPeers&) = delete;

  struct Memories {
    Pointer out = 0, in = 0, flags = 0;
  };
  // Throws LocalFault if our GPU cannot reach the peer's.
  Memories open(int peer, const CudaOffer&);

 private:
  struct One {
    SharedHandle handle;
    Pointer at;
  };
  Pointer open(const SharedHandle&) const;
  const Device& device_;
  std::map<int, std::vector<One>> by_peer_;
};

}  // namespace everylink::cuda
