// Connects the queue pairs of one link and moves its messages.
#include "transport/ibverbs/ibverbs_link.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "memory/memory.hpp"

namespace everylink {
namespace {

constexpr int tokens_ready = 4;        // the peer is at most two meetings ahead
constexpr Seconds check_after = 0.25;  // checks that the peer is alive after so long without a completion

}  // namespace

// A handshake that arrives before the other end listens is lost, and can be repeated only after a reset. So
// one end handshakes; the other end answers and never has to repeat.
std::string VerbsLink::shake_hands(bool begins, Seconds until) {
  for (int i = 0; i < static_cast<int>(theirs_.ways.size()); ++i)
    if (const int why = pairs_->connect(i, theirs_, i == handshakes && begins ? first_patience : patience))
      return fmt::format("cannot reach the peer: {}", std::strerror(why));
  for (int i = 0; i < tokens_ready; ++i) post_receive(tokens, nullptr, 0, 0);
  pairs_->handshake_buffers().ours = theirs_.nonce;
  expect_handshake();
  if (begins) send_handshake();
  std::uint8_t timeout = first_patience;
  for (auto wait = waiter_.until(until);;) {
    if (move()) wait.moved();
    if (failed_) return "the connection broke while connecting";
    if (known_ && handshake_sent_) return {};
    if (handshake_failed_ && !begins) return "the peer began the handshake but does not receive our answer";
    if (handshake_came_ && !known_ && pairs_->handshake_buffers().theirs == pairs_->nonce()) {
      known_ = true;
      if (!begins) send_handshake();
    } else if (handshake_came_ && !known_) {
      expect_handshake();  // not the peer of this link
    }
    if (handshake_failed_) {
      timeout = std::min<std::uint8_t>(patience, timeout + 1);
      if (const int why = handshake_again(timeout))
        return fmt::format("cannot reach the peer: {}", std::strerror(why));
    }
    if (wait.is_over(steady_now)) return "the peer does not answer";
    wait_a_little(wait, until);
  }
}

int VerbsLink::start_send(Slice slice) {
  const int ticket = sends_.start(pieces_of(slice.bytes));
  const auto how = card_.options.write ? What::write_with_notice : What::send;
  each_piece(slice, [&](Lane& lane, Slice piece) {
    lane.sends.waiting.push_back({piece, ticket, how, theirs_.in.at + piece.offset});
  });
  push();
  return 2 * ticket;
}

int VerbsLink::start_put(Slice slice, std::size_t at) {
  if (!lies_within(theirs_.in.bytes, {at, slice.bytes})) return no_ticket;
  puts_.push_back(start_one_sided(What::put, slice, theirs_.in.at + at));
  return puts_.back();
}

int VerbsLink::start_get(Slice slice, std::size_t at) {
  if (!lies_within(theirs_.out.bytes, {at, slice.bytes})) return no_ticket;
  return start_one_sided(What::get, slice, theirs_.out.at + at);
}

int VerbsLink::start_recv(Slice slice) {
  const int ticket = receives_.start(pieces_of(slice.bytes));
  each_piece(slice, [&](Lane& lane, Slice piece) {
    lane.receives.waiting.push_back({piece, ticket, What::receive, 0});
  });
  push();
  return 2 * ticket + 1;
}

Outcome VerbsLink::wait(int ticket, Seconds until) {
  if (ticket == no_ticket) return Outcome::broken;
  return move_until([&] { return ticket % 2 ? receives_.done(ticket / 2) : sends_.done(ticket / 2); }, until);
}

// A put is done when the peer's adapter has acknowledged it; no later message overtakes it.
Outcome VerbsLink::flush(Seconds until) {
  if (puts_.empty()) return Outcome::ok;
  if (!flushed_put_) flushed_put_ = puts_.back();
  const auto outcome = move_until(
      [&] {
        while (!puts_.empty() && sends_.done(puts_.front() / 2)) puts_.pop_front();
        return puts_.empty() || puts_.front() > *flushed_put_;
      },
      until);
  if (outcome == Outcome::ok) flushed_put_.reset();
  return outcome;
}

// A peer that has our token may be gone before its adapter acknowledges it. What counts is that the peer's
// token has arrived.
Outcome VerbsLink::meet(Seconds until) {
  if (!failed_ && !silent_) post_send(tokens, IBV_WR_SEND, nullptr, 0, 0, 0, 0);
  ++tokens_open_;
  const auto outcome = move_until(
      [&] { return tokens_came_ > 0 && sends_.all_done() && (tokens_open_ == 0 || silent_); }, until);
  if (outcome == Outcome::ok) --tokens_came_;
  return outcome;
}

Outcome VerbsLink::close(Seconds) {
  pairs_.reset();
  return Outcome::ok;  // a destroyed queue pair accesses no buffer
}

// A long message travels on all lanes; no piece is longer than either port can carry.
int VerbsLink::pieces_of(std::size_t bytes) const {
  constexpr std::size_t least = 16384;
  const auto lanes = std::clamp<std::size_t>(bytes / least, 1, lanes_.size());
  return static_cast<int>(std::max(lanes, (bytes + longest_ - 1) / longest_));
}

template <class Call>
void VerbsLink::each_piece(Slice slice, Call call) {
  const auto pieces = static_cast<std::size_t>(pieces_of(slice.bytes)),
             usual = (slice.bytes + pieces - 1) / pieces;
  for (std::size_t i = 0, begin = 0; i < pieces; ++i) {
    const std::size_t bytes = std::min(usual, slice.bytes - begin);
    call(lanes_[i % lanes_.size()], Slice{slice.offset + begin, bytes});
    begin += bytes;
  }
}

int VerbsLink::start_one_sided(What what, Slice slice, std::uint64_t far) {
  const int ticket = sends_.start(pieces_of(slice.bytes));
  each_piece(slice, [&](Lane& lane, Slice piece) {
    lane.sends.waiting.push_back({piece, ticket, what, far + piece.offset - slice.offset});
  });
  push();
  return 2 * ticket;
}

// Posts as much as the queue pairs accept; the rest follows when earlier work is done.
void VerbsLink::push() {
  if (failed_) return;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    auto& [sends, receives] = lanes_[i];
    const int pair = messages + static_cast<int>(i);
    for (; !receives.waiting.empty() && receives.posted.size() < card_.depth; receives.waiting.pop_front()) {
      const Slice s = receives.waiting.front().slice;
      post_receive(pair, card_.setup.in.region().at + s.offset, card_.options.write ? 0 : s.bytes,
                   card_.in->lkey);
      receives.posted.push_back(receives.waiting.front());
    }
    for (; !sends.waiting.empty() && sends.posted.size() < card_.depth; sends.waiting.pop_front()) {
      post_piece(pair, sends.waiting.front());
      sends.posted.push_back(sends.waiting.front());
    }
  }
}

// A get of 0 bytes is a put of 0 bytes: both involve only the peer's adapter.
void VerbsLink::post_piece(int pair, const Piece& piece) {
  const auto [offset, bytes] = piece.slice;
  if (piece.what == What::get && bytes > 0)
    return post_send(pair, IBV_WR_RDMA_READ, card_.setup.in.region().at + offset, bytes, card_.in->lkey,
                     piece.far, theirs_.out.key);
  const auto how = piece.what == What::send                ? IBV_WR_SEND
                   : piece.what == What::write_with_notice ? IBV_WR_RDMA_WRITE_WITH_IMM
                                                           : IBV_WR_RDMA_WRITE;
  post_send(pair, how, card_.setup.out.region().at + offset, bytes, card_.out->lkey,
            bytes > 0 ? piece.far : theirs_.in.at, theirs_.in.key);
}

std::uint64_t VerbsLink::mark(int pair, bool receives) const {
  return static_cast<std::uint64_t>(pair) * 2 + receives + (pair == handshakes ? attempt_ << 32 : 0);
}

void VerbsLink::post_receive(int pair, void* at, std::size_t bytes, std::uint32_t key) {
  ibv_sge part{reinterpret_cast<std::uintptr_t>(at), static_cast<std::uint32_t>(bytes), key};
  ibv_recv_wr wanted{}, *bad = nullptr;
  wanted.wr_id = mark(pair, true);
  wanted.sg_list = &part;
  wanted.num_sge = bytes > 0;
  check_verbs(ibv_post_recv((*pairs_)[pair], &wanted, &bad), "ibv_post_recv");
}

void VerbsLink::post_send(int pair, ibv_wr_opcode how, const void* at, std::size_t bytes, std::uint32_t key,
                          std::uint64_t far, std::uint32_t far_key) {
  ibv_sge part{reinterpret_cast<std::uintptr_t>(at), static_cast<std::uint32_t>(bytes), key};
  ibv_send_wr wanted{}, *bad = nullptr;
  wanted.wr_id = mark(pair, false);
  wanted.sg_list = &part;
  wanted.num_sge = bytes > 0;
  wanted.opcode = how;
  wanted.send_flags = IBV_SEND_SIGNALED;
  if (how != IBV_WR_RDMA_READ && bytes > 0 && bytes <= pairs_->most_inline())
    wanted.send_flags |= IBV_SEND_INLINE;
  wanted.wr.rdma = {far, far_key};
  check_verbs(ibv_post_send((*pairs_)[pair], &wanted, &bad), "ibv_post_send");
}

void VerbsLink::send_handshake() {
  post_send(handshakes, IBV_WR_SEND, &pairs_->handshake_buffers().ours, sizeof(VerbsNonce),
            pairs_->handshake_key(), 0, 0);
}

void VerbsLink::expect_handshake() {
  handshake_came_ = false;
  post_receive(handshakes, &pairs_->handshake_buffers().theirs, sizeof(VerbsNonce), pairs_->handshake_key());
}

int VerbsLink::handshake_again(std::uint8_t timeout) {
  ++attempt_;  // distinguishes late completions of the previous attempt
  pairs_->reset(handshakes);
  const int why = pairs_->connect(handshakes, theirs_, timeout);
  handshake_failed_ = false;
  if (why == 0) {
    expect_handshake();
    send_handshake();
  }
  return why;
}

// Handles completions; returns whether there were any.
bool VerbsLink::move() {
  std::array<ibv_wc, 16> done;
  const int count = ibv_poll_cq(pairs_->done(), static_cast<int>(done.size()), done.data());
  if (count < 0) throw MachineError("ibv_poll_cq failed");
  for (int i = 0; i < count; ++i) note(done[static_cast<std::size_t>(i)]);
  if (count > 0) push();
  return count > 0;
}

void VerbsLink::note(const ibv_wc& done) {
  const bool ok = done.status == IBV_WC_SUCCESS, received = done.wr_id % 2;
  const auto pair = static_cast<int>((done.wr_id & 0xffffffff) / 2);
  if (pair == handshakes) {
    if (done.wr_id >> 32 == attempt_)
      (ok ? received ? handshake_came_ : handshake_sent_ : handshake_failed_) = true;
  } else if (!ok) {
    (pair == tokens ? silent_ : failed_) = true;
  } else if (pair == tokens) {
    note_token(done);
  } else {
    auto& lane = lanes_[static_cast<std::size_t>(pair - messages)];
    auto& queue = received ? lane.receives : lane.sends;
    const Piece piece = queue.posted.front();
    queue.posted.pop_front();
    if (received && done.byte_len != piece.slice.bytes) failed_ = true;  // not what our kernel expects
    (received ? receives_ : sends_).piece_done(piece.ticket);
  }
}

void VerbsLink::note_token(const ibv_wc& done) {
  if (done.opcode == IBV_WC_RECV) {
    ++tokens_came_;
    post_receive(tokens, nullptr, 0, 0);
  } else if (done.opcode == IBV_WC_SEND) {
    --tokens_open_;
  } else {
    check_in_flight_ = false;
  }
}

template <class Done>
Outcome VerbsLink::move_until(Done done, Seconds until) {
  quiet_since_ = 0;
  for (auto wait = waiter_.until(until);;) {
    if (done()) return Outcome::ok;
    const bool moved = move();
    if (done()) return Outcome::ok;
    if (failed_ || silent_) return Outcome::broken;
    if (wait.is_over(steady_now)) return Outcome::timeout;
    if (moved) {
      wait.moved();
      quiet_since_ = 0;
    } else {
      check_peer();
      wait_a_little(wait, until);
    }
  }
}

// A rank that only receives would not notice a dead peer, so it writes 0 bytes, which the adapter of a live
// peer acknowledges.
void VerbsLink::check_peer() {
  if (++quiet_polls_ % 256 != 0 && !card_.options.events) return;
  const Seconds now = steady_now();
  if (quiet_since_ == 0) quiet_since_ = now;
  if (check_in_flight_ || now - quiet_since_ < check_after) return;
  post_send(tokens, IBV_WR_RDMA_WRITE, nullptr, 0, 0, theirs_.in.at, theirs_.in.key);
  check_in_flight_ = true;
  quiet_since_ = now;
}

void VerbsLink::wait_a_little(Waiter::Wait& wait, Seconds until) {
  if (!card_.options.events) return wait.nothing_moved();
  check_verbs(ibv_req_notify_cq(pairs_->done(), 0), "ibv_req_notify_cq");
  if (move()) return;  // a completion arrived before the notification was armed
  pollfd polled{pairs_->events()->fd, POLLIN, 0};
  const Seconds left = std::clamp(until - steady_now(), 0.0, check_after);
  if (::poll(&polled, 1, static_cast<int>(left * 1000) + 1) < 0 && errno != EINTR) throw_errno("poll");
  ibv_cq* which = nullptr;
  void* of_ours = nullptr;
  if (ibv_get_cq_event(pairs_->events(), &which, &of_ours) == 0) ibv_ack_cq_events(which, 1);
}

}  // namespace everylink
