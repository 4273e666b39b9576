// One end of a control connection: letters with a head of fixed size, never waiting.
#pragma once

#include <optional>
#include <vector>

#include "net/socket.hpp"
#include "words.hpp"

namespace everylink {

class Channel {
 public:
  // Upwards: body (to rank 0), nothing, to the peer. Downwards: word, gone, from the peer. Lengths in bytes.
  struct Head {
    std::uint64_t round;
    std::uint32_t body, gone, to_peer;
    std::int32_t peer;
  };
  struct Letter {
    std::uint64_t round;
    int peer;
    Blob body, gone, to_peer;
  };

  explicit Channel(Socket socket = Socket()) : socket_(std::move(socket)) {}
  bool open() const { return static_cast<bool>(socket_); }
  int fd() const { return socket_.fd(); }
  bool has_to_send() const { return sent_ < outbox_.size(); }

  void send(std::uint64_t round, View body, View gone, View to_peer, int peer);
  void flush();                  // as much as the kernel takes now
  std::optional<Letter> next();  // the next whole letter, if it has come; a broken connection is closed
  void close() { socket_ = Socket(); }

 private:
  Socket socket_;
  Blob inbox_, outbox_;
  std::size_t sent_ = 0;
};

}  // namespace everylink
