// TCP through the kernel.
#include "net/tcp_network.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/errors.hpp"
#include "net/interfaces.hpp"

namespace everylink {
namespace {

class TcpStream final : public ByteStream {
 public:
  explicit TcpStream(Socket socket, int failure = 0) : socket_(std::move(socket)), failure_(failure) {}

  int handle() const override { return socket_.fd(); }
  int connect_result() override { return socket_ ? everylink::connect_result(socket_) : failure_; }

  Transfer send(View bytes) override {
    for (;;) {
      const ssize_t n = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n >= 0) return {static_cast<std::size_t>(n)};
      if (errno == EAGAIN || lacks_memory()) return {};
      if (errno != EINTR) return {0, errno == EPIPE ? State::ended : State::broken};
    }
  }

  Transfer receive(std::span<std::byte> bytes) override {
    for (int tries = 1;; ++tries) {
      const ssize_t n = ::recv(socket_.fd(), bytes.data(), bytes.size(), 0);
      if (n > 0) return {static_cast<std::size_t>(n)};
      if (n == 0 || errno == EPIPE) return {0, State::ended};  // EPIPE: a reset after an orderly end
      if (errno == EAGAIN) return {};
      if (errno != EINTR && (!lacks_memory() || tries == most_tries)) return {0, State::broken};
    }
  }

  bool is_dark() const override { return everylink::is_dark(socket_); }
  void reset() override { everylink::reset(socket_); }
  Address peer() const override { return peer_address(socket_); }
  bool is_of_this_user() const override { return peer_is_of_this_user(socket_); }
  Socket take() { return std::move(socket_); }

 private:
  static constexpr int most_tries = 4;  // nothing would tell us again of what has arrived
  static bool lacks_memory() { return errno == ENOBUFS || errno == ENOMEM; }

  Socket socket_;
  int failure_;  // why there is no socket
};

class TcpListener final : public Listener {
 public:
  TcpListener(Socket socket, bool watches) : socket_(std::move(socket)), watches_(watches) {}

  int handle() const override { return socket_.fd(); }

  Accepted accept() override {
    for (;;) {
      Socket socket = accept_from(socket_);
      if (socket) {
        if (watches_) watch(socket);
        return {std::make_unique<TcpStream>(std::move(socket))};
      }
      if (errno != ECONNABORTED) return {nullptr, local_cause(errno).empty() ? 0 : errno};
    }
  }

  std::vector<Address> addresses() const override {
    const Address bound = local_address(socket_);
    if (!bound.is_any()) return {bound};
    std::vector<Address> far, near;
    for (const auto& one : interfaces())
      if (one.address.family() == bound.family() || bound.family() == AF_INET6)
        (one.is_loopback ? near : far).push_back(one.address.with_port(bound.port()));
    return far.empty() ? near : far;
  }

 private:
  Socket socket_;
  bool watches_;
};

class Epoll final : public ReadySet {
 public:
  int handle() const override { return epoll_.fd(); }

  void add(const Source& source, std::uint64_t key) override {
    epoll_event event{EPOLLIN | EPOLLOUT | EPOLLET, {.u64 = key}};
    check_errno(::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, source.handle(), &event), "epoll_ctl");
  }

  void remove(const Source& source) override {
    check_errno(::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, source.handle(), nullptr), "epoll_ctl");
  }

  std::size_t take(std::span<std::uint64_t> keys) override {
    constexpr std::size_t most = 256;
    epoll_event events[most];
    const int n = ::epoll_wait(epoll_.fd(), events, static_cast<int>(std::min(most, keys.size())), 0);
    for (int i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = events[i].data.u64;
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

 private:
  Socket epoll_{check_errno(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
};

class TcpNetwork final : public Network {
 public:
  std::unique_ptr<ByteStream> connect(const Address& address) override {
    Socket socket = start_connecting(address);
    if (!socket) return std::make_unique<TcpStream>(Socket(), errno);
    watch(socket);
    return std::make_unique<TcpStream>(std::move(socket));
  }

  std::unique_ptr<Listener> listen(const Address& address, int backlog) override {
    return std::make_unique<TcpListener>(listen_on(address, backlog), true);
  }

  std::unique_ptr<ReadySet> ready_set() override { return std::make_unique<Epoll>(); }

  bool wait(std::span<const Watched> all, Seconds longest) override {
    std::vector<pollfd> polled;
    polled.reserve(all.size());
    for (const auto& one : all)
      polled.push_back({.fd = one.source->handle(),
                        .events = static_cast<short>((one.arrival ? POLLIN : 0) | (one.room ? POLLOUT : 0)),
                        .revents = 0});
    const int ready =
        ::poll(polled.data(), polled.size(), static_cast<int>(std::ceil(std::max(longest, 0.0) * 1000)));
    if (ready < 0 && errno != EINTR) throw_errno("poll");
    return ready != 0;
  }
};

}  // namespace

Network& tcp_network() {
  static TcpNetwork network;
  return network;
}

std::unique_ptr<Listener> listener_on(Socket socket) {
  return std::make_unique<TcpListener>(std::move(socket), false);
}

std::unique_ptr<ByteStream> stream_on(Socket socket) {
  return std::make_unique<TcpStream>(std::move(socket));
}

Socket socket_of(std::unique_ptr<ByteStream> connection) {
  return static_cast<TcpStream&>(*connection).take();
}

}  // namespace everylink
