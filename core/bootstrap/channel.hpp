// One end of a connection for control traffic: frames, without ever waiting, and their contents.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ranks.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/place.hpp"
#include "net/cipher.hpp"
#include "net/network.hpp"

namespace everylink {

// Of one connection, in the states that admission left them in (admission.hpp).
struct Seals {
  CipherState out, in;
};

class Channel {
 public:
  enum class Kind : std::uint32_t { none, submission, ask, ended, answer };  // none: of no frame
  struct Frame {
    Kind kind;
    Blob body;
  };

  Channel() = default;
  Channel(std::unique_ptr<ByteStream> connection, const Seals& seals)
      : connection_(std::move(connection)), seals_(seals) {}
  bool open() const { return connection_ != nullptr; }
  // Why it is not open: the process at the other end has ended, as its kernel said in good order. Otherwise
  // the path to it is broken, and it may come by another one.
  bool ended() const { return ended_; }
  const ByteStream& connection() const { return *connection_; }
  bool has_to_send() const { return sent_ < outbox_.size(); }

  void send(Kind, std::initializer_list<View> parts);
  void flush();                 // sends as much as the network takes now
  std::optional<Frame> next();  // the next complete frame, if it has arrived; closes a broken connection
  void close_if_dark();
  void close();

 private:
  std::optional<Frame> cut();
  void refuse_rest();

  std::unique_ptr<ByteStream> connection_;
  Seals seals_;
  Blob inbox_, outbox_;
  std::size_t begin_ = 0, sent_ = 0;  // of the inbox, of the outbox
  bool ended_ = false, broken_ = false;
};

// The bodies. Unpacking throws MachineError when the bytes are not one.
struct Submission {
  std::uint64_t round = 0;
  int rank = no_rank;
  Blob to_rank_0 = {};
  std::vector<Offer> offers = {};
  Blob packed() const;
  static Submission unpacked(View);
  static Submission head_of(View);  // round and rank alone
};

struct Answer {
  struct Common {
    std::uint64_t round = 0;
    Blob decision = {};
    std::vector<int> gone = {};
    std::vector<Relay> relays = {};
    Blob packed() const;
    static Common unpacked(View, int size);
  };
  struct For {
    int rank = no_rank;
    std::vector<Blob> from_peers = {};
  };
  static Blob packed(const std::vector<For>&);
  // The common part as it arrived, and the ranks that it is for.
  static std::pair<Blob, std::vector<For>> split(View, int size);
};

}  // namespace everylink
