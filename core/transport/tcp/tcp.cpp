// tcp: our own sockets, one or several streams per link. Puts and gets are messages that the peer's CPU
// answers.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "memory/memory.hpp"
#include "net/door.hpp"
#include "net/interfaces.hpp"
#include "net/socket.hpp"
#include "transport/tcp/tcp_stream.hpp"
#include "transport/tickets.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

using namespace tcp;

class TcpLink;
using Links = std::vector<TcpLink*>;  // the open links of a transport

class TcpLink final : public Link, public OneSided {
 public:
  TcpLink(std::vector<Socket> sockets, const Setup& setup, const Reachable& theirs,
          std::shared_ptr<Links> links)
      : setup_(setup), theirs_(theirs), waiter_(setup.crowded), links_(std::move(links)) {
    for (auto& socket : sockets) streams_.emplace_back(std::move(socket), setup_.out, setup_.in);
    links_->push_back(this);
  }
  ~TcpLink() override { std::erase(*links_, this); }

  int start_send(Slice slice) override {
    setup_.out.download(slice);
    const int ticket = sends_.start(pieces_of(slice.bytes));
    each_piece(setup_.out, slice, ticket, [](Stream& stream, auto piece, auto) { stream.send(piece); });
    push();  // send now
    return 2 * ticket;
  }

  int start_recv(Slice slice) override {
    const int ticket = heard_.received.start(pieces_of(slice.bytes));
    each_piece(setup_.in, slice, ticket, [](Stream& stream, auto piece, auto) { stream.expect(piece); });
    return 2 * ticket + 1;
  }

  int start_put(Slice slice, std::size_t at) override {
    if (!lies_within(theirs_.in, {at, slice.bytes})) return no_ticket;
    setup_.out.download(slice);
    const int ticket = sends_.start(pieces_of(slice.bytes));
    each_piece(setup_.out, slice, ticket,
               [&](Stream& stream, auto piece, auto offset) { stream.put(piece, at + offset); });
    push();
    return 2 * ticket;
  }

  int start_get(Slice slice, std::size_t at) override {
    if (!lies_within(theirs_.out, {at, slice.bytes})) return no_ticket;
    const int ticket = heard_.received.start(pieces_of(slice.bytes));
    each_piece(setup_.in, slice, ticket,
               [&](Stream& stream, auto piece, auto offset) { stream.get(piece, at + offset); });
    push();
    return 2 * ticket + 1;
  }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    return move_until([&] { return ticket % 2 ? heard_.received.done(ticket / 2) : sends_.done(ticket / 2); },
                      until);
  }

  // Each stream keeps its order, so the answer arrives after everything that was put through the stream.
  Outcome flush(Seconds until) override {
    if (!is_flushing_)
      for (auto& stream : streams_) stream.send(Kind::flush), ++flushes_;
    const auto outcome = move_until([&] { return heard_.flushed >= flushes_; }, until);
    is_flushing_ = outcome == Outcome::timeout;
    return outcome;
  }

  Outcome meet(Seconds until) override {
    streams_.front().send(Kind::token, sends_.start(1));
    const auto outcome = move_until([&] { return heard_.tokens > 0 && sends_.all_done(); }, until);
    if (outcome == Outcome::ok) --heard_.tokens;
    return outcome;
  }

  std::uint64_t retransmits() const {
    std::uint64_t segments = 0;
    for (const auto& stream : streams_) segments += stream.retransmits();
    return segments;
  }

  Outcome close(Seconds) override {
    for (auto& stream : streams_) stream.close();
    streams_.clear();
    return Outcome::ok;  // a closed socket accesses no buffer
  }

 private:
  // Short messages are not worth splitting.
  int pieces_of(std::size_t bytes) const {
    constexpr std::size_t least = 16384;
    return static_cast<int>(std::clamp<std::size_t>(bytes / least, 1, streams_.size()));
  }
  // Calls call(stream, piece, its offset in the message).
  template <class Call>
  void each_piece(Memory& memory, Slice slice, int ticket, Call call) {
    std::byte* at = memory.host_copy() + slice.offset;
    const auto pieces = static_cast<std::size_t>(pieces_of(slice.bytes)), usual = slice.bytes / pieces;
    for (std::size_t i = 0, begin = 0; i < pieces; ++i, begin += usual) {
      const std::size_t bytes = i + 1 == pieces ? slice.bytes - begin : usual;
      call(streams_[i], Stream::Piece{at + begin, bytes, ticket}, begin);
    }
  }

  void push() {
    for (auto& stream : streams_) stream.push(sends_);
  }
  bool move() {
    bool moved = false;
    for (auto& stream : streams_) {
      moved |= stream.push(sends_);
      moved |= stream.pull(heard_);
    }
    return moved;
  }
  // Serves puts and gets on the other links during a wait on this one.
  bool move_others() const {
    bool moved = false;
    for (auto* link : *links_) moved |= link != this && link->move();
    return moved;
  }
  // A peer that has finished closes all streams, one after another, so a single ended stream is not a fault.
  bool is_broken() const {
    return std::any_of(streams_.begin(), streams_.end(), [&](const Stream& stream) {
      return stream.broken() && (stream.busy() || &stream == &streams_.front());
    });
  }

  template <class Done>
  Outcome move_until(Done done, Seconds until) {
    for (auto wait = waiter_.until(until);;) {
      if (done()) return Outcome::ok;
      const bool moved = move();
      if (done()) return Outcome::ok;
      if (is_broken()) return Outcome::broken;
      if (wait.is_over(steady_now)) return Outcome::timeout;
      if (moved || move_others())
        wait.moved();
      else if (setup_.crowded)
        sleep_until_ready(until);
      else
        wait.nothing_moved();
    }
  }

  void sleep_until_ready(Seconds until) {
    polled_.clear();
    for (const auto* link : *links_)
      for (const auto& stream : link->streams_) {
        const int events = (stream.holds_back() ? 0 : POLLIN) | (stream.has_to_send() ? POLLOUT : 0);
        if (!stream.broken()) polled_.push_back({stream.fd(), static_cast<short>(events), 0});
      }
    const Seconds left = std::clamp(until - steady_now(), 0.0, 1.0);
    if (::poll(polled_.data(), polled_.size(), static_cast<int>(left * 1000) + 1) < 0 && errno != EINTR)
      throw_errno("poll");
  }

  const Setup& setup_;
  const Reachable theirs_;
  Waiter waiter_;
  const std::shared_ptr<Links> links_;
  std::vector<Stream> streams_;
  std::vector<pollfd> polled_;
  Tickets sends_;  // and puts
  Heard heard_;
  int flushes_ = 0;
  bool is_flushing_ = false;  // a flush that ended with timeout continues
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
    if (sockets_ < 1 || sockets_ > 64) throw UsageError("--mode tcp:sockets must be 1 to 64");
  }

  Carrier carrier() const override {
    const auto& interfaces = door_.interfaces();
    const auto first = std::find_if(interfaces.begin(), interfaces.end(),
                                    [&](const auto& i) { return i.is_loopback == setup_.one_machine; });
    const auto& used = first == interfaces.end() ? interfaces.front() : *first;
    Carrier carrier{.device = used.name, .address = used.address.host_text()};
    if (setup_.out.region().is_of_gpu()) carrier.gpu.path = "staged";
    return carrier;
  }

  Blob offer(int peer, std::uint64_t epoch) override {
    return Packer().add(door_.offer(peer, epoch)).add(Reachable::of(setup_)).take();
  }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) override {
    Unpacker in(peer_offer);
    const auto way_in = in.list<std::byte>();
    const auto theirs = in.get<Reachable>();
    in.end();
    auto sockets = door_.connect(peer, epoch, way_in, sockets_, until);
    if (sockets.empty()) return {nullptr, door_.last_fault()};
    return {std::make_unique<TcpLink>(std::move(sockets), setup_, theirs, links_)};
  }

 private:
  const Setup setup_;
  Door door_;
  int sockets_ = 1;
  const std::shared_ptr<Links> links_ = std::make_shared<Links>();
};

}  // namespace

extern const TransportEntry tcp_transport{
    .abi = transport_abi,
    .name = "tcp",
    .summary = "sockets, TCP_NODELAY; interface=NAME, sockets=N parallel streams",
    .why_unusable = always_usable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Tcp>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<TcpLink&>(link); },
    .one_sided_by = "messages",
    .gpu_memory = true,
    .retransmits = [](const Link& link) { return static_cast<const TcpLink&>(link).retransmits(); }};

}  // namespace everylink
