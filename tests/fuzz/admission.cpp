// Hostile callers that ask for admission to a run, and hostile acceptors; both also with the right key.
#include "bootstrap/admission.hpp"
#include "base/clock.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/errors.hpp"
#include "fuzz.hpp"
#include "net/tcp_network.hpp"

using namespace everylink;

namespace {

const Key key(32, std::byte{7});
constexpr Seconds patience = 10;

template <class T>
T taken(fuzz::Pieces& in) {
  T value{};
  const View some = in.bytes(sizeof value);
  if (!some.empty()) std::memcpy(static_cast<void*>(&value), some.data(), some.size());
  return value;
}
Mac proof(std::string_view end, View conversation, View said) {
  return hmac_sha256(key, {std::as_bytes(std::span(end)), conversation, said});
}
template <class T>
View before_proof(const T& message) {
  return bytes_of(message).first(offsetof(T, proof));
}

struct Listening {
  Socket listener = listen_on(loopback(0), 8);
  Address address = local_address(listener);
};

void hostile_caller(fuzz::Pieces& in, bool has_key) {
  auto listener = tcp_network().listen(loopback(0), 8);
  const Address address = listener->addresses()[0];
  int welcome = 0;
  Admission admission(
      tcp_network(), steady_clock(), std::move(listener), key,
      [](const Hello& hello) {
        hello.listens.whole();
        return Reply::refusal("refused by the test");
      },
      [&](const Hello&, const Channel&) { ++welcome; }, [](const std::string&) {});
  const Socket caller = connect_to(address, steady_now() + patience);
  auto greeting = taken<Greeting>(in);
  if (has_key) {
    greeting.magic = magic;
    greeting.proof = proof("caller", {}, before_proof(greeting));
  }
  send_all(caller, bytes_of(greeting).first(sizeof greeting - (has_key ? 0 : in.byte())),
           steady_now() + patience);
  admission.serve();
  Challenge challenge;
  if (has_key &&
      !receive_all(caller, std::as_writable_bytes(std::span(&challenge, 1)), steady_now() + patience))
    throw std::logic_error("the acceptor does not answer a process that has the key");
  send_all(caller, taken<Confirmation>(in), steady_now() + patience);
  admission.serve();
  if (welcome) throw std::logic_error("a stranger was admitted");
}

void step(Call& call, Seconds until) {
  call.step();
  if (steady_now() > until) throw std::logic_error("a call does not end");
}

void hostile_acceptor(fuzz::Pieces& in, bool has_key) {
  Listening there;
  Call call(tcp_network(), there.address, key, Hello{});
  const Seconds until = steady_now() + patience;
  if (!ready(there.listener, POLLIN, until)) throw std::logic_error("the caller does not call");
  Socket acceptor = accept_from(there.listener);
  while (call.state() < Call::State::greeted) step(call, until);
  Greeting greeting;
  if (!receive_all(acceptor, std::as_writable_bytes(std::span(&greeting, 1)), steady_now() + patience))
    throw std::logic_error("the caller does not speak first");
  auto challenge = taken<Challenge>(in);
  if (has_key) {
    challenge.magic = magic;
    challenge.proof = proof("acceptor", bytes_of(greeting), before_proof(challenge));
  }
  send_all(acceptor, bytes_of(challenge), steady_now() + patience);
  send_all(acceptor, taken<SealedReply>(in), steady_now() + patience);
  acceptor = Socket();
  while (call.state() == Call::State::greeted || call.state() == Call::State::confirmed) step(call, until);
  if (call.state() == Call::State::answered)
    throw std::logic_error("an acceptor without the seal was believed");
}

}  // namespace

EVERYLINK_FUZZ_TARGET(admission) {
  fuzz::Pieces in(bytes);
  const int kind = in.byte() % 4;
  if (kind < 2)
    hostile_caller(in, kind == 1);
  else
    hostile_acceptor(in, kind == 3);
}
