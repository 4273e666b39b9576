// One end of a control connection: frames, never waiting; and what is in them.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "bootstrap/gate.hpp"
#include "net/socket.hpp"

namespace everylink {

class Channel {
 public:
  enum class Kind : std::uint32_t { hand_in, ask, ended, answer };
  struct Frame {
    Kind kind;
    Blob body;
  };

  explicit Channel(Socket socket = Socket()) : socket_(std::move(socket)) {}
  bool open() const { return static_cast<bool>(socket_); }
  // Why it is not open: the process at the other end has ended, which its kernel said in good order; else the
  // way to it is broken, and it may come by another.
  bool ended() const { return ended_; }
  int fd() const { return socket_.fd(); }
  bool has_to_send() const { return sent_ < outbox_.size(); }

  void send(Kind, std::initializer_list<View> parts);
  void flush();                 // as much as the kernel takes now
  std::optional<Frame> next();  // the next whole frame, if it has come; a broken connection is closed
  void close_if_dark();         // what we sent is not answered
  void close() { reset(socket_); }

 private:
  struct Head {
    std::uint32_t bytes;
    Kind kind;
  };
  std::optional<Frame> cut();

  Socket socket_;
  Blob inbox_, outbox_;
  std::size_t begin_ = 0, sent_ = 0;  // of the inbox, of the outbox
  bool ended_ = false, broken_ = false;
};

// The bodies. Each throws MachineError where the bytes are not one.
struct HandIn {
  std::uint64_t round = 0;
  int rank = no_rank, peer = no_rank;
  Blob to_rank_0, to_peer;
  Blob packed() const;
  static HandIn unpacked(View);
  static HandIn head_of(View);  // round, rank and peer alone
};

struct Answer {
  struct Common {
    std::uint64_t round = 0;
    Blob word;
    std::vector<int> gone;
    std::vector<Relay> relays;
    Blob packed() const;
    static Common unpacked(View, int size);
  };
  struct For {
    int rank;
    Blob from_peer;
  };
  static Blob packed(const std::vector<For>&);
  // The common part as it came, and whom it is for.
  static std::pair<Blob, std::vector<For>> split(View, int size);
};

}  // namespace everylink
