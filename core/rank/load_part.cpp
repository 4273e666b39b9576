// A rank's part in a load pattern.
#include "rank/load_part.hpp"
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
                             .crowded = work_.introduction.crowded[static_cast<std::size_t>(work_.rank)] != 0,
                             .entry = work_.entry,
                             .waits_in_turn = work_.waits_in_turn},
                 *endpoint_.transport, *endpoint_.out, *endpoint_.in);
  scene_ = scene;
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

Report LoadPart::connect(const Connect& order, int peer, const Round& round, const std::string& local_fault) {
  Report report;
  report.rank = work_.rank;
  auto& transport = *endpoint_.transport;
  if (peer != no_rank && !local_fault.empty()) {
    report.peer = peer;
    report.fault_of_link = local_fault;
    report.fault_is_local = true;
    flows_->leave_unconnected(static_cast<int>(order.turn));
  } else if (peer != no_rank && !is_among(round.gone, peer) && !round.from_peer.empty()) {
    report.peer = peer;
    const Seconds until = begin_link(work_.entry, transport, round.from_peer) + plan_.connect_limit();
    auto made = flows_->connect(static_cast<int>(order.turn), round.number + 1, round.from_peer, until);
    report.fault_of_link = std::move(made.fault);
    report.fault_is_local = made.is_local;
  }
  if (work_.entry.virtual_time) report.now = transport.now();
  return report;
}

Report LoadPart::run(const RunFlows& order) {
  Report report;
  report.rank = work_.rank;
  enter_scene(order.scene);
  auto& transport = *endpoint_.transport;
  if (auto* time = virtual_time_of(work_.entry, transport)) time->advance_to(order.begins);
  report.flows = flows_->run(transport.now() + plan_.flow_limit(order));
  carried_ += flows_->carried();
  report.retransmits = flows_->retransmits();
  report.interrupted = end_is_wanted();
  report.abandoned = !leave_scene();
  if (work_.entry.virtual_time) report.now = endpoint_.transport->now();
  return report;
}

bool LoadPart::leave_scene() {
  const bool clean = !flows_ || flows_->close(endpoint_.transport->now() + leave_limit);
  flows_.reset();
  scene_ = -1;
  if (!clean) abandon_();
  return clean;
}

}  // namespace everylink
