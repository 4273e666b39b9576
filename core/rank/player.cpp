// A rank's part in a load pattern.
#include "rank/player.hpp"

#include "base/pack.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds leave_limit = 5;
constexpr Seconds made_up_limit = 120;  // of real time, for what takes none of the network's own

}  // namespace

Player::Player(const Work& work, Carrying& carrying, std::function<void()> bury)
    : work_(work), play_(work.options, work.introduction), carrying_(carrying), bury_(std::move(bury)) {}

int Player::peer_in(const Order& order) {
  if (scene_ != order.scene) {
    leave_scene();
    const bool crowded = work_.introduction.crowded[static_cast<std::size_t>(work_.rank)] != 0;
    flows_.emplace(Flows::Work{play_.staged(order.scene), play_.layout(order.scene), work_.rank,
                               work_.options.duration, play_.messages(), play_.asking(),
                               play_.patience(order.scene), work_.options.check, crowded, work_.reach},
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
         (work_.made_up ? made_up_limit : 0);
}

Report Player::play(const Order& order, int peer, const Round& round) {
  Report report;
  report.rank = work_.rank;
  auto& transport = *carrying_.transport;
  if (order.what == Order::What::flow) {
    if (work_.made_up) transport.begin(Packer().add(order.begins).take());
    report.flows = flows_->run(transport.now() + play_.flow_limit(order));
    report.interrupted = end_is_wanted();
    report.buried = !leave_scene();
  } else if (peer != no_rank && !is_among(round.gone, peer) && !round.from_peer.empty()) {
    report.peer = peer;
    const Seconds until = transport.begin(round.from_peer) + play_.connect_limit();
    report.fault_of_link =
        flows_->connect(static_cast<int>(order.turn), round.number + 1, round.from_peer, until);
  }
  if (work_.made_up) report.now = carrying_.transport->now();
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
