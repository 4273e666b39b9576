// One end of a control connection.
#include "bootstrap/channel.hpp"

#include <cerrno>
#include <cstring>

namespace everylink {
namespace {

constexpr std::size_t longest = std::size_t{256} << 20;  // of a letter; what claims more is not ours

}  // namespace

void Channel::send(std::uint64_t round, View body, View gone, View to_peer, int peer) {
  if (!open()) return;
  const Head head{round, static_cast<std::uint32_t>(body.size()), static_cast<std::uint32_t>(gone.size()),
                  static_cast<std::uint32_t>(to_peer.size()), peer};
  for (const View part : {View(std::as_bytes(std::span(&head, 1))), body, gone, to_peer})
    outbox_.insert(outbox_.end(), part.begin(), part.end());
  flush();
  if (outbox_.size() - sent_ > longest) close();  // stopped for long: it must join anew
}

void Channel::flush() {
  while (open() && has_to_send()) {
    const ssize_t n = ::send(fd(), outbox_.data() + sent_, outbox_.size() - sent_, MSG_NOSIGNAL);
    if (n > 0)
      sent_ += static_cast<std::size_t>(n);
    else if (errno == EAGAIN)
      return;
    else
      close();
  }
  outbox_.clear();
  sent_ = 0;
}

std::optional<Channel::Letter> Channel::next() {
  bool ended = false;
  while (open()) {
    std::byte bytes[65536];
    const ssize_t n = ::recv(fd(), bytes, sizeof bytes, 0);
    if (n <= 0) {
      ended = n == 0 || (errno != EAGAIN && errno != EINTR);
      break;
    }
    inbox_.insert(inbox_.end(), bytes, bytes + n);
  }
  Head head;
  if (inbox_.size() >= sizeof head) {
    std::memcpy(&head, inbox_.data(), sizeof head);
    const std::size_t length = sizeof head + std::size_t{head.body} + head.gone + head.to_peer;
    if (length > longest)
      ended = true;
    else if (inbox_.size() >= length) {
      auto at = inbox_.begin() + sizeof head;
      const auto cut = [&](std::size_t n) {
        const auto from = at;
        at += static_cast<std::ptrdiff_t>(n);
        return Blob(from, at);
      };
      Letter letter{head.round, head.peer, cut(head.body), cut(head.gone), cut(head.to_peer)};
      inbox_.erase(inbox_.begin(), at);
      return letter;
    }
  }
  if (ended) close();
  return {};
}

}  // namespace everylink
