// What all links of a rank share (VerbsCard), the offer to a peer, and the queue pairs of one link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "transport/ibverbs/ibverbs_port.hpp"
#include "transport/transport.hpp"

namespace everylink {

// The purpose of each queue pair; those for messages start at the last index.
constexpr int handshakes = 0, tokens = 1, messages = 2;

// A send fails if 7 tries, of 4 us times two to this power each, are not acknowledged. With half a second per
// try, a killed peer would go unnoticed within the usual time limit; perftest's value (14) is too short on a
// busy machine.
constexpr std::uint8_t patience = 16, first_patience = 8;

using VerbsNonce = std::array<std::byte, 16>;

struct VerbsWay {
  std::uint32_t number, first_packet;
};

struct VerbsOffer {
  VerbsNonce nonce;
  bool active, has_gid;
  std::uint16_t lid;
  ibv_gid gid;
  std::uint8_t mtu;  // as an ibv_mtu
  std::uint64_t longest;
  struct Memory {
    std::uint64_t at, bytes;
    std::uint32_t key, unused;
  } out, in;           // `in` is written to; only gets read `out`
  std::uint8_t reads;  // gets that it serves at the same time
  std::vector<VerbsWay> ways;

  Blob packed() const;
  static VerbsOffer unpacked(View);
};

// The opened adapter with the registered memories, one per rank.
struct VerbsCard {
  const Setup setup;
  const VerbsOptions options;
  const VerbsPort port;
  const Verbs<ibv_pd> domain;
  const Verbs<ibv_mr> out, in;
  const int reads;                   // gets in flight per queue pair
  const std::size_t depth, longest;  // entries of a queue; messages above `longest` are split

  explicit VerbsCard(const Setup&);
};

// The queue pairs of one link and their shared completion queue.
class QueuePairs {
 public:
  explicit QueuePairs(const VerbsCard&);
  QueuePairs(const QueuePairs&) = delete;
  QueuePairs& operator=(const QueuePairs&) = delete;

  // Our handshake, and the buffer for the peer's.
  struct HandshakeBuffers {
    VerbsNonce ours, theirs;
  };
  HandshakeBuffers& handshake_buffers() { return handshake_buffers_; }
  std::uint32_t handshake_key() const { return handshake_key_->lkey; }
  ibv_qp* operator[](int i) const { return pairs_[static_cast<std::size_t>(i)].get(); }
  ibv_cq* done() const { return done_.get(); }
  ibv_comp_channel* events() const { return events_.get(); }
  std::size_t most_inline() const { return most_inline_; }
  const VerbsNonce& nonce() const { return nonce_; }
  VerbsOffer offer() const;

  // Returns 0, or the errno value of the failure: this is where the peer's address is resolved.
  int connect(int i, const VerbsOffer& theirs, std::uint8_t timeout);
  void reset(int i);  // back to its initial state

 private:
  Verbs<ibv_qp> create();
  void make_ready(int i);

  const VerbsCard& card_;
  VerbsNonce nonce_;
  std::vector<VerbsWay> ways_;
  HandshakeBuffers handshake_buffers_{};
  Verbs<ibv_mr> handshake_key_;
  Verbs<ibv_comp_channel> events_;
  Verbs<ibv_cq> done_;
  std::vector<Verbs<ibv_qp>> pairs_;  // freed first
  std::size_t most_inline_ = 0;
};

}  // namespace everylink
