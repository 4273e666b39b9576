// A rank's part in a load pattern.
#include "rank/load_part.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"

#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds leave_limit = 5;
constexpr Seconds simulated_limit = 120;  // of real time, for work in virtual time

}  // namespace

LoadPart::LoadPart(const Work& work, Endpoint& endpoint, std::function<void()> abandon)
    : work_(work),
      plan_(work.options, work.introduction),
      endpoint_(endpoint),
      abandon_(std::move(abandon)) {}

void LoadPart::enter_scene(std::int64_t scene) {
  if (scene_ == scene) return;
  leave_scene();
  flows_.emplace(Flows::Work{.assigned = plan_.assigned(scene),
                             .layout = plan_.layout(scene),
                             .rank = work_.rank,
                             .duration = work_.options.duration,
                             .messages = plan_.messages(),
                             .request_load = plan_.request_load(),
                             .reply_timeout = plan_.reply_timeout(scene),
                             .check = work_.options.check,
                             .contents = contents_of(scene),
                             .crowded = work_.introduction.crowded[static_cast<std::size_t>(work_.rank)] != 0,
                             .entry = work_.entry,
                             .waits_in_turn = work_.waits_in_turn},
                 endpoint_.transport.get(), endpoint_.out.get(), endpoint_.in.get());
  scene_ = scene;
}

std::optional<std::uint64_t> LoadPart::contents_of(std::int64_t scene) const {
  if (!plan_.verifies_ends()) return {};
  return mix(static_cast<std::uint64_t>(scene));
}

int LoadPart::peer_in(const Connect& order) {
  enter_scene(order.scene);
  const int peer = flows_->peer_in(static_cast<int>(order.turn));
  return order.leaves_out(peer, work_.rank) ? no_rank : peer;
}

Seconds LoadPart::limit_of(const Connect&) const {
  return plan_.connect_limit() + leave_limit + (work_.entry.virtual_time ? simulated_limit : 0);
}

Seconds LoadPart::limit_of(const RunFlows& order) const {
  return plan_.flow_limit(order) + leave_limit + (work_.entry.virtual_time ? simulated_limit : 0);
}

Report LoadPart::connect(const Connect& order, std::uint64_t epoch, int peer, const Round& round,
                         const std::string& local_fault) {
  Report report;
  report.rank = work_.rank;
  if (peer != no_rank && !local_fault.empty()) {
    report.peer = peer;
    report.fault_of_link = local_fault;
    report.fault_is_local = true;
    flows_->leave_unconnected(static_cast<int>(order.turn));
  } else if (peer != no_rank && !is_among(round.gone, peer) && !round.from_peers.front().empty()) {
    report.peer = peer;
    const Seconds until =
        begin_link(work_.entry, *endpoint_.transport, round.from_peers.front()) + plan_.connect_limit();
    auto made = flows_->connect(static_cast<int>(order.turn), epoch, round.from_peers.front(), until);
    report.fault_of_link = std::move(made.fault);
    report.fault_is_local = made.is_local;
  }
  note_virtual_time(report);
  return report;
}

Report LoadPart::run(const RunFlows& order) {
  Report report;
  report.rank = work_.rank;
  enter_scene(order.scene);
  if (auto* time = endpoint_.transport ? virtual_time_of(work_.entry, *endpoint_.transport) : nullptr)
    time->advance_to(order.begins);
  report.flows = flows_->run(now() + plan_.flow_limit(order));
  report.fault_of_link = flows_->lacks();
  report.fault_is_local = !report.fault_of_link.empty();
  carried_ += flows_->carried();
  report.retransmits = flows_->retransmits();
  report.interrupted = end_is_wanted();
  report.abandoned = !leave_scene();
  note_virtual_time(report);
  return report;
}

Seconds LoadPart::now() const { return endpoint_.transport ? endpoint_.transport->now() : steady_now(); }

void LoadPart::note_virtual_time(Report& report) const {
  if (work_.entry.virtual_time && endpoint_.transport) report.now = endpoint_.transport->now();
}

bool LoadPart::leave_scene() {
  const bool clean = !flows_ || flows_->close(now() + leave_limit);
  flows_.reset();
  scene_ = -1;
  if (!clean) abandon_();
  return clean;
}

}  // namespace everylink
