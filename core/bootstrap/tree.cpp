// The place of each rank in the tree.
#include "bootstrap/tree.hpp"

#include <algorithm>

namespace everylink {
namespace {

constexpr std::size_t fan_out = 32, most_relays = 4;

}  // namespace

Tree::Tree(int size, const Mac& own_host, int above) : is_star_(size <= above), own_host_(own_host) {
  leaders_.push_back({0, {}});
}

Reply Tree::place(const Hello& hello) {
  if (hello.host == own_host_) return welcome(hello, false);
  const auto addresses = hello.listens.whole();
  const auto known = leader_of_.find(hello.host);
  if (addresses.empty()) return welcome(hello, false);  // no rank could be redirected there
  if (known == leader_of_.end()) {
    const std::size_t number = leaders_.size();
    leader_of_[hello.host] = number;
    leaders_.push_back({hello.rank, addresses});
    const Relay& above = leaders_[(number - 1) / fan_out];
    const bool direct = is_star_ || above.rank == 0 || hello.lost == above.rank || hello.has_children;
    return direct ? welcome(hello, true) : redirect_to(above, true);
  }
  Relay& leader = leaders_[known->second];
  if (is_star_ || hello.has_children || leader.rank == hello.rank)
    return welcome(hello, leader.rank == hello.rank);
  if (leader.rank != hello.lost) return redirect_to(leader, false);
  leader = {hello.rank, addresses};  // the leader of its host is gone: it takes over
  return welcome(hello, true);
}

int Tree::levels() const {
  if (is_star_) return 1;
  int levels = 1;
  for (std::size_t leader = leaders_.size() - 1; leader > 0; leader = (leader - 1) / fan_out) ++levels;
  return levels;
}

Reply Tree::welcome(const Hello& hello, bool leads) {
  Reply reply;
  reply.decision = Decision::welcome;
  reply.rank = 0;
  const bool is_relay =
      std::any_of(relays_.begin(), relays_.end(), [&](const Relay& one) { return one.rank == hello.rank; });
  const bool relays = leads && !is_relay && relays_.size() < most_relays;
  if (relays) relays_.push_back({hello.rank, hello.listens.whole()});
  reply.keep_listening = is_relay || relays || (leads && !is_star_);
  return reply;
}

Reply Tree::redirect_to(const Relay& leader, bool leads) const {
  Reply reply;
  reply.decision = Decision::redirected;
  reply.rank = leader.rank;
  reply.keep_listening = leads;
  reply.there = AddressList::of(leader.addresses);
  return reply;
}

}  // namespace everylink
