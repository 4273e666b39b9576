// The ranks below this one in the tree.
#include "bootstrap/branches.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace everylink {

Branches::Branches(Network& network, Clock& clock, int size)
    : network_(network), clock_(clock), ways_(static_cast<std::size_t>(size), no_rank) {}

void Branches::add(int rank, Channel channel) {
  if (!ready_) ready_ = network_.ready_set();
  ready_->add(channel.connection(), static_cast<std::uint64_t>(rank));
  const bool knows_way = way_to(rank) != rank && reaches(rank);  // until a message of this rank arrives here
  channels_[rank].close();                                       // its earlier connection
  channels_[rank] = std::move(channel);
  if (!knows_way) reached_through(rank, rank);
}

void Branches::serve(const Take& take, const Ended& ended) {
  if (const Seconds now = clock_.now(); now - looked_ > 1) {
    looked_ = now;
    for (auto& [rank, channel] : channels_) channel.close_if_dark();
    std::erase_if(channels_, [](const auto& one) { return !one.second.open(); });
  }
  std::uint64_t ready[256];
  const std::size_t n = ready_ ? ready_->take(ready) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int rank = static_cast<int>(ready[i]);
    const auto found = channels_.find(rank);
    if (found == channels_.end()) continue;
    Channel& channel = found->second;
    channel.flush();
    try {
      while (auto frame = channel.next()) take(rank, std::move(*frame));
    } catch (const MachineError&) {
      channel.close();
    }
    if (channel.open()) continue;
    const bool has_ended = channel.ended() && ways_[static_cast<std::size_t>(rank)] == rank;
    channels_.erase(rank);
    if (has_ended) ended(rank);
  }
}

void Branches::send(View common, const std::vector<Answer::For>& all) {
  std::map<int, std::vector<Answer::For>> parts;
  for (const auto& one : all) parts[ways_[static_cast<std::size_t>(one.rank)]].push_back(one);
  const std::uint64_t bytes = common.size();
  for (const auto& [branch, part] : parts) {
    const auto found = channels_.find(branch);
    if (found == channels_.end()) continue;
    const Blob list = Answer::packed(part);
    found->second.send(Channel::Kind::answer, {bytes_of(bytes), common, list});
  }
}

void Branches::drain(Seconds until, Seconds patience) noexcept {
  try {
    for (;;) {
      std::vector<Watched> watched;
      for (auto& [rank, channel] : channels_) {
        channel.flush();
        if (channel.open() && channel.has_to_send())
          watched.push_back({.source = &channel.connection(), .arrival = false, .room = true});
      }
      const Seconds left = std::min(until - clock_.now(), patience);
      if (watched.empty() || left <= 0 || !network_.wait(watched, left)) return;
    }
  } catch (const MachineError&) {  // nothing can be waited for: whoever misses a message asks again
  }
}

}  // namespace everylink
