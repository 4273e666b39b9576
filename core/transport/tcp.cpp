// tcp: own sockets, one or several streams a link.
#include <fmt/format.h>
#include <poll.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "errors.hpp"
#include "net/door.hpp"
#include "transport/tickets.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"
#include "units.hpp"

namespace everylink {
namespace {

// In front of each message. As long as a cache line, because the kernel's copy into the socket then keeps the
// message's own alignment: behind 8 bytes, 1 MiB took 2.5 times as long on AMD's Zen (measured).
struct Head {
  std::uint64_t bytes_and_token = 0;  // bytes * 2 + token
  std::byte unused[56] = {};
};
static_assert(sizeof(Head) == 64);

// One socket. A frame is a head, then the bytes. Nothing here waits.
class Stream {
 public:
  struct Piece {
    std::byte* at;
    std::size_t left;
    int ticket;
  };
  explicit Stream(Socket socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.fd(); }
  void close() { close_for_good(socket_); }
  bool broken() const { return broken_; }
  bool has_to_send() const { return !out_.empty(); }
  bool busy() const { return !out_.empty() || !in_.empty(); }
  void send(Piece piece) { out_.push_back({piece, {piece.left * 2}, sizeof(Head)}); }
  void send_token(int ticket) { out_.push_back({{nullptr, 0, ticket}, {1}, sizeof(Head)}); }
  void expect(Piece piece) { in_.push_back(piece); }

  // Both say whether anything moved.
  bool push(Tickets& sent) {
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
      sent.piece_done(out.piece.ticket);
      out_.pop_front();
    }
    return true;
  }

  bool pull(Tickets& received, int& tokens) {
    if (broken_) return false;
    if (parse(received, tokens)) return true;
    if (in_body_ && in_.front().left > 0) return pull_body(received);
    const bool direct = end_ == 0 && !in_.empty() && in_.front().left > small;
    return direct ? pull_frame(received, tokens) : pull_more(received, tokens);
  }

 private:
  static constexpr std::size_t small = 2048;
  struct Out {
    Piece piece;
    Head head;
    std::size_t head_left;
  };

  // One buffer costs the kernel less than two; above `small` the copy costs more than that.
  ssize_t send_small(const Out& out) {
    std::byte frame[sizeof(Head) + small];
    std::memcpy(frame, &out.head, sizeof(Head));
    if (out.piece.left > 0) std::memcpy(frame + sizeof(Head), out.piece.at, out.piece.left);
    return ::send(fd(), frame, sizeof(Head) + out.piece.left, MSG_NOSIGNAL);
  }
  ssize_t send_parts(Out& out) {
    iovec parts[2] = {{reinterpret_cast<std::byte*>(&out.head) + sizeof(Head) - out.head_left, out.head_left},
                      {out.piece.at, out.piece.left}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = out.piece.left ? 2 : 1;
    return ::sendmsg(fd(), &message, MSG_NOSIGNAL);
  }

  // Takes what the inbox holds as far as it goes: heads, tokens, the front of a body.
  bool parse(Tickets& received, int& tokens) {
    bool moved = false;
    for (;;) {
      if (!in_body_) {
        if (end_ - begin_ < sizeof(Head)) break;
        Head head;
        std::memcpy(&head, inbox_.data() + begin_, sizeof head);
        if (head.bytes_and_token & 1)
          ++tokens;
        else if (in_.empty())
          break;
        else if (head.bytes_and_token / 2 != in_.front().left)
          return broken_ = true;  // not what our kernel expects
        else
          in_body_ = true;
        begin_ += sizeof(Head);
        moved = true;
      }
      if (in_body_) {
        Piece& piece = in_.front();
        const std::size_t n = std::min(end_ - begin_, piece.left);
        if (n > 0) std::memcpy(piece.at, inbox_.data() + begin_, n);
        begin_ += n;
        moved |= n > 0;
        if (!take(n, received)) break;
      }
    }
    if (begin_ > 0) std::memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return moved;
  }

  // Head and a large body in one call, the body to where it belongs. Was it a token, then what came behind it
  // belongs elsewhere.
  bool pull_frame(Tickets& received, int& tokens) {
    Piece& piece = in_.front();
    Head head;
    iovec parts[2] = {{&head, sizeof head}, {piece.at, piece.left}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = piece.left ? 2 : 1;
    const ssize_t n = ::recvmsg(fd(), &message, 0);
    if (n <= 0) return n == 0 ? note_end() : note_error();
    const std::size_t of_head = std::min(static_cast<std::size_t>(n), sizeof head);
    const std::size_t of_body = static_cast<std::size_t>(n) - of_head;
    if (of_head == sizeof head && head.bytes_and_token == piece.left * 2) {
      in_body_ = true;
      take(of_body, received);
      return true;
    }
    inbox_.resize(std::max(inbox_.size(), of_head + of_body));
    std::memcpy(inbox_.data(), &head, of_head);
    if (of_body > 0) std::memcpy(inbox_.data() + of_head, piece.at, of_body);
    end_ = of_head + of_body;
    parse(received, tokens);
    return true;
  }

  // Behind a part of a head, or for what no receive stands ready for.
  bool pull_more(Tickets& received, int& tokens) {
    if (end_ == inbox_.size()) return false;  // full: the rest stays in the kernel
    const ssize_t n = ::recv(fd(), inbox_.data() + end_, inbox_.size() - end_, 0);
    if (n <= 0) return n == 0 ? note_end() : note_error();
    end_ += static_cast<std::size_t>(n);
    parse(received, tokens);
    return true;
  }

  bool pull_body(Tickets& received) {
    Piece& piece = in_.front();
    const ssize_t n = ::recv(fd(), piece.at, piece.left, 0);
    if (n <= 0) return n == 0 ? note_end() : note_error();
    take(static_cast<std::size_t>(n), received);
    return true;
  }

  // `n` bytes of the body have come; true if that was all of it.
  bool take(std::size_t n, Tickets& received) {
    Piece& piece = in_.front();
    piece.at += n;
    piece.left -= n;
    if (piece.left > 0) return false;
    received.piece_done(piece.ticket);
    in_.pop_front();
    in_body_ = false;
    return true;
  }

  bool note_error() {
    if (errno != EAGAIN && errno != EINTR) broken_ = true;
    return false;
  }
  bool note_end() {
    broken_ = true;
    return false;
  }

  Socket socket_;
  std::deque<Out> out_;
  std::deque<Piece> in_;
  Blob inbox_ = Blob(4096);  // heads, and what has come before its receive stood ready
  std::size_t begin_ = 0, end_ = 0;
  bool in_body_ = false, broken_ = false;
};

class TcpLink final : public Link {
 public:
  TcpLink(std::vector<Socket> sockets, const Setup& setup) : setup_(setup), waiter_(setup.crowded) {
    for (auto& socket : sockets) streams_.emplace_back(std::move(socket));
  }

  int start_send(Slice slice) override {
    std::byte* at = setup_.out.region().at + slice.offset;
    const int pieces = pieces_of(slice.bytes), ticket = sends_.start(pieces);
    for (int i = 0; i < pieces; ++i)
      streams_[static_cast<std::size_t>(i)].send(piece(at, slice.bytes, pieces, i, ticket));
    for (auto& stream : streams_) stream.push(sends_);  // it leaves now
    return 2 * ticket;
  }

  int start_recv(Slice slice) override {
    std::byte* at = setup_.in.region().at + slice.offset;
    const int pieces = pieces_of(slice.bytes), ticket = receives_.start(pieces);
    for (int i = 0; i < pieces; ++i)
      streams_[static_cast<std::size_t>(i)].expect(piece(at, slice.bytes, pieces, i, ticket));
    return 2 * ticket + 1;
  }

  Outcome wait(int ticket, Seconds until) override {
    return move_until([&] { return ticket % 2 ? receives_.done(ticket / 2) : sends_.done(ticket / 2); },
                      until);
  }

  Outcome meet(Seconds until) override {
    streams_.front().send_token(sends_.start(1));
    const auto outcome = move_until([&] { return tokens_ > 0 && sends_.all_done(); }, until);
    if (outcome == Outcome::ok) --tokens_;
    return outcome;
  }

  Outcome close(Seconds) override {
    for (auto& stream : streams_) stream.close();
    streams_.clear();
    return Outcome::ok;  // a closed socket touches no buffer
  }

 private:
  // Short messages are not worth cutting.
  int pieces_of(std::size_t bytes) const {
    constexpr std::size_t least = 16384;
    return static_cast<int>(std::clamp<std::size_t>(bytes / least, 1, streams_.size()));
  }
  static Stream::Piece piece(std::byte* at, std::size_t bytes, int pieces, int i, int ticket) {
    const auto cut = [&](int k) {
      return bytes / static_cast<std::size_t>(pieces) * static_cast<std::size_t>(k);
    };
    const std::size_t begin = cut(i), end = i + 1 == pieces ? bytes : cut(i + 1);
    return {at + begin, end - begin, ticket};
  }

  template <class Done>
  Outcome move_until(Done done, Seconds until) {
    for (auto wait = waiter_.until(until);;) {
      if (done()) return Outcome::ok;
      bool moved = false, broken = false;
      for (auto& stream : streams_) {
        moved |= stream.push(sends_);
        moved |= stream.pull(receives_, tokens_);
        // A peer that has all it wants closes every stream; that one of them ended first is no fault of the
        // others.
        broken |= stream.broken() && (stream.busy() || &stream == &streams_.front());
      }
      if (done()) return Outcome::ok;
      if (broken) return done() ? Outcome::ok : Outcome::broken;
      if (wait.is_over(steady_now)) return Outcome::timeout;
      if (moved)
        wait.moved();
      else if (setup_.crowded)
        sleep_until_ready(until);
      else
        wait.nothing_moved();
    }
  }

  void sleep_until_ready(Seconds until) {
    polled_.clear();
    for (const auto& stream : streams_)
      polled_.push_back(
          {stream.fd(), static_cast<short>(stream.has_to_send() ? POLLIN | POLLOUT : POLLIN), 0});
    const Seconds left = std::clamp(until - steady_now(), 0.0, 1.0);
    if (::poll(polled_.data(), polled_.size(), static_cast<int>(left * 1000) + 1) < 0 && errno != EINTR)
      throw_errno("poll");
  }

  const Setup& setup_;
  Waiter waiter_;
  std::vector<Stream> streams_;
  std::vector<pollfd> polled_;
  Tickets sends_, receives_;
  int tokens_ = 0;
};

class Tcp final : public Transport {
 public:
  explicit Tcp(const Setup& setup)
      : setup_(setup),
        door_(setup.rank, setting(setup.options, setup.options.contains("rail") ? "rail" : "interface"),
              setup.one_machine, setup.options.contains("rail")) {
    refuse_unknown_options(setup.options, "tcp", {"interface", "sockets", "rail"});
    if (const auto text = setting(setup.options, "sockets"); !text.empty())
      sockets_ = static_cast<int>(parse_integer(text, "--mode tcp:sockets"));
    if (sockets_ < 1 || sockets_ > 64) throw UsageError("--mode tcp:sockets is 1 to 64");
  }

  Carrier carrier() const override {
    const auto& interfaces = door_.interfaces();
    const auto first = std::find_if(interfaces.begin(), interfaces.end(),
                                    [&](const auto& i) { return i.is_loopback == setup_.one_machine; });
    const auto& used = first == interfaces.end() ? interfaces.front() : *first;
    return {used.name, used.address.host_text(), "", ""};
  }

  Blob offer(int peer, std::uint64_t epoch) override { return door_.offer(peer, epoch); }

  std::unique_ptr<Link> connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) override {
    auto sockets = door_.connect(peer, epoch, peer_offer, sockets_, until);
    return sockets.empty() ? nullptr : std::make_unique<TcpLink>(std::move(sockets), setup_);
  }

  std::string last_fault() const override { return door_.last_fault(); }

 private:
  const Setup setup_;
  Door door_;
  int sockets_ = 1;
};

}  // namespace

extern const TransportEntry tcp_transport{
    transport_abi,
    "tcp",
    "sockets, TCP_NODELAY; interface=NAME, sockets=N parallel streams",
    always_usable,
    [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Tcp>(setup); },
    nullptr,
    nullptr};

}  // namespace everylink
