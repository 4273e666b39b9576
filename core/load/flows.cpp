// One rank's part in a scene.
#include "load/flows.hpp"

#include <algorithm>

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
  FlowLayout layout{bytes, ping_bytes, window, 2 * degree,
                    1};  // two flows are in each other's way at either end
  layout.buffers = static_cast<int>(
      std::clamp<std::size_t>(most_memory / layout.buffer_bytes(), 1, static_cast<std::size_t>(degree)));
  return layout;
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

Slice FlowLayout::asked(int lane, std::uint64_t request) const {
  return numbered(lane, request % (2 * static_cast<std::uint64_t>(window)));
}

// All buffers, one behind the other.
Slice FlowLayout::served(int place) const { return numbered(0, static_cast<std::uint64_t>(place)); }

Flows::Flows(Work work, Transport& transport, Memory& out, Memory& in)
    : work_(std::move(work)), transport_(transport), out_(out), in_(in), desk_(std::make_unique<Desk>()) {
  desk_->most_in_flight = static_cast<int>(work_.staged.scene.point);
  for (int place = 0; place < std::min(work_.asking.slots, work_.layout.places()); ++place)
    desk_->places.push_back(place);
}
Flows::~Flows() = default;

int Flows::peer_in(int turn) const {
  const auto& flows = work_.staged.scene.flows;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (work_.staged.turn[i] != turn) continue;
    if (flows[i].from == work_.rank) return flows[i].to;
    if (flows[i].to == work_.rank) return flows[i].from;
  }
  return no_rank;
}

// Its first receives stand ready when both ends have met.
std::string Flows::connect(int turn, std::uint64_t epoch, View peer_offer, Seconds until) {
  const auto& flows = work_.staged.scene.flows;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (work_.staged.turn[i] != turn || (flows[i].from != work_.rank && flows[i].to != work_.rank)) continue;
    const bool sends = flows[i].from == work_.rank;
    auto [link, fault] = transport_.connect(sends ? flows[i].to : flows[i].from, epoch, peer_offer, until);
    if (!link) {
      const bool late = transport_.now() >= until;
      unconnected_.push_back(
          {static_cast<std::uint32_t>(i), sends, late ? Outcome::timeout : Outcome::broken, 0, 0, {}});
      return fault;
    }
    const FlowDriver::Context context{.flow = static_cast<std::uint32_t>(i),
                                      .sends = sends,
                                      .lane = work_.staged.lane[i],
                                      .turn = turn,
                                      .layout = work_.layout,
                                      .duration = work_.duration,
                                      .messages = work_.messages,
                                      .transport = transport_,
                                      .virtual_time = virtual_time_of(work_.entry, transport_),
                                      .waits_in_turn = work_.waits_in_turn,
                                      .out = out_,
                                      .in = in_};
    const auto receivers =
        std::find_if(drivers_.begin(), drivers_.end(), [](const auto& d) { return !d->sends(); });
    const auto& flow = flows[i];
    const AskedContext asked{.asking = work_.asking,
                             .kind = flow.kind,
                             .patience = work_.patience,
                             .check = work_.check,
                             .desk = *desk_,
                             .one_sided = work_.entry.one_sided};
    auto& driver = **drivers_.insert(sends ? receivers : drivers_.end(),
                                     !flow.is_asked_for() ? make_driver(context, std::move(link), flow.kind)
                                                          : make_asked_driver(context, asked, std::move(link),
                                                                              flow.client() == work_.rank));
    driver.prepare();
    if (const auto met = driver.link().meet(until); met != Outcome::ok) driver.end(met);
    if (!driver.is_well()) give_up(driver);
    break;
  }
  return {};
}

std::vector<FlowDriver*> Flows::in_order_of_turns() const {
  std::vector<FlowDriver*> all;
  for (const auto& driver : drivers_) all.push_back(driver.get());
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->turn() < b->turn(); });
  return all;
}

std::vector<FlowEnd> Flows::run(Seconds until) {
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
    if (work_.waits_in_turn ? end_is_wanted() : wait.is_over([&] { return transport_.now(); })) break;
    if (moved)
      wait.moved();
    else
      wait.nothing_moved();
  }
  std::vector<FlowEnd> ends = unconnected_;
  for (const auto& driver : drivers_) {
    if (driver->is_open()) driver->end(Outcome::timeout);
    ends.push_back(driver->seen());
  }
  return ends;
}

// Closed at once, so that the peer does not wait for us.
void Flows::give_up(FlowDriver& driver) {
  unconnected_.push_back(driver.seen());
  shut(driver);
  std::erase_if(drivers_, [&](const auto& one) { return one.get() == &driver; });
}

void Flows::shut(FlowDriver& driver) {
  if (driver.link().close(transport_.now() + close_limit) == Outcome::ok) return;
  driver.bury();
  is_clean_ = false;
}

// First what failed, then the others, whose ends meet once more: what the peer still waits for must not end
// with our link.
bool Flows::close(Seconds until) {
  for (const auto& driver : drivers_)
    if (!driver->is_well()) shut(*driver);
  std::erase_if(drivers_, [](const auto& driver) { return !driver->is_well(); });
  for (auto* driver : in_order_of_turns()) static_cast<void>(driver->link().meet(until));
  for (const auto& driver : drivers_) shut(*driver);
  drivers_.clear();
  return is_clean_;
}

}  // namespace everylink
