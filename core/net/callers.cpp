// Collects what strangers say at a listening socket.
#include "net/callers.hpp"

#include <sys/epoll.h>

#include <cerrno>

#include "base/errors.hpp"

namespace everylink {

Callers::Callers(Socket listener, std::size_t bytes, Greet greet)
    : listener_(std::move(listener)),
      bytes_(bytes),
      greet_(std::move(greet)),
      epoll_(check_errno(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
  listen_while_there_is_room();
}

void Callers::serve(const Heard& heard, const Dropped& dropped) {
  for (;;) {
    accept_all(dropped);
    epoll_event events[most + 1];
    const int n = ::epoll_wait(epoll_.fd(), events, most + 1, 0);
    bool moved = false;
    for (int i = 0; i < n; ++i) {
      const auto found = callers_.find(events[i].data.fd);
      if (found == callers_.end()) continue;
      moved = true;
      const bool goes_on = read(found->second, dropped);
      if (goes_on && found->second.said.size() < bytes_) continue;
      ::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, found->first, nullptr);
      Caller caller = std::move(found->second);
      callers_.erase(found);
      if (goes_on) heard(std::move(caller));
    }
    if (!moved) break;
  }
  // After reading: we may not have looked for long, and that is not the caller's fault.
  std::erase_if(callers_, [&, now = steady_now()](const auto& one) {
    if (now - one.second.since < patience) return false;
    dropped(one.second, "has not said who it is for 5 s");
    return true;
  });
  listen_while_there_is_room();
}

void Callers::accept_all(const Dropped& dropped) {
  while (callers_.size() < most) {
    Caller caller;
    caller.socket = accept_from(listener_);
    if (!caller.socket) {
      if (errno == EMFILE || errno == ENFILE) rests_until_ = steady_now() + 1;
      if (errno != ECONNABORTED) return;
      continue;
    }
    caller.address = peer_address(caller.socket);
    caller.since = steady_now();
    if (greet_) caller.greeting = greet_();
    if (!caller.greeting.empty() && ::send(caller.socket.fd(), caller.greeting.data(), caller.greeting.size(),
                                           MSG_NOSIGNAL) != static_cast<ssize_t>(caller.greeting.size())) {
      dropped(caller, "left at once");
      continue;
    }
    const int fd = caller.socket.fd();
    epoll_event event{EPOLLIN, {.fd = fd}};
    check_errno(::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    callers_[fd] = std::move(caller);
  }
}

bool Callers::read(Caller& caller, const Dropped& dropped) const {
  const std::size_t had = caller.said.size();
  caller.said.resize(bytes_);
  const ssize_t n = ::recv(caller.socket.fd(), caller.said.data() + had, bytes_ - had, 0);
  caller.said.resize(had + (n > 0 ? static_cast<std::size_t>(n) : 0));
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return true;
  dropped(caller, had == 0 ? "left without a word" : "left in the middle of its first words");
  return false;
}

void Callers::listen_while_there_is_room() {
  const bool room = callers_.size() < most && steady_now() >= rests_until_;
  if (room == listening_) return;
  epoll_event event{EPOLLIN, {.fd = listener_.fd()}};
  check_errno(::epoll_ctl(epoll_.fd(), room ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener_.fd(), &event),
              "epoll_ctl");
  listening_ = room;
}

}  // namespace everylink
