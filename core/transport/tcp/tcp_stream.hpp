// One socket of a tcp link: frames of messages, tokens, puts and gets. Nothing here waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/bytes.hpp"
#include "memory/memory.hpp"
#include "net/socket.hpp"
#include "transport/tickets.hpp"

namespace everylink::tcp {

// `gotten` answers a get, and `flushed` a flush; no other frame is answered.
enum class Kind : std::uint8_t { message, token, put, get, gotten, flush, flushed };

// Precedes each frame. It is as long as a cache line, so that the kernel's copy into the socket keeps the
// alignment of the message: after a head of 8 bytes, 1 MiB took 2.5 times as long on AMD's Zen (measured).
struct Head {
  std::uint64_t bytes_and_kind = 0;  // bytes * 8 + kind
  std::uint64_t at = 0;              // of a put or a get: the offset in the receiver's memory
  std::byte unused[48] = {};
  Head() = default;
  Head(Kind kind, std::uint64_t bytes, std::uint64_t where = 0)
      : bytes_and_kind(bytes * 8 + static_cast<std::uint64_t>(kind)), at(where) {}
  Kind kind() const { return static_cast<Kind>(bytes_and_kind % 8); }
  std::uint64_t bytes() const { return bytes_and_kind / 8; }
};
static_assert(sizeof(Head) == 64);

constexpr int no_waiter = -1;  // the ticket of a frame that nobody waits for

// What all streams of a link have received.
struct Heard {
  Tickets received;  // messages and gets
  int tokens = 0, flushed = 0;
};

class Stream {
 public:
  struct Piece {
    std::byte* at;
    std::size_t left;
    int ticket;
  };
  Stream(Socket socket, Memory& out, Memory& in)
      : socket_(std::move(socket)), out_memory_(out), in_memory_(in) {}

  int fd() const { return socket_.fd(); }
  std::uint64_t retransmits() const { return everylink::retransmits(socket_); }
  void close() { close_for_good(socket_); }
  bool broken() const { return broken_; }
  bool has_to_send() const { return !out_.empty(); }
  // Nothing more is read until a receive is posted for the next message.
  bool holds_back() const { return holds_back_; }
  bool busy() const { return !out_.empty() || !in_.empty() || !gets_.empty() || in_body_; }

  void send(Piece piece) { queue(Kind::message, piece); }
  void send(Kind kind, int ticket = no_waiter) { queue(kind, {nullptr, 0, ticket}); }
  void put(Piece piece, std::size_t at) { queue(Kind::put, piece, at); }
  void get(Piece piece, std::size_t at);
  void expect(Piece piece);
  // Both return whether anything moved.
  bool push(Tickets& sent);
  bool pull(Heard& heard);

 private:
  static constexpr std::size_t small = 2048;
  struct Out {
    Piece piece;
    Head head;
    std::size_t head_left;
  };

  void queue(Kind kind, Piece piece, std::size_t at = 0);
  ssize_t send_small(const Out& out);
  ssize_t send_parts(Out& out);
  bool parse(Heard& heard);
  bool handle(const Head& head, Heard& heard);
  bool begin_expected(std::deque<Piece>& expected, std::uint64_t bytes);
  void begin_body(const Piece& piece);
  bool pull_frame(Heard& heard);
  bool pull_more(Heard& heard);
  bool pull_body(Heard& heard);
  bool take(std::size_t n, Heard& heard);
  bool note_error();
  bool note_end();

  Socket socket_;
  Memory &out_memory_, &in_memory_;
  std::deque<Out> out_;
  std::deque<Piece> in_, gets_;  // expected messages and answers to gets, in order
  Piece body_{};                 // being received
  Slice of_body_{};              // where it lies in the memory of receives
  Blob inbox_ = Blob(4096);      // heads, and data that arrived before its receive was posted
  std::size_t begin_ = 0, end_ = 0;
  bool in_body_ = false, holds_back_ = false, broken_ = false;
};

}  // namespace everylink::tcp
