// sim: a simulated network between real processes, in virtual time. Each rank has its own clock. Offers and
// messages carry its time to other ranks, so there is no global clock, and every number is the same in every
// run. Puts and gets take the time that adapters would; if contents matter, the peer's process moves the
// bytes.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/random.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "memory/memory.hpp"
#include "net/door.hpp"
#include "net/socket.hpp"
#include "transport/sim/sim_network.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

constexpr Seconds never = std::numeric_limits<Seconds>::infinity();
constexpr Seconds real_patience = 60;  // real time for the peer's process, which only computes
constexpr Seconds least_patience = 5;  // for it to call, beyond the limit in virtual time

constexpr std::size_t few_bytes = 8;  // of each message; these are always sent

// A rank's clock, and the number of links that use its port, each way. They share it equally.
class SimLink;
struct SimRank {
  Seconds now = 0;
  int out = 0, in = 0;
  std::vector<SimLink*> links;  // the open ones
};

// The peer's memory, and the two directions of the link.
struct SimPeer {
  SimWay there, back;
  Reachable memory;
};

// Each link has its own time, and the rank's clock is the latest of them: a wait on one link does not delay
// the others.
class SimLink final : public Link, public OneSided {
 public:
  SimLink(Socket socket, std::shared_ptr<SimRank> rank, const SimPeer& peer, std::uint64_t epoch,
          const Setup& setup)
      : socket_(std::move(socket)), rank_(std::move(rank)), now_(rank_->now), peer_(peer), setup_(setup) {
    out_.way = peer.there, fetched_.way = peer.back;
    out_.way.key = mix(peer.there.key, epoch);
    fetched_.way.key = mix(mix(peer.back.key, epoch), 1);
    rank_->links.push_back(this);
  }
  ~SimLink() override {
    unload();
    std::erase(rank_->links, this);
  }
  SimLink(const SimLink&) = delete;
  SimLink& operator=(const SimLink&) = delete;

  Seconds now() const { return now_; }
  void move_on_to(Seconds time) { now_ = std::max(now_, time); }

  int start_send(Slice slice) override {
    note_load(slice, rank_->out, loads_out_);
    const Leaving leaving = out_.send(slice.bytes, now_, rank_->out > 1 ? share(slice.bytes, rank_->out) : 0);
    send_frame(Kind::message, leaving, slice);
    return sent(leaving);
  }

  int start_recv(Slice slice) override {
    note_load(slice, rank_->in, loads_in_);
    return expect(receives_, Of::receive, {slice, never});
  }

  // The peer's CPU takes no part, so the time is known at once; the peer's process moves the bytes.
  int start_put(Slice slice, std::size_t at) override {
    if (!lies_within(peer_.memory.in, {at, slice.bytes})) return no_ticket;
    note_load(slice, rank_->out, loads_out_);
    const Leaving leaving = out_.send(slice.bytes, now_, rank_->out > 1 ? share(slice.bytes, rank_->out) : 0);
    if (setup_.contents_matter) send_frame(Kind::put, leaving, slice, at);
    there_at_ = std::max(there_at_, leaving.arrives);
    return sent(leaving);
  }

  int start_get(Slice slice, std::size_t at) override {
    if (!lies_within(peer_.memory.out, {at, slice.bytes})) return no_ticket;
    const Leaving request = out_.send(0, now_);
    note_load(slice, rank_->in, loads_in_);
    Leaving answer =
        fetched_.send(slice.bytes, request.arrives, rank_->in > 1 ? share(slice.bytes, rank_->in) : 0);
    answer.arrives = request.arrives == never ? never : answer.arrives;
    if (setup_.contents_matter) send_frame(Kind::get, answer, {0, slice.bytes}, at);
    return expect(gets_, Of::get, {slice, answer.arrives});
  }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    const auto index = static_cast<std::size_t>(ticket / kinds_of_tickets);
    switch (static_cast<Of>(ticket % kinds_of_tickets)) {
      case Of::send:
        flush_bytes();  // the peer may wait for it on another link
        return pass_to(left_at_[index], until);
      case Of::receive:
        while (receives_.filled <= index)
          if (!pull()) return lost(until);
        return pass_to(receives_.all[index].arrives, until);
      case Of::get: break;
    }
    const bool comes = setup_.contents_matter && gets_.all[index].arrives != never;
    while (comes && gets_.filled <= index)
      if (!pull()) return lost(until);
    return pass_to(gets_.all[index].arrives, until);
  }

  // A put is acknowledged without the peer's CPU.
  Outcome flush(Seconds until) override {
    flush_bytes();
    if (there_at_ == 0) return Outcome::ok;
    if (flushed_at_ == 0) flushed_at_ = peer_.back.dead ? never : there_at_ + peer_.back.latency;
    const auto outcome = pass_to(flushed_at_, until);
    if (outcome == Outcome::ok) flushed_at_ = 0;
    return outcome;
  }

  // The link's time catches up with the rank's clock here.
  Outcome meet(Seconds until) override {
    now_ = std::max(now_, rank_->now);
    send_frame(Kind::token, out_.send(0, now_), {0, 0});
    flush_bytes();
    while (tokens_.empty())
      if (!pull()) return lost(until);
    const Seconds at = tokens_.front();
    if (at <= until) tokens_.pop_front();
    return pass_to(at, until);
  }

  // The peer's process sees the end of the stream: nothing more will arrive, however far its clock advances.
  Outcome close(Seconds) override {
    flush_bytes();
    close_for_good(socket_);
    return Outcome::ok;
  }

 private:
  enum class Kind : std::uint8_t { message, token, put, get, gotten };
  enum class Of : std::uint8_t { send, receive, get };
  static constexpr int kinds_of_tickets = 3;
  struct Leaving {
    Seconds left, arrives;
    std::uint64_t number;
  };
  // Messages leave one after another.
  struct Sending {
    SimWay way;
    Seconds free = 0;
    std::uint64_t sent = 0;

    // `shared`: the minimum time of the message because other links use the port too.
    Leaving send(std::size_t bytes, Seconds now, Seconds shared = 0) {
      const std::uint64_t draw = mix(way.key, ++sent);
      const double stretch = (1 + way.noise * unit_interval(draw)) * (mix(draw) % 20 == 0 ? way.jitter : 1);
      const Seconds leaving = static_cast<double>(bytes) / way.bandwidth;
      free = std::max(free, now) + std::max(leaving, shared);
      const Seconds late = (leaving + way.latency) * (stretch - 1);
      return {free, way.dead ? never : free + way.latency + late, sent};
    }
  };
  struct Head {
    Seconds arrives;
    std::uint64_t bytes, at;
    Kind kind;
    bool corrupt;
    std::byte unused[6];
    std::byte first[few_bytes];
    static constexpr std::size_t bytes_of_values = std::size_t{4} * 8 + few_bytes;
  };
  struct Expected {
    Slice slice;
    Seconds arrives;
  };
  struct Expecting {
    std::deque<Expected> all;
    std::size_t filled = 0;
  };

  int sent(const Leaving& leaving) {
    left_at_.push_back(leaving.left);
    return kinds_of_tickets * (static_cast<int>(left_at_.size()) - 1) + static_cast<int>(Of::send);
  }
  static int expect(Expecting& expecting, Of kind, const Expected& one) {
    expecting.all.push_back(one);
    return kinds_of_tickets * (static_cast<int>(expecting.all.size()) - 1) + static_cast<int>(kind);
  }

  // A message that never arrives costs virtual time only.
  Outcome pass_to(Seconds at, Seconds until) {
    now_ = std::max(now_, std::min(at, until));
    rank_->now = std::max(rank_->now, now_);
    if (at <= until) return Outcome::ok;
    unload();
    return Outcome::timeout;
  }
  Outcome lost(Seconds until) {
    if (gone_) return Outcome::broken;  // the peer's process has ended: a real fault, not a simulated one
    return pass_to(never, until);
  }

  void send_frame(Kind kind, const Leaving& leaving, Slice slice, std::size_t at = 0) {
    Head head{};
    head.arrives = leaving.arrives;
    head.bytes = slice.bytes;
    head.at = at;
    head.kind = kind;
    if ((kind == Kind::message || kind == Kind::put) && slice.bytes > 0) setup_.out.download(slice);
    if (kind == Kind::message && slice.bytes > 0)
      std::memcpy(head.first, setup_.out.host_copy() + slice.offset, std::min(slice.bytes, few_bytes));
    const bool fetches = kind == Kind::get;
    const int corrupt = (fetches ? fetched_.way : out_.way).corrupt;
    if (kind != Kind::token)
      head.corrupt = corrupt == -2 || corrupt == (fetches ? gets_counted_ : messages_counted_)++;
    if (head.arrives == never && (kind == Kind::put || fetches)) return;
    queue(bytes_of(head));
    if (!fetches && carries_bytes(head)) queue({setup_.out.host_copy() + slice.offset, slice.bytes});
  }

  bool carries_bytes(const Head& head) const {
    return setup_.contents_matter && head.kind != Kind::token && head.arrives != never;
  }

  void note_load(Slice slice, int& links, bool& counted) const {
    if (peer_.there.local || slice.bytes <= few_bytes || counted) return;
    counted = true;
    ++links;
  }
  void unload() {
    rank_->out -= std::exchange(loads_out_, false);
    rank_->in -= std::exchange(loads_in_, false);
  }
  // The time of `bytes` through a port that `links` links share.
  Seconds share(std::size_t bytes, int links) const {
    return peer_.there.local ? 0 : static_cast<double>(bytes) * links / peer_.there.port;
  }

  // Collects short messages until the rank has to wait: far fewer system calls.
  void queue(View bytes) {
    constexpr std::size_t enough = 1 << 16;
    if (bytes.size() < enough) outbox_.insert(outbox_.end(), bytes.begin(), bytes.end());
    if (outbox_.size() >= enough || bytes.size() >= enough) flush_bytes();
    if (bytes.size() >= enough) push(bytes);
  }
  void flush_bytes() {
    push(outbox_);
    outbox_.clear();
  }
  // Where it fails, the peer sees the end of the stream: it would wait for what never left.
  void push(View bytes) {
    const AtWork here(at_work_);
    while (!bytes.empty() && socket_ && !ended_ && !unheard_) {
      const ssize_t n = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n > 0)
        bytes = bytes.subspan(static_cast<std::size_t>(n));
      else if (!goes_on("send", unheard_))
        ::shutdown(socket_.fd(), SHUT_WR);
      else if (is_ready(POLLIN | POLLOUT))
        drain();
    }
  }

  // Reads everything that has arrived, so that the peer can continue to send.
  void drain() {
    std::byte bytes[65536];
    const ssize_t n = ::recv(socket_.fd(), bytes, sizeof bytes, 0);
    if (n > 0)
      inbox_.insert(inbox_.end(), bytes, bytes + n);
    else
      ended_ = n == 0 || !goes_on("recv", ended_);
  }

  // After a failed call. What throws has ended this direction, too.
  static bool goes_on(const char* call, bool& over) {
    over = true;
    over = !may_try_again(call);
    return !over;
  }

  // Sleeps until the peer's process has sent something or has room. Meanwhile reads all other links, so that
  // their peers can go on, and serves those that put and get.
  bool is_ready(short events) {
    const Seconds until = steady_now() + real_patience;
    const std::size_t held = inbox_.size();
    while (rank_->links.size() > 1 && steady_now() < until) {
      std::vector<pollfd> polled{{socket_.fd(), events, 0}};
      for (const auto* link : rank_->links)
        polled.push_back({link->socket_ && !link->ended_ ? link->socket_.fd() : -1, POLLIN, 0});
      if (::poll(polled.data(), polled.size(), 1000) < 0 && errno != EINTR) throw_errno("poll");
      if (polled.front().revents) return true;
      for (std::size_t i = 1; i < polled.size(); ++i)
        if (polled[i].revents > 0) rank_->links[i - 1]->serve();
      if (inbox_.size() > held) return true;  // read while another link waited in `serve`
    }
    if (rank_->links.size() == 1 && ready(socket_, events, until)) return true;
    gone_ = ended_ = true;
    return false;
  }
  void serve() {
    drain();
    while (!at_work_ && is_front_whole() && pull()) {
    }
  }
  bool is_front_whole() const {
    Head head;
    if (inbox_.size() - read_ < sizeof head) return false;
    std::memcpy(&head, inbox_.data() + read_, sizeof head);
    if (head.kind == Kind::message && receives_.filled == receives_.all.size()) return false;
    const auto body = carries_bytes(head) && head.kind != Kind::get ? head.bytes : 0;
    return inbox_.size() - read_ - sizeof head >= body;
  }

  // Reads the next bytes of the stream, from the inbox first. False: the stream ended before that.
  bool read(std::span<std::byte> into) {
    into = into.subspan(take_held(into));
    if (into.empty()) return true;
    flush_bytes();
    for (auto* link : rank_->links)  // the awaited peer may wait for us on another link
      if (!link->at_work_) link->flush_bytes();
    constexpr std::size_t direct = 1 << 16;
    if (into.size() < direct) {  // few bytes are missing: read what else has arrived
      while (inbox_.size() < into.size() && !ended_)
        if (is_ready(POLLIN)) drain();
      return inbox_.size() >= into.size() && read(into);
    }
    for (;;) {
      into = into.subspan(take_held(into));
      if (into.empty() || ended_) return into.empty();
      const ssize_t n = ::recv(socket_.fd(), into.data(), into.size(), 0);
      if (n > 0)
        into = into.subspan(static_cast<std::size_t>(n));
      else if (n == 0)
        ended_ = true;
      else if (goes_on("recv", ended_))
        is_ready(POLLIN);
    }
  }

  // Bytes of the inbox. All of them: the inbox is empty then.
  std::size_t take_held(std::span<std::byte> into) {
    const std::size_t held = std::min(into.size(), inbox_.size() - read_);
    if (held > 0) std::memcpy(into.data(), inbox_.data() + read_, held);
    read_ += held;
    if (read_ == inbox_.size()) {
      inbox_.clear();
      read_ = 0;
    }
    return held;
  }

  // Handles the next frame of the stream. False: the stream has ended.
  bool pull() {
    const AtWork here(at_work_);
    Head head;
    if (!read(std::as_writable_bytes(std::span(&head, 1)))) return false;
    switch (head.kind) {
      case Kind::token: tokens_.push_back(head.arrives); return true;
      case Kind::message: return take_message(head);
      case Kind::put:
        return lies_within(setup_.in.region().bytes, {head.at, head.bytes}) ? take(head, head.at) : give_up();
      case Kind::get:
        return lies_within(setup_.out.region().bytes, {head.at, head.bytes}) ? answer(head) : give_up();
      case Kind::gotten: return take_answer(head);
    }
    return give_up();
  }
  bool give_up() { return !(gone_ = ended_ = true); }

  bool take_message(const Head& head) {
    if (receives_.filled == receives_.all.size())
      throw MachineError("sim: a message arrived before its receive was posted");
    Expected& receive = receives_.all[receives_.filled++];
    if (head.bytes != receive.slice.bytes)
      throw MachineError(fmt::format("sim: a message of {} bytes matched a receive of {} bytes", head.bytes,
                                     receive.slice.bytes));
    receive.arrives = head.arrives;
    if (rank_->in > 1 && head.arrives != never)
      receive.arrives = entered_ = std::max(head.arrives, entered_ + share(head.bytes, rank_->in));
    if (head.bytes > 0 && !carries_bytes(head))
      std::memcpy(setup_.in.host_copy() + receive.slice.offset, head.first,
                  std::min<std::size_t>(head.bytes, few_bytes));
    return take(head, receive.slice.offset);
  }

  bool answer(Head head) {
    head.kind = Kind::gotten;
    queue(bytes_of(head));
    setup_.out.download({head.at, head.bytes});
    queue({setup_.out.host_copy() + head.at, head.bytes});
    flush_bytes();
    return true;
  }
  // A get that never arrives was never sent.
  bool take_answer(const Head& head) {
    auto& [all, filled] = gets_;
    while (filled < all.size() && all[filled].arrives == never) ++filled;
    if (filled == all.size() || all[filled].slice.bytes != head.bytes) return give_up();
    return take(head, all[filled++].slice.offset);
  }

  bool take(const Head& head, std::size_t offset) {
    if (!carries_bytes(head) || head.bytes == 0) return true;
    std::byte* to = setup_.in.host_copy() + offset;
    if (!read({to, head.bytes})) return false;
    if (head.corrupt) to[head.bytes / 2] ^= std::byte{1};
    setup_.in.upload({offset, head.bytes});
    return true;
  }

  // Marks that a frame is being sent or received.
  class AtWork {
   public:
    explicit AtWork(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
    ~AtWork() { flag_ = before_; }

   private:
    bool& flag_;
    const bool before_;
  };

  Socket socket_;
  const std::shared_ptr<SimRank> rank_;
  Seconds now_;
  const SimPeer peer_;
  const Setup& setup_;
  Sending out_, fetched_;  // fetched_: answers to our gets, sent by the peer's memory
  int messages_counted_ = 0, gets_counted_ = 0;
  Seconds entered_ = 0;  // when the last message entered our port, if other links use it too
  bool loads_out_ = false, loads_in_ = false;
  Seconds there_at_ = 0;    // when the last put is in the peer's memory
  Seconds flushed_at_ = 0;  // when the flush in flight ends
  std::deque<Seconds> left_at_, tokens_;
  Expecting receives_, gets_;
  std::vector<std::byte> inbox_, outbox_;
  std::size_t read_ = 0;
  bool at_work_ = false, gone_ = false;
  bool ended_ = false;    // nothing more can be read
  bool unheard_ = false;  // the peer reads no more; what it sent before can still be read
};

class Sim final : public Transport, public VirtualTime {
 public:
  explicit Sim(const Setup& setup)
      : setup_(setup),
        network_(setup.size, setup.options),
        door_(Door::unmeasured(setup.rank, setup.one_machine)) {}

  Seconds now() const override { return rank_->now; }
  Seconds now_on(const Link& link) const override { return static_cast<const SimLink&>(link).now(); }

  Carrier carrier() const override {
    return {.device = "sim", .address = fmt::format("host {}", network_.host_of(setup_.rank))};
  }

  Blob offer(int peer, std::uint64_t epoch) override {
    return Packer().add(rank_->now).add(door_.offer(peer, epoch)).add(Reachable::of(setup_)).take();
  }

  Seconds time_in(View peer_offer) const override { return Unpacker(peer_offer).get<Seconds>(); }
  void advance_to(Seconds time) override {
    rank_->now = std::max(rank_->now, time);
    for (auto* link : rank_->links) link->move_on_to(rank_->now);
  }

  // Takes a round trip of virtual time. A peer that cannot call is given up, in real time, before this rank
  // is.
  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) override {
    Unpacker in(peer_offer);
    advance_to(in.get<Seconds>());
    const auto way_in = in.list<std::byte>();
    const SimPeer other{network_.way(setup_.rank, peer), network_.way(peer, setup_.rank),
                        in.get<Reachable>()};
    const Seconds patience = std::min(std::max(until - rank_->now, 0.0) + least_patience, real_patience);
    auto note = std::bit_cast<std::uint64_t>(rank_->now);  // later than in the offer, if that was made ahead
    auto sockets = door_.connect(peer, epoch, way_in, 1, steady_now() + patience, &note);
    if (!sockets.empty()) advance_to(std::bit_cast<Seconds>(note));
    const Seconds began = std::exchange(rank_->now, rank_->now + other.there.latency + other.back.latency);
    if (sockets.empty()) return {};  // a real fault of the peer's process, not a simulated one
    return {.link = std::make_unique<SimLink>(std::move(sockets.front()), rank_, other, epoch, setup_),
            .began = began};
  }

 private:
  const Setup setup_;
  SimNetwork network_;
  Door door_;
  const std::shared_ptr<SimRank> rank_ = std::make_shared<SimRank>();
};

}  // namespace

extern const TransportEntry sim_transport{
    .abi = transport_abi,
    .name = "sim",
    .summary = "a simulated network in virtual time: hosts, switches, planted faults",
    .why_unusable = always_usable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Sim>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<SimLink&>(link); },
    .one_sided_by = "messages",
    .virtual_time = [](Transport& transport) -> VirtualTime& { return static_cast<Sim&>(transport); },
    .host_name = [](int rank, int size,
                    const Settings& settings) { return SimNetwork(size, settings).host_name(rank); },
    .gpu_memory = true,
    .steps_ahead = true};

}  // namespace everylink
