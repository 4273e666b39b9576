// A rank's part in a load pattern.
#include "rank/player.hpp"

#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds leave_limit = 5;
constexpr Seconds virtual_limit = 120;  // of real time, for what takes virtual time

}  // namespace

Player::Player(const Work& work, Carrying& carrying, std::function<void()> bury)
    : work_(work), play_(work.options, work.introduction), carrying_(carrying), bury_(std::move(bury)) {}

int Player::peer_in(const Order& order) {
  if (scene_ != order.scene) {
    leave_scene();
    const bool crowded = work_.introduction.crowded[static_cast<std::size_t>(work_.rank)] != 0;
    flows_.emplace(Flows::Work{.staged = play_.staged(order.scene),
                               .layout = play_.layout(order.scene),
                               .rank = work_.rank,
                               .duration = work_.options.duration,
                               .messages = play_.messages(),
                               .asking = play_.asking(),
                               .patience = play_.patience(order.scene),
                               .check = work_.options.check,
                               .crowded = crowded,
                               .entry = work_.entry,
                               .waits_in_turn = work_.waits_in_turn},
                   *carrying_.transport, *carrying_.out, *carrying_.in);
    scene_ = order.scene;
  }
  if (order.what != Order::What::connect) return no_rank;
  const int peer = flows_->peer_in(static_cast<int>(order.turn));
  return order.leaves_out(peer, work_.rank) ? no_rank : peer;
}

Seconds Player::limit_of(const Order& order) const {
  const bool connects = order.what == Order::What::connect;
  return (connects ? play_.connect_limit() : play_.flow_limit(order)) + leave_limit +
         (work_.entry.virtual_time ? virtual_limit : 0);
}

Report Player::play(const Order& order, int peer, const Round& round) {
  Report report;
  report.rank = work_.rank;
  auto& transport = *carrying_.transport;
  auto* virtual_time = virtual_time_of(work_.entry, transport);
  if (order.what == Order::What::flow) {
    if (virtual_time) virtual_time->advance_to(order.begins);
    report.flows = flows_->run(transport.now() + play_.flow_limit(order));
    report.interrupted = end_is_wanted();
    report.buried = !leave_scene();
  } else if (peer != no_rank && !is_among(round.gone, peer) && !round.from_peer.empty()) {
    report.peer = peer;
    const Seconds until = begin_link(work_.entry, transport, round.from_peer) + play_.connect_limit();
    report.fault_of_link =
        flows_->connect(static_cast<int>(order.turn), round.number + 1, round.from_peer, until);
  }
  if (virtual_time) report.now = carrying_.transport->now();
  return report;
}

bool Player::leave_scene() {
  const bool clean = !flows_ || flows_->close(carrying_.transport->now() + leave_limit);
  flows_.reset();
  scene_ = -1;
  if (!clean) bury_();
  return clean;
}

}  // namespace everylink
