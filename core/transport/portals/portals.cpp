// portals: messages are puts of Portals 4 with counting events, straight into an entry over the peer's whole
// buffer; one-sided transfers are puts and gets with full events.
#include <dlfcn.h>
#include <fmt/format.h>
#include <portals4.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
#include "host/probe.hpp"
#include "net/interfaces.hpp"
#include "transport/portals/portals_one_sided.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

using namespace portals;

class PortalsLink final : public Link, public OneSided {
 public:
  PortalsLink(std::unique_ptr<Outbox> outbox, std::unique_ptr<Inbox> inbox, const Target& target,
              const Cut& cut, bool crowded, std::vector<std::unique_ptr<Outbox>>& outboxes)
      : outbox_(std::move(outbox)),
        inbox_(std::move(inbox)),
        target_(target),
        cut_(cut),
        put_before_(outbox_->put),
        waiter_(crowded),
        outboxes_(outboxes) {
    if (outbox_->mover) transfers_.emplace(*outbox_->mover, target_, cut_);
  }
  ~PortalsLink() override {
    if (close(0) == Outcome::ok) return;
    static_cast<void>(outbox_.release());  // the library may still read it
    static_cast<void>(inbox_.release());
  }

  int start_send(Slice slice) override {
    const std::size_t pieces = cut_.pieces(slice.bytes);
    for (std::size_t i = 0; i < pieces; ++i) {
      const Slice piece = piece_of(slice.bytes, pieces, i);
      waiting_.push_back({slice.offset + piece.offset, piece.bytes});
    }
    start_waiting();
    return 3 * sent_.add(pieces);
  }

  int start_recv(Slice slice) override { return 3 * received_.add(cut_.pieces(slice.bytes)) + 1; }
  int start_put(Slice slice, std::size_t at) override { return start_one_sided(true, slice, at); }
  int start_get(Slice slice, std::size_t at) override { return start_one_sided(false, slice, at); }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    const int number = ticket / 3;
    if (ticket % 3 == 2) return move_until([&] { return transfers_->is_done(number); }, until);
    if (ticket % 3 == 1)
      return move_until([&] { return received_.reached(number, inbox_->of_messages.arrived()); }, until);
    return move_until([&] { return sent_.reached(number, acknowledged_); }, until);
  }

  Outcome flush(Seconds until) override {
    return move_until([&] { return transfers_->is_flushed(); }, until);
  }

  // The token follows when everything is acknowledged. Once the token is acknowledged too, the peer's library
  // needs nothing more from this rank.
  Outcome meet(Seconds until) override {
    if (const auto outcome = move_until([&] { return is_quiet(); }, until); outcome != Outcome::ok)
      return outcome;
    for (auto wait = waiter_.until(until); put({0, 0}, tokens) == PTL_NO_SPACE;)
      if (wait.is_over(steady_now)) return Outcome::timeout;
    sent_.add(1);
    ++meetings_;
    return move_until([&] { return is_quiet() && inbox_->of_tokens.arrived() >= meetings_; }, until);
  }

  // A put cannot be cancelled: the library may still read unacknowledged bytes.
  Outcome close(Seconds until) override {
    waiting_.clear();
    if (!outbox_) return Outcome::ok;
    if (transfers_) transfers_->give_up();
    for (auto wait = waiter_.until(until);;) {
      acknowledge();
      const bool quiet = is_quiet(), closed = inbox_->close();
      if (quiet && closed) break;
      if (wait.is_over(steady_now)) return Outcome::timeout;
      rest(wait);
    }
    inbox_.reset();
    transfers_.reset();
    if (!failed_) outboxes_.push_back(std::move(outbox_));
    outbox_.reset();
    return Outcome::ok;
  }

 private:
  bool is_quiet() const {
    return waiting_.empty() && in_flight_.empty() && (!transfers_ || transfers_->is_quiet());
  }

  int start_one_sided(bool is_put, Slice here, std::size_t far) {
    const int number = transfers_->start(is_put, here, far);
    return number == no_ticket ? no_ticket : 3 * number + 2;
  }

  int put(Slice piece, ptl_match_bits_t kind) {
    const int rc = PtlPut(outbox_->memory, piece.offset, piece.bytes, PTL_CT_ACK_REQ, target_.process,
                          target_.table, target_.key | kind, piece.offset, nullptr, 0);
    if (rc == PTL_NO_SPACE) return rc;
    check(rc, "PtlPut");
    ++outbox_->put;
    in_flight_.push_back(piece.bytes + Cut::head);
    bytes_in_flight_ += piece.bytes + Cut::head;
    return rc;
  }

  void start_waiting() {
    while (!waiting_.empty()) {
      const Slice piece = waiting_.front();
      if (!in_flight_.empty() && bytes_in_flight_ + piece.bytes + Cut::head > cut_.most) return;
      if (put(piece, messages) == PTL_NO_SPACE) return;
      waiting_.pop_front();
    }
  }

  // Returns whether anything moved.
  bool acknowledge() {
    const auto event = read(outbox_->acknowledged);
    failed_ |= event.failure > 0;
    const std::uint64_t before = acknowledged_;
    acknowledged_ = event.success + event.failure - put_before_;
    for (auto n = before; n < acknowledged_ && !in_flight_.empty(); ++n) {
      bytes_in_flight_ -= in_flight_.front();
      in_flight_.pop_front();
    }
    const bool moved = transfers_ && transfers_->look();
    failed_ |= transfers_ && transfers_->has_failed();
    return moved || acknowledged_ > before;
  }

  // The implementation's thread needs the core.
  void rest(Waiter::Wait& wait) {
    constexpr timespec short_while{0, 20000};
    if (cut_.threaded)
      ::nanosleep(&short_while, nullptr);
    else
      wait.nothing_moved();
  }

  template <class Done>
  Outcome move_until(Done done, Seconds until) {
    for (auto wait = waiter_.until(until);;) {
      const bool moved = acknowledge();
      if (failed_) return Outcome::broken;
      start_waiting();
      if (transfers_) transfers_->start_waiting();
      if (done()) return Outcome::ok;
      if (wait.is_over(steady_now)) return Outcome::timeout;
      moved ? wait.moved() : rest(wait);
    }
  }

  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<Inbox> inbox_;
  const Target target_;
  const Cut cut_;
  const std::uint64_t put_before_;  // of earlier links
  Waiter waiter_;
  std::vector<std::unique_ptr<Outbox>>& outboxes_;
  std::deque<Slice> waiting_;
  std::deque<std::size_t> in_flight_;
  std::size_t bytes_in_flight_ = 0;
  Marks sent_, received_;
  std::optional<Transfers> transfers_;  // one-sided transfers
  std::uint64_t acknowledged_ = 0, meetings_ = 0;
  bool failed_ = false;
};

// The reference implementation reads its interface from the environment and has no good default.
std::string chosen_interface(bool loopback, const std::string& wanted) {
  for (const auto& interface : interfaces())
    if (interface.address.host_text().find(':') == std::string::npos &&
        (wanted.empty() ? interface.is_loopback == loopback : interface.name == wanted))
      return interface.name;
  return wanted;
}

std::string why_it_does_not_start() {
  ::setenv("PTL_IFACE_NAME", chosen_interface(true, "").c_str(), 0);
  int rc = PtlInit();
  if (rc != PTL_OK) return fmt::format("PtlInit: {}", name_of(rc));
  ptl_handle_ni_t ni;
  rc = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr, nullptr, &ni);
  if (rc == PTL_OK) return "";
  return fmt::format("PtlNIInit: {}: no Portals 4 network interface{}", name_of(rc),
                     std::getenv("PTL_IFACE_NAME")
                         ? fmt::format(" (PTL_IFACE_NAME={})", std::getenv("PTL_IFACE_NAME"))
                         : "");
}

class Portals final : public Transport {
 public:
  explicit Portals(const Setup& setup) : setup_(setup) {
    refuse_unknown_options(setup.options, "portals", {"interface", "piece"});
    choose_interface();
    {
      const AnyCore for_its_thread;
      check(PtlInit(), "PtlInit");
      check(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr, &limits_,
                      &ni_),
            "PtlNIInit");
    }
    check(PtlGetPhysId(ni_, &id_), "PtlGetPhysId");
    check(PtlPTAlloc(ni_, 0, PTL_EQ_NONE, PTL_PT_ANY, &table_), "PtlPTAlloc");
    choose_cut();
    outboxes_.push_back(std::make_unique<Outbox>(ni_, setup_));
    if (setup_.one_sided) shown_.emplace(ni_, setup_.out.region(), cut_.part);
  }
  ~Portals() override {
    inboxes_.clear();
    outboxes_.clear();
    shown_.reset();
    PtlPTFree(ni_, table_);
    PtlNIFini(ni_);
    PtlFini();
  }

  Carrier carrier() const override {
    Dl_info library{};
    ::dladdr(reinterpret_cast<void*>(&PtlInit), &library);
    std::error_code none;
    const auto file = std::filesystem::canonical(library.dli_fname ? library.dli_fname : "", none).filename();
    const std::string address = ip_.empty() ? fmt::format("nid {} pid {}", id_.phys.nid, id_.phys.pid) : ip_;
    return {.device = device_,
            .address = address,
            .lanes = ip_.empty() ? "" : "IP",
            .libraries = fmt::format("Portals 4 ({})", file.string())};
  }

  // The entry must exist before the peer may put, so it is created before the peer learns of it.
  Blob offer(int peer, std::uint64_t) override {
    auto& inbox = inboxes_[peer];
    inbox = std::make_unique<Inbox>(ni_, table_, setup_);
    return Packer()
        .add(id_.phys.nid)
        .add(id_.phys.pid)
        .add(table_)
        .add(inbox->key)
        .add(static_cast<std::uint64_t>(cut_.piece))
        .add(shown_ ? shown_->table : 0)
        .add(shown_ ? shown_->key : 0)
        .add(static_cast<std::uint64_t>(cut_.part))
        .add(shown_ ? Reachable::of(setup_) : Reachable{})
        .take();
  }

  Connection connect(int peer, std::uint64_t, View peer_offer, Seconds) override {
    Unpacker in(peer_offer);
    Target target{};
    target.process.phys.nid = in.get<ptl_nid_t>();
    target.process.phys.pid = in.get<ptl_pid_t>();
    target.table = in.get<ptl_pt_index_t>();
    target.key = in.get<ptl_match_bits_t>();
    const auto piece = in.get<std::uint64_t>();
    target.table_of_gets = in.get<ptl_pt_index_t>();
    target.key_of_gets = in.get<ptl_match_bits_t>();
    target.part = in.get<std::uint64_t>();
    target.far = in.get<Reachable>();
    in.end();
    Unpacker::must(piece > 0 && target.part > 0 && ((target.key | target.key_of_gets) & of_a_key) == 0);
    Unpacker::must(target.far.out / target.part <= of_a_key && inboxes_[peer]);
    if (outboxes_.empty()) outboxes_.push_back(std::make_unique<Outbox>(ni_, setup_));
    auto outbox = std::move(outboxes_.back());
    outboxes_.pop_back();
    Cut cut = cut_;
    cut.piece = std::min<std::size_t>(cut.piece, piece);
    cut.small = std::min(cut.small, cut.piece);
    return {std::make_unique<PortalsLink>(std::move(outbox), std::move(inboxes_[peer]), target, cut,
                                          setup_.crowded, outboxes_)};
  }

 private:
  void choose_interface() {
    const std::string wanted = setting(setup_.options, "interface");
    const std::string interface = chosen_interface(setup_.one_machine, wanted);
    if (!wanted.empty()) interfaces_named(wanted, "--mode portals:interface");
    if (!interface.empty()) ::setenv("PTL_IFACE_NAME", interface.c_str(), !wanted.empty());
    for (const char* limit : {"PTL_LIM_MAX_ENTRIES", "PTL_LIM_MAX_LIST_SIZE"}) ::setenv(limit, "200000", 0);
  }

  // The node numbers of the reference implementation are IPv4 addresses. Over UDP it loses what exceeds the
  // socket buffer, so pieces are datagrams, and few are in flight.
  void choose_cut() {
    const auto ip = fmt::format("{}.{}.{}.{}", id_.phys.nid >> 24, id_.phys.nid >> 16 & 255,
                                id_.phys.nid >> 8 & 255, id_.phys.nid & 255);
    for (const auto& interface : interfaces())
      if (interface.address.host_text() == ip) ip_ = ip, device_ = interface.name;
    const auto most = limits_.max_msg_size;
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    cut_ = {.piece = most, .small = most, .most = all, .part = all, .threaded = false};
    // The share of one peer if all send to this rank at once. With one-sided transfers, half of it is for
    // messages.
    const std::size_t peers = std::max(1, setup_.size - 1);
    const std::size_t in_a_socket = ((setup_.one_sided ? 64 : 128) << 10) / peers;
    if (!ip_.empty())
      cut_ = {.piece = 32 << 10, .small = 512, .most = in_a_socket, .part = 32 << 10, .threaded = true};
    if (const auto text = setting(setup_.options, "piece"); !text.empty())
      cut_.piece = parse_bytes(text, "--mode portals:piece");
    cut_.small = std::min(cut_.small, cut_.piece);
    if (cut_.piece < 1 || cut_.piece > limits_.max_msg_size)
      throw UsageError(fmt::format("--mode portals:piece must be 1 to {} here", limits_.max_msg_size));
  }

  const Setup setup_;
  ptl_handle_ni_t ni_{};
  ptl_ni_limits_t limits_{};
  ptl_process_t id_{};
  ptl_pt_index_t table_{};
  Cut cut_{};
  std::optional<Shown> shown_;
  std::string ip_, device_;
  std::map<int, std::unique_ptr<Inbox>> inboxes_;  // by peer, until it connects
  std::vector<std::unique_ptr<Outbox>> outboxes_;  // not used by a link
};

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "portals",
    .summary = "puts and gets of Portals 4; interface=NAME, piece=SIZE",
    .why_unusable = [] { return tried_in_child(why_it_does_not_start, 10); },
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Portals>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<PortalsLink&>(link); },
    .one_sided_by = "Portals 4"};

}  // namespace everylink
