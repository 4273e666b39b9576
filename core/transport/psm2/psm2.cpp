// psm2: tagged messages (MQ) of Omni-Path's library, over the devices that PSM2_DEVICES lists.
#include <dlfcn.h>
#include <fmt/format.h>
#include <psm2.h>
#include <psm2_mq.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "host/probe.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

std::string text_of(psm2_error_t rc) { return fmt::format("error {}, {}", +rc, psm2_error_get_string(rc)); }

void check(psm2_error_t rc, const char* call) {
  if (rc != PSM2_OK) throw MachineError(fmt::format("{}: {}", call, text_of(rc)));
}

struct Version {
  int major = PSM2_VERNO_MAJOR, minor = PSM2_VERNO_MINOR;
};

// Keeps the library from printing errors, because we report them.
psm2_error_t start_library(Version& version) {
  ::setenv("PSM2_NO_VERBOSE_ERRORS", "1", 0);
  psm2_error_register_handler(nullptr, PSM2_ERRHANDLER_NO_HANDLER);
  return psm2_init(&version.major, &version.minor);
}

std::string why_it_does_not_start() {
  Version version;
  const auto rc = start_library(version);
  if (rc == PSM2_OK) return "";
  const char* devices = std::getenv("PSM2_DEVICES");
  return fmt::format("psm2_init: {} {}", text_of(rc),
                     devices ? fmt::format("(with PSM2_DEVICES={})", devices)
                             : "(without an Omni-Path device, library 11.2.229 or later starts with "
                               "PSM2_DEVICES=self,shm, within one machine)");
}

constexpr std::size_t piece = 1 << 30;  // the length of a message has 32 bits
enum Kind : std::uint32_t { message, token };

// The data that the library points into. It outlives a link that could not be closed.
struct Flow {
  struct Message {
    int ops_left;
  };
  // One call of the library. A message takes one or more.
  struct Op {
    Flow* flow;
    Message* message;
    std::byte* at;
    std::uint32_t bytes;
    Kind kind;
    bool sends;
    psm2_mq_req_t request = PSM2_MQ_REQINVALID;
    std::uint64_t number = 0;  // of a send: the number of sends that the link has started, including this one
    bool synchronous = false;  // done only when the peer has it
    bool done = false;
  };

  // The library has completed this call. Each message from the peer reports how many of our messages the peer
  // had received.
  void note(Op& op, const psm2_mq_status2_t& status) {
    op.done = true;
    --op.message->ops_left;
    failed |= status.error_code != PSM2_OK || (!op.sends && status.nbytes != op.bytes);
    if (!op.sends) ++arrived;
    const auto lag = static_cast<std::uint32_t>(started) - status.msg_tag.tag[2];
    if (op.sends && op.synchronous) delivered = std::max(delivered, op.number);
    if (!op.sends && lag <= started) delivered = std::max(delivered, started - lag);
  }

  std::deque<Message> messages;
  std::deque<Op> ops;
  std::uint64_t started = 0, delivered = 0;  // our sends; those that the peer is known to have
  std::uint32_t arrived = 0;
  bool failed = false;
};

// Handles the library's completions, of any link. Returns whether there were any.
bool progress(psm2_mq_t mq) {
  bool moved = false;
  psm2_mq_req_t request;
  while (psm2_mq_ipeek2(mq, &request, nullptr) == PSM2_OK) {
    psm2_mq_status2_t status;
    if (psm2_mq_test2(&request, &status) != PSM2_OK) break;
    auto& op = *static_cast<Flow::Op*>(status.context);
    op.flow->note(op, status);
    moved = true;
  }
  return moved;
}

// One for all transports of a process: within a machine the library names endpoints by process, and a second
// one would take over resources of the first that a stopped peer still holds. Connections are kept for later
// links.
struct Endpoint {
  explicit Endpoint(const Setup& setup) {
    check(start_library(version), "psm2_init");
    psm2_ep_open_opts options{};
    check(psm2_ep_open_opts_get_defaults(&options), "psm2_ep_open_opts_get_defaults");
    options.affinity =
        PSM2_EP_OPEN_AFFINITY_SKIP;  // ranks are bound to cores by Everylink or by the launcher
    psm2_uuid_t job;
    static_assert(sizeof job == sizeof setup.run);
    std::memcpy(job, setup.run.data(), sizeof job);
    check(psm2_ep_open(job, &options, &ep, &id), "psm2_ep_open");
    check(psm2_mq_init(ep, PSM2_MQ_ORDERMASK_ALL, nullptr, 0, &mq), "psm2_mq_init");
  }
  ~Endpoint() {
    psm2_mq_finalize(mq);
    psm2_ep_close(ep, PSM2_EP_CLOSE_FORCE, 1);  // the shortest limit that it accepts
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  static std::shared_ptr<Endpoint> shared(const Setup& setup) {
    static std::weak_ptr<Endpoint> only;
    auto endpoint = only.lock();
    if (!endpoint) only = endpoint = std::make_shared<Endpoint>(setup);
    return endpoint;
  }

  Version version;
  psm2_ep_t ep = nullptr;
  psm2_mq_t mq = nullptr;
  psm2_epid_t id = 0;
  std::map<psm2_epid_t, psm2_epaddr_t> peers;
};

class Psm2Link final : public Link {
 public:
  Psm2Link(const Endpoint& endpoint, psm2_epaddr_t peer, std::uint64_t epoch, int peer_rank,
           const Setup& setup)
      : endpoint_(endpoint),
        peer_(peer),
        epoch_(static_cast<std::uint32_t>(epoch)),
        rank_(setup.rank),
        peer_rank_(peer_rank),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        waiter_(setup.crowded) {}
  ~Psm2Link() override {
    if (close(0) != Outcome::ok) static_cast<void>(flow_.release());
  }

  int start_send(Slice slice) override {
    const int ticket = add(out_ + slice.offset, slice.bytes, message, true);
    start_waiting();
    return ticket;
  }
  int start_recv(Slice slice) override { return add(in_ + slice.offset, slice.bytes, message, false); }

  Outcome wait(int ticket, Seconds until) override {
    return move_until([&] { return is_done(ticket); }, until);
  }

  // The token completes when the peer has it and everything before it. The last polls send the library's
  // pending answers, because this rank does not call the library again.
  Outcome meet(Seconds until) override {
    const int in = add(nullptr, 0, token, false), out = add(nullptr, 0, token, true);
    start_waiting();
    const auto outcome = move_until([&] { return is_done(in) && is_done(out) && sends_are_done(); }, until);
    for (int i = 0; i < 2; ++i) psm2_poll(endpoint_.ep);
    return outcome;
  }

  // Sends cannot be cancelled, nor can receives of messages that have begun to arrive.
  Outcome close(Seconds until) override {
    if (!flow_) return Outcome::ok;
    for (; !waiting_.empty(); waiting_.pop_front()) waiting_.front()->done = true;
    for (auto& op : flow_->ops)
      if (!op.done && !op.sends) psm2_mq_cancel(&op.request);
    const auto all_done = [&] {
      return std::all_of(flow_->ops.begin(), flow_->ops.end(), [](const auto& op) { return op.done; });
    };
    for (auto wait = waiter_.until(until); !all_done();) {
      if (!progress(endpoint_.mq)) wait.nothing_moved();
      if (wait.is_over(steady_now)) break;
    }
    progress(endpoint_.mq);
    if (!all_done()) return Outcome::timeout;
    flow_.reset();
    return Outcome::ok;
  }

 private:
  using Op = Flow::Op;
  // The library's queues to a peer hold 128 messages of 16,000 bytes, the longest that the peer does not
  // fetch itself. With a full queue to a stopped peer, the library blocks forever.
  static constexpr std::uint64_t most_in_flight = 80;

  psm2_mq_tag_t tag(int sender, Kind kind) const {
    psm2_mq_tag_t tag{};
    tag.tag[0] = epoch_;
    tag.tag[1] = static_cast<std::uint32_t>(sender) << 1 | kind;
    tag.tag[2] = flow_->arrived;
    return tag;
  }

  int add(std::byte* at, std::size_t bytes, Kind kind, bool sends) {
    const auto ops = std::max<std::size_t>(1, (bytes + piece - 1) / piece);
    auto& added = flow_->messages.emplace_back(Flow::Message{static_cast<int>(ops)});
    for (std::size_t i = 0; i < ops; ++i) {
      const auto length = static_cast<std::uint32_t>(std::min(bytes - i * piece, piece));
      Op& op = flow_->ops.emplace_back(Op{.flow = flow_.get(),
                                          .message = &added,
                                          .at = at + i * piece,
                                          .bytes = length,
                                          .kind = kind,
                                          .sends = sends});
      if (sends)
        waiting_.push_back(&op);
      else
        receive(op);
    }
    return base_ + static_cast<int>(flow_->messages.size()) - 1;
  }

  void receive(Op& op) {
    psm2_mq_tag_t wanted = tag(peer_rank_, op.kind), bits{};
    bits.tag[0] = bits.tag[1] = ~0U;
    check(psm2_mq_irecv2(endpoint_.mq, peer_, &wanted, &bits, 0, op.at, op.bytes, &op, &op.request),
          "psm2_mq_irecv2");
  }

  void start_waiting() {
    for (; !waiting_.empty() && flow_->started - flow_->delivered < most_in_flight; waiting_.pop_front()) {
      Op& op = *waiting_.front();
      op.number = ++flow_->started;
      op.synchronous = op.kind == token || flow_->started - flow_->delivered == most_in_flight;
      psm2_mq_tag_t ours = tag(rank_, op.kind);
      check(psm2_mq_isend2(endpoint_.mq, peer_, op.synchronous ? PSM2_MQ_FLAG_SENDSYNC : 0, &ours, op.at,
                           op.bytes, &op, &op.request),
            "psm2_mq_isend2");
    }
  }

  bool is_done(int ticket) {
    auto& [messages, ops, started, delivered, arrived, failed] = *flow_;
    for (; !ops.empty() && ops.front().done;) ops.pop_front();
    for (; !messages.empty() && messages.front().ops_left == 0; ++base_) messages.pop_front();
    return ticket < base_ || messages[static_cast<std::size_t>(ticket - base_)].ops_left == 0;
  }
  bool sends_are_done() const {
    return std::none_of(flow_->ops.begin(), flow_->ops.end(),
                        [](const Op& op) { return op.sends && !op.done; });
  }

  template <class Done>
  Outcome move_until(Done done, Seconds until) {
    for (auto wait = waiter_.until(until);;) {
      if (done()) return Outcome::ok;
      const bool moved = progress(endpoint_.mq);
      if (flow_->failed) return Outcome::broken;
      start_waiting();
      if (moved) {
        wait.moved();
        continue;
      }
      if (wait.is_over(steady_now)) return Outcome::timeout;
      wait.nothing_moved();
    }
  }

  const Endpoint& endpoint_;
  const psm2_epaddr_t peer_;
  const std::uint32_t epoch_;
  const int rank_, peer_rank_;
  std::byte *const out_, *const in_;
  Waiter waiter_;
  std::unique_ptr<Flow> flow_ = std::make_unique<Flow>();
  std::deque<Op*> waiting_;  // sends
  int base_ = 0;
};

class Psm2 final : public Transport {
 public:
  explicit Psm2(const Setup& setup) : setup_(setup) {
    refuse_unknown_options(setup.options, "psm2", {});
    endpoint_ = Endpoint::shared(setup);
  }

  Carrier carrier() const override {
    const char* devices = std::getenv("PSM2_DEVICES");
    Dl_info library{};
    ::dladdr(reinterpret_cast<void*>(&psm2_init), &library);
    std::error_code none;
    const auto file = std::filesystem::canonical(library.dli_fname ? library.dli_fname : "", none).filename();
    return {.device = devices ? devices : "self,shm,hfi",
            .address = fmt::format("{:x}", endpoint_->id),
            .libraries = fmt::format("PSM {}.{} ({})", endpoint_->version.major, endpoint_->version.minor,
                                     file.string())};
  }

  Blob offer(int, std::uint64_t) override { return Packer().add(endpoint_->id).take(); }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) override {
    Unpacker in(peer_offer);
    const auto id = in.get<psm2_epid_t>();
    in.end();
    auto& address = endpoint_->peers[id];
    if (!address) {
      psm2_error_t error = PSM2_OK;
      psm2_epaddr_t found = nullptr;
      const auto left = static_cast<std::int64_t>(std::max(until - steady_now(), 0.001) * 1e9);
      const auto rc = psm2_ep_connect(endpoint_->ep, 1, &id, nullptr, &error, &found, left);
      if (rc != PSM2_OK || !found) return {nullptr, fmt::format("psm2_ep_connect: {}", text_of(rc))};
      address = found;
    }
    return {std::make_unique<Psm2Link>(*endpoint_, address, epoch, peer, setup_)};
  }

 private:
  const Setup setup_;
  std::shared_ptr<Endpoint> endpoint_;
};

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "psm2",
    .summary = "tagged messages (MQ) of Omni-Path; the variable PSM2_DEVICES",
    .why_unusable = [] { return tried_in_child(why_it_does_not_start, 10); },
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Psm2>(setup); }};

}  // namespace everylink
