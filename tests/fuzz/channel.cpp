// Control traffic: frames and their contents.
#include "bootstrap/channel.hpp"

#include <sys/socket.h>

#include "base/errors.hpp"
#include "fuzz.hpp"
#include "net/tcp_network.hpp"

using namespace everylink;

namespace {

constexpr int ranks = 8;

void read(const Channel::Frame& frame) {
  try {
    switch (frame.kind) {
      case Channel::Kind::none: break;
      case Channel::Kind::submission: Submission::unpacked(frame.body).packed(); break;
      case Channel::Kind::ask:
      case Channel::Kind::ended: Submission::head_of(frame.body); break;
      case Channel::Kind::answer: {
        const auto [common, all] = Answer::split(frame.body, ranks);
        Answer::Common::unpacked(common, ranks).packed();
        Answer::packed(all);
      }
    }
  } catch (const MachineError&) {  // of this frame; the next one may be valid
  }
}

}  // namespace

EVERYLINK_FUZZ_TARGET(channel) {
  int ends[2];
  check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
  const Mac key{};
  Channel channel(stream_on(Socket(ends[0])), {.out = CipherState(key), .in = CipherState(key)});
  const Socket other(ends[1]);
  CipherState seal(key);
  fuzz::Pieces in(bytes);
  const std::size_t at_once = 1 + std::size_t{in.byte()};
  const bool is_sealed = in.byte() % 2 == 1;  // by a rank of this run
  while (in.any() && channel.open()) {
    const View piece = in.bytes(at_once);
    if (is_sealed) {
      const auto length = static_cast<std::uint32_t>(piece.size() + CipherState::tag_bytes);
      Blob message(piece.begin(), piece.end());
      message.resize(length);
      seal.encrypt(message, bytes_of(length));
      if (::send(other.fd(), &length, sizeof length, MSG_NOSIGNAL) < 0 ||
          ::send(other.fd(), message.data(), message.size(), MSG_NOSIGNAL) < 0)
        throw_errno("send");
    } else if (::send(other.fd(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) {
      throw_errno("send");
    }
    while (const auto frame = channel.next()) read(*frame);
  }
}
