// sim: a made-up network between real processes, which keeps its own time. Each rank owns its clock; offers
// and messages carry it across, so there is no global clock, and every number is the same in every run.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "net/door.hpp"
#include "pack.hpp"
#include "random.hpp"
#include "transport/sim_network.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

constexpr Seconds never = std::numeric_limits<Seconds>::infinity();
constexpr Seconds real_patience =
    60;  // for the peer's process, which only computes; a network takes no real time

constexpr std::size_t few_bytes = 8;  // of each message: they travel always

// A rank's clock, and how many links carry messages through its port, each way: all have an equal share.
class SimLink;
struct SimRank {
  Seconds now = 0;
  int out = 0, in = 0;
  std::vector<SimLink*> links;
};

// Each link has a time of its own, the rank's is that of the latest: what a rank waits for on one of them is
// not late on another.
class SimLink final : public Link {
 public:
  SimLink(Socket socket, SimRank& rank, const SimWay& way, std::uint64_t epoch, const Setup& setup)
      : socket_(std::move(socket)), rank_(rank), now_(rank.now), way_(way), setup_(setup) {
    way_.key = mix(way.key, epoch);
    rank_.links.push_back(this);
  }
  ~SimLink() override {
    unload();
    std::erase(rank_.links, this);
  }
  SimLink(const SimLink&) = delete;
  SimLink& operator=(const SimLink&) = delete;

  Seconds now() const { return now_; }
  void move_on_to(Seconds time) { now_ = std::max(now_, time); }

  int start_send(Slice slice) override {
    note_load(slice, rank_.out, loads_out_);
    left_at_.push_back(put(slice, false));
    return 2 * (static_cast<int>(left_at_.size()) - 1);
  }

  int start_recv(Slice slice) override {
    note_load(slice, rank_.in, loads_in_);
    receives_.push_back({slice, never});
    return 2 * (static_cast<int>(receives_.size()) - 1) + 1;
  }

  Outcome wait(int ticket, Seconds until) override {
    const auto index = static_cast<std::size_t>(ticket / 2);
    if (ticket % 2 == 0) {
      flush();  // the peer may wait for it on another link
      return pass_to(left_at_[index], until);
    }
    while (filled_ <= index)
      if (!pull()) return lost(until);
    return pass_to(receives_[index].arrives, until);
  }

  // Here the links of a rank come together again.
  Outcome meet(Seconds until) override {
    now_ = std::max(now_, rank_.now);
    put({0, 0}, true);
    flush();
    while (tokens_.empty())
      if (!pull()) return lost(until);
    const Seconds at = tokens_.front();
    if (at <= until) tokens_.pop_front();
    return pass_to(at, until);
  }

  // The peer's process sees the end of the stream: nothing more will come, however long its clock runs.
  Outcome close(Seconds) override {
    flush();
    close_for_good(socket_);
    return Outcome::ok;
  }

 private:
  struct Head {
    Seconds arrives;
    std::uint64_t bytes;
    bool token, corrupt;
    std::byte first[few_bytes];
  };
  struct Receive {
    Slice slice;
    Seconds arrives;
  };

  // What never comes costs virtual time only.
  Outcome pass_to(Seconds at, Seconds until) {
    now_ = std::max(now_, std::min(at, until));
    rank_.now = std::max(rank_.now, now_);
    if (at <= until) return Outcome::ok;
    unload();
    return Outcome::timeout;
  }
  Outcome lost(Seconds until) {
    if (gone_) return Outcome::broken;  // the peer's process, not its network
    return pass_to(never, until);
  }

  // Sends leave one after the other; gives the time at which this one has left.
  Seconds put(Slice slice, bool token) {
    const std::uint64_t draw = mix(way_.key, ++sent_);
    const double stretch = (1 + way_.noise * unit_interval(draw)) * (mix(draw) % 20 == 0 ? way_.jitter : 1);
    const Seconds leaving = static_cast<double>(slice.bytes) / way_.bandwidth;
    free_ =
        std::max(free_, now_) + (rank_.out > 1 ? std::max(leaving, share(slice.bytes, rank_.out)) : leaving);
    Head head{};
    head.arrives = way_.dead ? never : free_ + way_.latency + (leaving + way_.latency) * (stretch - 1);
    head.bytes = slice.bytes;
    head.token = token;
    if (slice.bytes > 0)
      std::memcpy(head.first, setup_.out.region().at + slice.offset, std::min(slice.bytes, few_bytes));
    if (!token) head.corrupt = way_.corrupt == -2 || way_.corrupt == messages_++;
    queue(std::as_bytes(std::span(&head, 1)));
    if (carries_bytes(head)) queue({setup_.out.region().at + slice.offset, slice.bytes});
    return free_;
  }

  bool carries_bytes(const Head& head) const {
    return setup_.contents_matter && !head.token && head.arrives != never;
  }

  void note_load(Slice slice, int& links, bool& counted) const {
    if (way_.local || slice.bytes <= few_bytes || counted) return;
    counted = true;
    ++links;
  }
  void unload() {
    rank_.out -= std::exchange(loads_out_, false);
    rank_.in -= std::exchange(loads_in_, false);
  }
  // The time of so many bytes through a port that `links` links share.
  Seconds share(std::size_t bytes, int links) const {
    return way_.local ? 0 : static_cast<double>(bytes) * links / way_.port;
  }

  // Short messages are collected until we have to wait ourselves: far fewer calls into the kernel.
  void queue(View bytes) {
    constexpr std::size_t enough = 1 << 16;
    if (bytes.size() < enough) outbox_.insert(outbox_.end(), bytes.begin(), bytes.end());
    if (outbox_.size() >= enough || bytes.size() >= enough) flush();
    if (bytes.size() >= enough) push(bytes);
  }
  void flush() {
    push(outbox_);
    outbox_.clear();
  }
  void push(View bytes) {
    const Seconds until = steady_now() + real_patience;
    while (!bytes.empty() && socket_ && !ended_) {
      const ssize_t n = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n > 0)
        bytes = bytes.subspan(static_cast<std::size_t>(n));
      else if (errno != EAGAIN)
        ended_ = true;
      else if (ready(socket_, POLLIN | POLLOUT, until))
        soak();
      else
        gone_ = ended_ = true;
    }
  }

  // Everything that has come, so that the peer can go on sending.
  void soak() {
    std::byte bytes[65536];
    const ssize_t n = ::recv(socket_.fd(), bytes, sizeof bytes, 0);
    if (n > 0)
      inbox_.insert(inbox_.end(), bytes, bytes + n);
    else if (n == 0 || errno != EAGAIN)
      ended_ = true;
  }

  // The next bytes of the stream, from the inbox first; false: there will not be so many.
  bool read(std::span<std::byte> into) {
    const std::size_t held = std::min(into.size(), inbox_.size() - read_);
    if (held > 0) std::memcpy(into.data(), inbox_.data() + read_, held);
    read_ += held;
    if (read_ == inbox_.size()) {
      inbox_.clear();
      read_ = 0;
    }
    into = into.subspan(held);
    if (into.empty()) return true;
    for (auto* link : rank_.links) link->flush();  // whom we wait for may wait for us on another one
    constexpr std::size_t direct = 1 << 16;
    if (into.size() < direct) {  // little is missing: take what else has come along
      const Seconds until = steady_now() + real_patience;
      while (inbox_.size() < into.size() && !ended_) {
        if (ready(socket_, POLLIN, until))
          soak();
        else
          gone_ = ended_ = true;
      }
      return inbox_.size() >= into.size() && read(into);
    }
    if (!ended_ && receive_all(socket_, into, steady_now() + real_patience)) return true;
    ended_ = true;
    return false;
  }

  // Takes the next message or token from the stream; false: there will be none.
  bool pull() {
    Head head;
    if (!read(std::as_writable_bytes(std::span(&head, 1)))) return false;
    if (head.token) tokens_.push_back(head.arrives);
    return head.token || take(head);
  }

  bool take(const Head& head) {
    if (filled_ == receives_.size()) throw MachineError("sim: a message came before its receive stood ready");
    Receive& receive = receives_[filled_++];
    if (head.bytes != receive.slice.bytes)
      throw MachineError(
          fmt::format("sim: a message of {} bytes met a receive of {}", head.bytes, receive.slice.bytes));
    receive.arrives = head.arrives;
    if (rank_.in > 1 && head.arrives != never)
      receive.arrives = entered_ = std::max(head.arrives, entered_ + share(head.bytes, rank_.in));
    if (head.bytes == 0) return true;
    std::byte* to = setup_.in.region().at + receive.slice.offset;
    if (!carries_bytes(head)) std::memcpy(to, head.first, std::min<std::size_t>(head.bytes, few_bytes));
    if (!carries_bytes(head)) return true;
    if (!read({to, head.bytes})) return false;
    if (head.corrupt) to[head.bytes / 2] ^= std::byte{1};
    return true;
  }

  Socket socket_;
  SimRank& rank_;
  Seconds now_;
  SimWay way_;
  const Setup& setup_;
  Seconds free_ = 0, entered_ = 0;
  bool loads_out_ = false, loads_in_ = false;
  std::uint64_t sent_ = 0;
  int messages_ = 0;
  std::deque<Seconds> left_at_, tokens_;
  std::deque<Receive> receives_;
  std::size_t filled_ = 0;
  std::vector<std::byte> inbox_, outbox_;
  std::size_t read_ = 0;
  bool ended_ = false, gone_ = false;
};

class Sim final : public Transport {
 public:
  explicit Sim(const Setup& setup)
      : setup_(setup), network_(setup.size, setup.options), door_(setup.rank, "", setup.one_machine) {}

  Seconds now() const override { return rank_.now; }
  bool waits_apart() const override { return true; }
  Seconds now_on(const Link& link) const override { return static_cast<const SimLink&>(link).now(); }

  Carrier carrier() const override {
    return {"sim", fmt::format("host {}", network_.host_of(setup_.rank)), "", ""};
  }

  Blob offer(int peer, std::uint64_t epoch) override {
    return Packer().add(rank_.now).add(door_.offer(peer, epoch)).take();
  }

  Seconds begin(View peer_offer) override {
    rank_.now = std::max(rank_.now, Unpacker(peer_offer).get<Seconds>());
    for (auto* link : rank_.links) link->move_on_to(rank_.now);
    return rank_.now;
  }

  // Takes a round trip of made-up time.
  std::unique_ptr<Link> connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    begin(peer_offer);
    Unpacker in(peer_offer);
    in.get<Seconds>();
    const auto way_in = in.list<std::byte>();
    const SimWay there = network_.way(setup_.rank, peer), back = network_.way(peer, setup_.rank);
    rank_.now += there.latency + back.latency;
    auto sockets = door_.connect(peer, epoch, way_in, 1, steady_now() + real_patience);
    if (sockets.empty()) return nullptr;
    return std::make_unique<SimLink>(std::move(sockets.front()), rank_, there, epoch, setup_);
  }

 private:
  const Setup setup_;
  SimNetwork network_;
  Door door_;
  SimRank rank_;
};

}  // namespace

extern const TransportEntry sim_transport{
    transport_abi,
    "sim",
    "a made-up network that keeps its own time: hosts, switches, planted faults",
    always_usable,
    [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Sim>(setup); },
    [](int rank, int size, const Settings& settings) { return SimNetwork(size, settings).host_name(rank); },
    nullptr};

}  // namespace everylink
