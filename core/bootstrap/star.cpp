// Bootstrap over TCP, a star: one letter up and one letter down a round. Who did not hand in for a round is
// gone in it; who hands in again is back. Rank 0 alone decides, so all agree.
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/channel.hpp"
#include "errors.hpp"

namespace everylink {
namespace {

constexpr Seconds follower_grace = 60;  // followers wait longer than rank 0, so that rank 0 decides

struct Hello {
  char magic[8] = {'e', 'v', 'e', 'r', 'y', 'l', 'k', '1'};
  std::int32_t rank, size;
};

class Follower final : public Bootstrap {
 public:
  Follower(const Place& place, Seconds until) : rank_(place.rank), size_(place.size) {
    Socket socket;
    while (!socket) {  // rank 0 may start after us
      for (const auto& address : place.rendezvous)
        if (!socket) socket = connect_to(address, std::min(until, steady_now() + 5));
      if (!socket && steady_now() > until)
        throw MachineError(
            fmt::format("cannot reach rank 0 at {}: {}", place.rendezvous[0].text(), std::strerror(errno)));
      if (!socket) ::poll(nullptr, 0, 50);
    }
    send_at_once(socket);
    Hello hello;
    hello.rank = rank_;
    hello.size = size_;
    if (!send_all(socket, std::as_bytes(std::span(&hello, 1)), until))
      throw MachineError("rank 0 closed the connection at once");
    channel_ = Channel(std::move(socket));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::optional<Round> round(View to_rank_0, int peer, View to_peer, Seconds limit, const Decide&) override {
    const Seconds until = steady_now() + 2 * limit + follower_grace;
    channel_.send(number_, to_rank_0, {}, to_peer, peer);
    while (channel_.open()) {
      if (auto letter = channel_.next()) {
        number_ = letter->round + 1;  // we may have slept for many rounds
        Round round{letter->round, std::move(letter->body),
                    std::vector<int>(letter->gone.size() / sizeof(int)), std::move(letter->to_peer)};
        if (!round.gone.empty())
          std::memcpy(round.gone.data(), letter->gone.data(), round.gone.size() * sizeof(int));
        return round;
      }
      if (!channel_.open() || steady_now() > until) return {};
      channel_.flush();
      pollfd one{channel_.fd(), static_cast<short>(channel_.has_to_send() ? POLLIN | POLLOUT : POLLIN), 0};
      ::poll(&one, 1, 1000);
    }
    return {};
  }

 private:
  int rank_, size_;
  std::uint64_t number_ = 0;
  Channel channel_;
};

class Leader final : public Bootstrap {
 public:
  Leader(Place& place, Seconds until)
      : size_(place.size),
        channels_(static_cast<std::size_t>(place.size)),
        states_(channels_.size()),
        epoll_(check_errno(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
    struct Caller {
      Socket socket;
      Hello hello;
      std::size_t got;
    };
    std::vector<Caller> callers;
    int joined = 1;
    while (joined < size_) {
      if (steady_now() > until) throw MachineError("not all ranks have joined; missing: " + missing());
      std::vector<pollfd> polled{{place.listener.fd(), POLLIN, 0}};
      for (const auto& caller : callers) polled.push_back({caller.socket.fd(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), 1000);
      for (auto& caller : callers) {
        const auto room = std::as_writable_bytes(std::span(&caller.hello, 1)).subspan(caller.got);
        const ssize_t n = ::recv(caller.socket.fd(), room.data(), room.size(), 0);
        if (n < 0 && errno == EAGAIN) continue;
        caller.got += n > 0 ? static_cast<std::size_t>(n) : 0;
        if (n > 0 && caller.got < sizeof(Hello)) continue;
        joined += n > 0 && admit(caller.hello, caller.socket);
        caller.socket = Socket();
      }
      while (Socket socket = accept_from(place.listener)) callers.push_back({std::move(socket), {}, 0});
      std::erase_if(callers, [](const Caller& caller) { return !caller.socket; });
    }
    place.listener = Socket();
  }

  int rank() const override { return 0; }
  int size() const override { return size_; }

  std::optional<Round> round(View to_rank_0, int peer, View to_peer, Seconds limit,
                             const Decide& decide) override {
    const Seconds until = steady_now() + limit;
    handed_.push_back({0, Blob(to_rank_0.begin(), to_rank_0.end())});
    states_[0].hand_in(number_, peer, Blob(to_peer.begin(), to_peer.end()));
    while (somebody_is_due()) {
      const Seconds left = until - steady_now();
      if (left <= 0) break;
      epoll_event events[256];
      const int n =
          ::epoll_wait(epoll_.fd(), events, 256, static_cast<int>(std::ceil(std::min(left, 3600.0) * 1000)));
      if (n < 0 && errno != EINTR) throw_errno("epoll_wait");
      for (int i = 0; i < n; ++i) take_from(static_cast<int>(events[i].data.u32));
    }
    return answer(peer, decide);
  }

 private:
  // What a rank handed in last, and whether rank 0 still waits for it.
  struct State {
    std::uint64_t round = ~std::uint64_t{0};
    int peer = no_rank;
    Blob to_peer;
    bool gone = false;
    void hand_in(std::uint64_t number, int with, Blob bytes) {
      round = number;
      peer = with;
      to_peer = std::move(bytes);
    }
  };

  bool admit(const Hello& hello, Socket& socket) {
    const Hello ours{};
    if (std::memcmp(hello.magic, ours.magic, sizeof ours.magic) != 0) return false;
    const auto rank = static_cast<std::size_t>(hello.rank);
    if (hello.size != size_ || hello.rank < 1 || hello.rank >= size_ || channels_[rank].open()) {
      fmt::print(stderr, "everylink-measure: refused a process that says it is rank {} of {}\n", hello.rank,
                 hello.size);
      return false;
    }
    send_at_once(socket);
    epoll_event event{EPOLLIN | EPOLLOUT | EPOLLET, {.u32 = static_cast<std::uint32_t>(hello.rank)}};
    check_errno(::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, socket.fd(), &event), "epoll_ctl");
    channels_[rank] = Channel(std::move(socket));
    return true;
  }

  std::string missing() const {
    std::string text;
    int more = 0;
    for (std::size_t rank = 1; rank < channels_.size(); ++rank)
      if (!channels_[rank].open() && ++more <= 10)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
    return more > 10 ? fmt::format("{} and {} more", text, more - 10) : text;
  }

  bool somebody_is_due() {
    while (due_ < channels_.size() && !is_due(due_)) ++due_;
    return due_ < channels_.size();
  }
  bool is_due(std::size_t rank) const {
    return rank > 0 && channels_[rank].open() && !states_[rank].gone && states_[rank].round != number_;
  }

  // Old or new, measured is measured; a late one is told where we are.
  void take_from(int rank) {
    auto& channel = channels_[static_cast<std::size_t>(rank)];
    channel.flush();
    while (auto letter = channel.next()) {
      handed_.push_back({rank, std::move(letter->body)});
      auto& state = states_[static_cast<std::size_t>(rank)];
      if (std::exchange(state.gone, false)) due_ = 0;  // it is back, and waited for again
      if (letter->round == number_)
        state.hand_in(number_, letter->peer, std::move(letter->to_peer));
      else if (number_ > 0)
        channel.send(number_ - 1, last_word_, std::as_bytes(std::span(last_gone_)), {}, no_rank);
    }
  }

  Round answer(int peer, const Decide& decide) {
    Round ours{number_, {}, {}, {}};
    for (std::size_t rank = 0; rank < states_.size(); ++rank) {
      states_[rank].gone = states_[rank].round != number_;
      if (states_[rank].gone) ours.gone.push_back(static_cast<int>(rank));
    }
    last_gone_ = ours.gone;
    const auto handed = std::exchange(handed_, {});
    ours.word = last_word_ = decide(handed, ours.gone);
    const View gone = std::as_bytes(std::span(ours.gone));
    for (std::size_t rank = 1; rank < states_.size(); ++rank)
      if (!states_[rank].gone)
        channels_[rank].send(number_, last_word_, gone, for_rank(static_cast<int>(rank), states_[rank].peer),
                             no_rank);
    const View mine = for_rank(0, peer);
    ours.from_peer.assign(mine.begin(), mine.end());
    ++number_;
    due_ = 0;
    return ours;
  }

  // What the peer handed in for this rank, if it means this rank too.
  View for_rank(int rank, int peer) const {
    if (peer < 0 || peer >= size_) return {};
    const auto& state = states_[static_cast<std::size_t>(peer)];
    return !state.gone && state.peer == rank ? View(state.to_peer) : View();
  }

  int size_;
  std::uint64_t number_ = 0;
  std::vector<Channel> channels_;
  std::vector<State> states_;
  Socket epoll_;
  std::vector<Handed> handed_;
  Blob last_word_;
  std::vector<int> last_gone_;
  std::size_t due_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> join_star(Place& place, Seconds limit) {
  const Seconds until = steady_now() + limit;
  if (place.rank == 0) return std::make_unique<Leader>(place, until);
  return std::make_unique<Follower>(place, until);
}

}  // namespace everylink
