// Sends and receives the frames of one socket.
#include "transport/tcp/tcp_stream.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace everylink::tcp {

void Stream::get(Piece piece, std::size_t at) {
  out_.push_back({{nullptr, 0, no_waiter}, {Kind::get, piece.left, at}, sizeof(Head)});
  gets_.push_back(piece);
}

void Stream::expect(Piece piece) {
  in_.push_back(piece);
  holds_back_ = false;
}

bool Stream::push(Tickets& sent) {
  if (out_.empty() || broken_) return false;
  Out& out = out_.front();
  const ssize_t n =
      out.head_left == sizeof(Head) && out.piece.left <= small ? send_small(out) : send_parts(out);
  if (n < 0) return note_error();
  const std::size_t of_head = std::min(static_cast<std::size_t>(n), out.head_left);
  out.head_left -= of_head;
  out.piece.at += static_cast<std::size_t>(n) - of_head;
  out.piece.left -= static_cast<std::size_t>(n) - of_head;
  if (out.head_left == 0 && out.piece.left == 0) {
    if (out.piece.ticket != no_waiter) sent.piece_done(out.piece.ticket);
    out_.pop_front();
  }
  return true;
}

bool Stream::pull(Heard& heard) {
  if (broken_) return false;
  if (parse(heard)) return true;
  if (in_body_ && body_.left > 0) return pull_body(heard);
  const bool direct = end_ == 0 && !in_.empty() && in_.front().left > small;
  return direct ? pull_frame(heard) : pull_more(heard);
}

void Stream::queue(Kind kind, Piece piece, std::size_t at) {
  out_.push_back({piece, {kind, piece.left, at}, sizeof(Head)});
}

// Sending one buffer is cheaper than two; above `small`, the copy costs more than it saves.
ssize_t Stream::send_small(const Out& out) {
  std::byte frame[sizeof(Head) + small];
  std::memcpy(frame, &out.head, sizeof(Head));
  if (out.piece.left > 0) std::memcpy(frame + sizeof(Head), out.piece.at, out.piece.left);
  return ::send(fd(), frame, sizeof(Head) + out.piece.left, MSG_NOSIGNAL);
}

ssize_t Stream::send_parts(Out& out) {
  iovec parts[2] = {{reinterpret_cast<std::byte*>(&out.head) + sizeof(Head) - out.head_left, out.head_left},
                    {out.piece.at, out.piece.left}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = out.piece.left ? 2 : 1;
  return ::sendmsg(fd(), &message, MSG_NOSIGNAL);
}

// Handles the inbox as far as possible: heads, frames without a body, the beginning of a body.
bool Stream::parse(Heard& heard) {
  bool moved = false;
  for (;;) {
    if (!in_body_) {
      if (end_ - begin_ < sizeof(Head)) break;
      Head head;
      std::memcpy(&head, inbox_.data() + begin_, sizeof head);
      if (!handle(head, heard)) {
        if (broken_) return true;
        break;
      }
      begin_ += sizeof(Head);
      moved = true;
    }
    if (in_body_) {
      const std::size_t n = std::min(end_ - begin_, body_.left);
      if (n > 0) std::memcpy(body_.at, inbox_.data() + begin_, n);
      begin_ += n;
      moved |= n > 0;
      if (!take(n, heard)) break;
    }
  }
  if (begin_ > 0) std::memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  return moved;
}

// Handles a head. False: it must wait, or it is invalid, which breaks the link.
bool Stream::handle(const Head& head, Heard& heard) {
  switch (head.kind()) {
    case Kind::message: return begin_expected(in_, head.bytes());
    case Kind::gotten: return !gets_.empty() ? begin_expected(gets_, head.bytes()) : !(broken_ = true);
    case Kind::token: ++heard.tokens; return true;
    case Kind::flushed: ++heard.flushed; return true;
    case Kind::flush: send(Kind::flushed); return true;
    case Kind::put:
      if (!lies_within(in_memory_.region().bytes, {head.at, head.bytes()})) break;
      begin_body({in_memory_.host_copy() + head.at, head.bytes(), no_waiter});
      return true;
    case Kind::get:
      if (!lies_within(out_memory_.region().bytes, {head.at, head.bytes()})) break;
      out_memory_.download({head.at, head.bytes()});
      queue(Kind::gotten, {out_memory_.host_copy() + head.at, head.bytes(), no_waiter});
      return true;
  }
  return !(broken_ = true);
}

bool Stream::begin_expected(std::deque<Piece>& expected, std::uint64_t bytes) {
  if (expected.empty()) return !(holds_back_ = true);
  if (bytes != expected.front().left) return !(broken_ = true);  // not what our kernel expects
  begin_body(expected.front());
  expected.pop_front();
  return true;
}

void Stream::begin_body(const Piece& piece) {
  body_ = piece;
  if (piece.left > 0) of_body_ = {static_cast<std::size_t>(piece.at - in_memory_.host_copy()), piece.left};
  in_body_ = true;
}

// Reads a head and a large body in one call, the body into the receive buffer. If another frame arrived
// instead, moves the bytes after its head to the inbox.
bool Stream::pull_frame(Heard& heard) {
  const Piece& piece = in_.front();
  Head head;
  iovec parts[2] = {{&head, sizeof head}, {piece.at, piece.left}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = piece.left ? 2 : 1;
  const ssize_t n = ::recvmsg(fd(), &message, 0);
  if (n <= 0) return n == 0 ? note_end() : note_error();
  const std::size_t of_head = std::min(static_cast<std::size_t>(n), sizeof head);
  const std::size_t of_body = static_cast<std::size_t>(n) - of_head;
  if (of_head == sizeof head && head.kind() == Kind::message && head.bytes() == piece.left) {
    begin_expected(in_, head.bytes());
    take(of_body, heard);
    return true;
  }
  inbox_.resize(std::max(inbox_.size(), of_head + of_body));
  std::memcpy(inbox_.data(), &head, of_head);
  if (of_body > 0) std::memcpy(inbox_.data() + of_head, piece.at, of_body);
  end_ = of_head + of_body;
  parse(heard);
  return true;
}

// Used after part of a head, or for a message without a posted receive.
bool Stream::pull_more(Heard& heard) {
  if (end_ == inbox_.size()) return false;  // full: the rest stays in the kernel
  const ssize_t n = ::recv(fd(), inbox_.data() + end_, inbox_.size() - end_, 0);
  if (n <= 0) return n == 0 ? note_end() : note_error();
  end_ += static_cast<std::size_t>(n);
  parse(heard);
  return true;
}

bool Stream::pull_body(Heard& heard) {
  const ssize_t n = ::recv(fd(), body_.at, body_.left, 0);
  if (n <= 0) return n == 0 ? note_end() : note_error();
  take(static_cast<std::size_t>(n), heard);
  return true;
}

// `n` bytes of the body have arrived; returns whether the body is complete.
bool Stream::take(std::size_t n, Heard& heard) {
  body_.at += n;
  body_.left -= n;
  if (body_.left > 0) return false;
  in_memory_.upload(std::exchange(of_body_, {}));
  if (body_.ticket != no_waiter) heard.received.piece_done(body_.ticket);
  in_body_ = false;
  return true;
}

bool Stream::note_error() {
  if (!may_try_again("TCP")) broken_ = true;
  return false;
}

bool Stream::note_end() {
  broken_ = true;
  return false;
}

}  // namespace everylink::tcp
