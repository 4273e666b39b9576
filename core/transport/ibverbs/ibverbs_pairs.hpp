// ibverbs: what a rank's card is to all its links, what it offers to a peer, and the queue pairs of one link.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "transport/ibverbs/ibverbs_port.hpp"

namespace everylink {

// Which queue pair is for what; those for messages begin with the last.
constexpr int knocks = 0, tokens = 1, messages = 2;

// An acknowledgement is waited for 4 us times two to the power of it, 7 times. Half a second a try would
// leave a killed peer unnoticed within the usual time limit, and what perftest takes (14) is spent on a busy
// machine.
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
  } out, in;           // `in` is written to; `out` is read by gets alone
  std::uint8_t reads;  // of ours that it serves at once
  std::vector<VerbsWay> ways;

  Blob packed() const;
  static VerbsOffer unpacked(View);
};

// The memory is registered here, once.
struct VerbsCard {
  const Setup setup;
  const VerbsOptions options;
  const VerbsPort port;
  const Verbs<ibv_pd> domain;
  const Verbs<ibv_mr> out, in;
  const int reads;                   // gets of a queue pair at once
  const std::size_t depth, longest;  // entries of a queue; messages above `longest` are cut

  explicit VerbsCard(const Setup&);
};

// The queue pairs of one link and their one completion queue.
class QueuePairs {
 public:
  explicit QueuePairs(const VerbsCard&);
  QueuePairs(const QueuePairs&) = delete;
  QueuePairs& operator=(const QueuePairs&) = delete;

  // Where a knock is written, and where one is read.
  struct Letters {
    VerbsNonce ours, theirs;
  };
  Letters& letters() { return letters_; }
  std::uint32_t letters_key() const { return letters_key_->lkey; }
  ibv_qp* operator[](int i) const { return pairs_[static_cast<std::size_t>(i)].get(); }
  ibv_cq* done() const { return done_.get(); }
  ibv_comp_channel* events() const { return events_.get(); }
  std::size_t most_inline() const { return most_inline_; }
  const VerbsNonce& nonce() const { return nonce_; }
  VerbsOffer offer() const;

  // 0, or why there is no way to the peer: this is where its address is looked up.
  int connect(int i, const VerbsOffer& theirs, std::uint8_t timeout);
  void reset(int i);  // back to its beginning

 private:
  Verbs<ibv_qp> create();
  void make_ready(int i);

  const VerbsCard& card_;
  VerbsNonce nonce_;
  std::vector<VerbsWay> ways_;
  Letters letters_{};
  Verbs<ibv_mr> letters_key_;
  Verbs<ibv_comp_channel> events_;
  Verbs<ibv_cq> done_;
  std::vector<Verbs<ibv_qp>> pairs_;  // freed first
  std::size_t most_inline_ = 0;
};

}  // namespace everylink
