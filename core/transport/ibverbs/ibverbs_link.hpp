// A link of ibverbs: messages, puts and gets through its queue pairs.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "transport/ibverbs/ibverbs_pairs.hpp"
#include "transport/tickets.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink {

class VerbsLink final : public Link, public OneSided {
 public:
  VerbsLink(const VerbsCard& card, std::unique_ptr<QueuePairs> pairs, const VerbsOffer& theirs)
      : card_(card),
        pairs_(std::move(pairs)),
        theirs_(theirs),
        waiter_(card.setup.crowded),
        longest_(std::min<std::size_t>(card.longest, theirs.longest)),
        lanes_(theirs.ways.size() - messages) {}

  // Connects the two ends. Returns "", or the reason for the failure.
  std::string shake_hands(bool begins, Seconds until);
  int start_send(Slice slice) override;
  int start_put(Slice slice, std::size_t at) override;
  int start_get(Slice slice, std::size_t at) override;
  int start_recv(Slice slice) override;
  Outcome wait(int ticket, Seconds until) override;
  Outcome flush(Seconds until) override;
  Outcome meet(Seconds until) override;
  Outcome close(Seconds) override;

 private:
  enum class What { send, write_with_notice, receive, put, get };
  struct Piece {
    Slice slice;
    int ticket;
    What what;
    std::uint64_t far;  // the place in the peer's memory
  };
  struct Queue {
    std::deque<Piece> waiting, posted;
  };
  struct Lane {
    Queue sends, receives;
  };

  int pieces_of(std::size_t bytes) const;
  template <class Call>
  void each_piece(Slice slice, Call call);
  int start_one_sided(What what, Slice slice, std::uint64_t far);
  void push();
  void post_piece(int pair, const Piece& piece);
  std::uint64_t mark(int pair, bool receives) const;
  void post_receive(int pair, void* at, std::size_t bytes, std::uint32_t key);
  void post_send(int pair, ibv_wr_opcode how, const void* at, std::size_t bytes, std::uint32_t key,
                 std::uint64_t far, std::uint32_t far_key);
  void send_handshake();
  void expect_handshake();
  int handshake_again(std::uint8_t timeout);
  bool move();
  void note(const ibv_wc& done);
  void note_token(const ibv_wc& done);

  template <class Done>
  Outcome move_until(Done done, Seconds until);
  void check_peer();
  void wait_a_little(Waiter::Wait& wait, Seconds until);

  const VerbsCard& card_;
  std::unique_ptr<QueuePairs> pairs_;
  const VerbsOffer theirs_;
  Waiter waiter_;
  const std::size_t longest_;
  std::vector<Lane> lanes_;
  Tickets sends_, receives_;
  std::deque<int> puts_;            // tickets of puts that no flush has completed
  std::optional<int> flushed_put_;  // the last put that the flush in flight covers
  int tokens_came_ = 0, tokens_open_ = 0;
  bool failed_ = false;  // messages are lost
  bool silent_ = false;  // the peer's adapter does not acknowledge tokens
  bool known_ = false, handshake_came_ = false, handshake_sent_ = false, handshake_failed_ = false;
  std::uint64_t attempt_ = 0;
  bool check_in_flight_ = false;
  Seconds quiet_since_ = 0;
  unsigned quiet_polls_ = 0;
};

}  // namespace everylink
