// One rank's part in a scene.
#include "load/flows.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "host/signals.hpp"
#include "load/flow_driver.hpp"
#include "load/requests.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

constexpr std::size_t note_room = 64;
constexpr Seconds close_limit = 1;
constexpr std::size_t most_memory = std::size_t{256} << 20;

}  // namespace

int usual_window(std::size_t bytes) {
  constexpr std::size_t block = 1 << 20, most = 16;
  return static_cast<int>(std::clamp<std::size_t>(block / std::max<std::size_t>(bytes, 1), 1, most));
}

FlowLayout FlowLayout::of(std::size_t bytes, std::size_t ping_bytes, int window, int degree) {
  FlowLayout layout{.bytes = bytes,
                    .ping_bytes = ping_bytes,
                    .window = window,
                    .lanes = 2 * degree,  // each end of a flow may be busy with `degree` - 1 other flows
                    .buffers = 1};
  layout.buffers = static_cast<int>(
      std::clamp<std::size_t>(most_memory / layout.buffer_bytes(), 1, static_cast<std::size_t>(degree)));
  return layout;
}

void FlowLayout::add_spare(int places) {
  spare = static_cast<int>(std::min(static_cast<std::size_t>(places), most_memory / stride()));
}

std::size_t FlowLayout::buffer_bytes() const { return 2 * static_cast<std::size_t>(window) * stride(); }
std::size_t FlowLayout::notes_bytes() const { return static_cast<std::size_t>(lanes) * 2 * note_room; }

Slice FlowLayout::note(int lane, std::uint64_t block) const {
  return {(static_cast<std::size_t>(lane) * 2 + block % 2) * note_room, note_bytes};
}

Slice FlowLayout::ping(int lane, std::uint64_t lap) const {
  return ping_bytes > note_bytes ? Slice{slot(lane, lap, 0).offset, ping_bytes} : note(lane, lap);
}

Slice FlowLayout::numbered(int lane, std::uint64_t number) const {
  return {notes_bytes() + static_cast<std::size_t>(lane % buffers) * buffer_bytes() + number * stride(),
          bytes};
}

Slice FlowLayout::slot(int lane, std::uint64_t block, int message) const {
  return numbered(lane,
                  (block % 2) * static_cast<std::uint64_t>(window) + static_cast<std::uint64_t>(message));
}

Slice FlowLayout::client_slice(int lane, std::uint64_t request) const {
  return numbered(lane, request % (2 * static_cast<std::uint64_t>(window)));
}

// Uses all buffers, one after the other.
Slice FlowLayout::server_slice(int place) const { return numbered(0, static_cast<std::uint64_t>(place)); }

Flows::Flows(Work work, Transport* transport, Memory* out, Memory* in)
    : work_(std::move(work)),
      transport_(transport),
      out_(out),
      in_(in),
      queues_(std::make_unique<RequestQueues>()) {
  queues_->most_in_flight = static_cast<int>(work_.assigned.scene.point);
  for (int place = 0; place < std::min(work_.request_load.slots, work_.layout.places()); ++place)
    queues_->free_places.push_back(place);
  for (int i = 0; i < work_.layout.spare; ++i) queues_->spare_places.push_back(work_.layout.places() + i);
}
Flows::~Flows() = default;

int Flows::peer_in(int turn) const {
  const auto& flows = work_.assigned.scene.flows;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (work_.assigned.turn[i] != turn) continue;
    if (flows[i].from == work_.rank) return flows[i].to;
    if (flows[i].to == work_.rank) return flows[i].from;
  }
  return no_rank;
}

// Posts the first receives before both ends meet.
Connection Flows::connect(int turn, std::uint64_t epoch, View peer_offer, Seconds until) {
  const auto& flows = work_.assigned.scene.flows;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (work_.assigned.turn[i] != turn || (flows[i].from != work_.rank && flows[i].to != work_.rank))
      continue;
    const bool sends = flows[i].from == work_.rank;
    auto made =
        connect_or_explain(*transport_, sends ? flows[i].to : flows[i].from, epoch, peer_offer, until);
    if (!made.link) {
      const bool late = transport_->now() >= until;
      note_unconnected(i, made.is_local ? Outcome::local : late ? Outcome::timeout : Outcome::broken);
      return made;
    }
    const FlowDriver::Context context{.flow = static_cast<std::uint32_t>(i),
                                      .sends = sends,
                                      .lane = work_.assigned.lane[i],
                                      .turn = turn,
                                      .layout = work_.layout,
                                      .duration = work_.duration,
                                      .messages = work_.messages,
                                      .transport = *transport_,
                                      .virtual_time = virtual_time_of(work_.entry, *transport_),
                                      .waits_in_turn = work_.waits_in_turn,
                                      .out = *out_,
                                      .in = *in_,
                                      .contents = work_.contents};
    const auto receivers =
        std::find_if(drivers_.begin(), drivers_.end(), [](const auto& d) { return !d->sends(); });
    const auto& flow = flows[i];
    const RequestContext requests{.request_load = work_.request_load,
                                  .kind = flow.kind,
                                  .reply_timeout = work_.reply_timeout,
                                  .check = work_.check,
                                  .queues = *queues_,
                                  .one_sided = work_.entry.one_sided};
    auto& driver = **drivers_.insert(
        sends ? receivers : drivers_.end(),
        !flow.carries_requests()
            ? make_driver(context, std::move(made.link), flow.kind)
            : make_request_driver(context, requests, std::move(made.link), flow.client() == work_.rank));
    const auto fault = local_fault_of([&] {
      if (work_.contents) driver.write_ends();
      driver.prepare();
      if (const auto met = driver.link().meet(until); met != Outcome::ok) driver.end(met);
    });
    if (fault) driver.end(Outcome::local);
    if (!driver.is_ok()) give_up(driver);
    return {.link = nullptr, .fault = fault ? fault->cause : "", .is_local = fault.has_value()};
  }
  return {};
}

void Flows::leave_unconnected(int turn) {
  const auto& flows = work_.assigned.scene.flows;
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (work_.assigned.turn[i] == turn && (flows[i].from == work_.rank || flows[i].to == work_.rank))
      note_unconnected(i, Outcome::local);
}

void Flows::note_unconnected(std::size_t flow, Outcome outcome) {
  unconnected_.push_back({.flow = static_cast<std::uint32_t>(flow),
                          .sends = work_.assigned.scene.flows[flow].from == work_.rank,
                          .outcome = outcome,
                          .times = {}});
}

std::vector<FlowDriver*> Flows::in_order_of_turns() const {
  std::vector<FlowDriver*> all;
  for (const auto& driver : drivers_) all.push_back(driver.get());
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->turn() < b->turn(); });
  return all;
}

std::vector<FlowEnd> Flows::run(Seconds until) {
  const auto fault = local_fault_of([&] {
    drive(until);
    if (work_.contents) verify();
  });
  if (fault) lacks_ = fault->cause;
  std::vector<FlowEnd> ends = unconnected_;
  for (const auto& driver : drivers_) {
    if (fault || driver->is_open()) driver->end(fault ? Outcome::local : Outcome::timeout);
    ends.push_back(driver->result());
    count(*driver);
  }
  return ends;
}

void Flows::drive(Seconds until) {
  for (const auto& driver : drivers_)
    if (driver->is_open()) driver->begin(until);
  Waiter waiter(work_.crowded);
  for (auto wait = waiter.until(until);;) {
    bool open = false, moved = false;
    for (const auto& driver : drivers_) {
      if (driver->is_open()) moved |= driver->step();
      open |= driver->is_open();
    }
    if (!open) break;
    if (work_.waits_in_turn ? end_is_wanted() : wait.is_over([&] { return transport_->now(); })) break;
    if (moved)
      wait.moved();
    else
      wait.nothing_moved();
  }
}

// Once all flows of this rank have ended, so that none is held up.
void Flows::verify() {
  for (const auto& driver : drivers_)
    if (!driver->is_open() && driver->is_ok()) driver->verify_ends();
}

void Flows::count(const FlowDriver& driver) {
  const Carried carried = driver.carried();
  carried_ += carried;
  if (!work_.entry.retransmits) return;
  const auto& flow = work_.assigned.scene.flows[driver.flow()];
  if (const auto segments = work_.entry.retransmits(driver.link()); segments > 0)
    retransmits_.push_back(
        {.to = flow.from == work_.rank ? flow.to : flow.from, .segments = segments, .bytes = carried.sent});
}

// Closes the link at once, so that the peer stops waiting.
void Flows::give_up(FlowDriver& driver) {
  unconnected_.push_back(driver.result());
  count(driver);
  shut(driver);
  std::erase_if(drivers_, [&](const auto& one) { return one.get() == &driver; });
}

void Flows::shut(FlowDriver& driver) {
  if (closed(driver) == Outcome::ok) return;
  driver.abandon();
  is_clean_ = false;
}

// A GPU that fails may hold our buffers.
Outcome Flows::closed(FlowDriver& driver) {
  auto outcome = Outcome::local;
  static_cast<void>(local_fault_of([&] { outcome = driver.link().close(transport_->now() + close_limit); }));
  return outcome;
}

// Closes links of flows that ended early first. On the others both ends meet once more: the peer may still
// wait for a message, and closing our end would break its link.
bool Flows::close(Seconds until) {
  for (const auto& driver : drivers_)
    if (!driver->is_whole()) shut(*driver);
  std::erase_if(drivers_, [](const auto& driver) { return !driver->is_whole(); });
  static_cast<void>(local_fault_of([&] {
    for (auto* driver : in_order_of_turns()) static_cast<void>(driver->link().meet(until));
  }));
  for (const auto& driver : drivers_) shut(*driver);
  drivers_.clear();
  return is_clean_;
}

}  // namespace everylink
