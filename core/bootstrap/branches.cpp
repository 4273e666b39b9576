// Those below us in the tree.
#include "bootstrap/branches.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>

#include "base/errors.hpp"

namespace everylink {

Branches::Branches(int size)
    : epoll_(check_errno(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      ways_(static_cast<std::size_t>(size), no_rank) {}

void Branches::add(int rank, Socket socket) {
  watch(socket);
  epoll_event event{EPOLLIN | EPOLLOUT | EPOLLET, {.u32 = static_cast<std::uint32_t>(rank)}};
  check_errno(::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, socket.fd(), &event), "epoll_ctl");
  const bool knows_way = way_to(rank) != rank && reaches(rank);  // until a letter of it comes here
  channels_[rank].close();                                       // the one by which it came before
  channels_[rank] = Channel(std::move(socket));
  if (!knows_way) reached_through(rank, rank);
}

void Branches::serve(const Take& take, const Ended& ended) {
  if (const Seconds now = steady_now(); now - looked_ > 1) {
    looked_ = now;
    for (auto& [rank, channel] : channels_) channel.close_if_dark();
    std::erase_if(channels_, [](const auto& one) { return !one.second.open(); });
  }
  epoll_event events[256];
  const int n = ::epoll_wait(epoll_.fd(), events, 256, 0);
  for (int i = 0; i < n; ++i) {
    const int rank = static_cast<int>(events[i].data.u32);
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
    found->second.send(Channel::Kind::answer, {std::as_bytes(std::span(&bytes, 1)), common, list});
  }
}

void Branches::drain(Seconds until, Seconds patience) {
  for (;;) {
    std::vector<pollfd> polled;
    for (auto& [rank, channel] : channels_) {
      channel.flush();
      if (channel.open() && channel.has_to_send()) polled.push_back({channel.fd(), POLLOUT, 0});
    }
    const Seconds left = std::min(until - steady_now(), patience);
    if (polled.empty() || left <= 0) return;
    if (::poll(polled.data(), polled.size(), static_cast<int>(left * 1000) + 1) == 0) return;
  }
}

}  // namespace everylink
