// The gate to a run: challenges both ways.
#include "bootstrap/gate.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace everylink {
namespace {

constexpr std::size_t most_lines = 50;  // of refusals, then silence

template <class T>
View bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Each end's proof is its own, so that neither can be sent back as the other's.
Mac proof(View key, const char* end, const Challenge& challenge, const Mac& callers_nonce, View said) {
  const std::string_view name(end);
  return hmac_sha256(key,
                     {std::as_bytes(std::span(name)), bytes_of(challenge), bytes_of(callers_nonce), said});
}

// One of ours that has found another way in the meantime says so, and is no stranger.
bool has_withdrawn(View said) {
  const Challenge ours;
  return said.size() == sizeof ours.magic && std::memcmp(said.data(), ours.magic, said.size()) == 0;
}

}  // namespace

AddressList AddressList::of(const std::vector<Address>& addresses) {
  AddressList list;
  for (const auto& one : addresses)
    if (list.count < most_addresses) list.at[list.count++] = one;
  return list;
}

std::vector<Address> AddressList::whole() const {
  std::vector<Address> addresses;
  for (int i = 0; i < std::clamp(count, 0, most_addresses); ++i)
    if (at[i].is_whole()) addresses.push_back(at[i]);
  return addresses;
}

Reply Reply::refusal(const std::string& why) {
  Reply reply;
  std::copy_n(why.data(), std::min(why.size(), sizeof reply.reason - 1), reply.reason);
  return reply;
}

Gate::Gate(Socket listener, Key key, Judge judge, Welcome welcome, Say say)
    : key_(std::move(key)),
      judge_(std::move(judge)),
      welcome_(std::move(welcome)),
      say_(std::move(say)),
      callers_(std::move(listener), sizeof(Greeting), [] {
        Challenge challenge;
        draw(challenge.nonce);
        const View bytes = bytes_of(challenge);
        return Blob(bytes.begin(), bytes.end());
      }) {}

void Gate::serve() {
  callers_.serve([this](Callers::Caller caller) { hear(std::move(caller)); },
                 [this](const Callers::Caller& caller, const std::string& why) {
                   if (!has_withdrawn(caller.said)) refuse(caller.address, why);
                 });
}

void Gate::hear(Callers::Caller caller) {
  Challenge challenge;
  Greeting greeting;
  std::memcpy(&challenge, caller.greeting.data(), sizeof challenge);
  std::memcpy(&greeting, caller.said.data(), sizeof greeting);
  if (!same(greeting.proof, proof(key_, "caller", challenge, greeting.nonce, bytes_of(greeting.hello))))
    return refuse(caller.address, "does not have this run's key");
  Answered answered;
  answered.reply = judge_(greeting.hello);
  if (answered.reply.verdict == Verdict::refused) refuse(caller.address, answered.reply.reason);
  answered.proof = proof(key_, "acceptor", challenge, greeting.nonce, bytes_of(answered.reply));
  const bool sent = ::send(caller.socket.fd(), &answered, sizeof answered, MSG_NOSIGNAL) == sizeof answered;
  if (answered.reply.verdict == Verdict::welcome && sent) welcome_(greeting.hello, std::move(caller.socket));
}

void Gate::refuse(const Address& address, const std::string& reason) {
  if (said_.size() > most_lines || !said_.insert(address.host_text() + reason).second) return;
  say_(said_.size() > most_lines
           ? "so many callers were refused that no more are reported"
           : fmt::format("refused a caller from {}: it {}", address.host_text(), reason));
}

Call::Call(const Address& address, const Key& key, const Hello& hello)
    : address_(address), key_(key), hello_(hello), socket_(start_connecting(address)) {
  refused_ = !socket_ && errno == ECONNREFUSED;
  if (socket_)
    watch(socket_);
  else
    fail(std::strerror(errno));
}

Call::~Call() {
  if (state_ == State::silent)
    ::send(socket_.fd(), challenge_.magic, sizeof challenge_.magic, MSG_NOSIGNAL);
  else if (socket_)
    reset(socket_);  // in good order would mean that our process has ended
}

short Call::events() const { return state_ == State::connecting ? POLLOUT : POLLIN; }

Call::State Call::step() {
  if (state_ == State::connecting) {
    const int result = connect_result(socket_);
    if (result == EINPROGRESS) return state_;
    refused_ = result == ECONNREFUSED;
    if (result)
      fail(std::strerror(result));
    else
      state_ = State::silent;
  }
  if (state_ == State::silent && fill(std::as_writable_bytes(std::span(&challenge_, 1)))) greet();
  if (state_ == State::greeted && is_dark(socket_)) fail("the way to it is dark");
  if (state_ == State::greeted && fill(std::as_writable_bytes(std::span(&answered_, 1)))) hear_reply();
  return state_;
}

// Whether all of it has come.
bool Call::fill(std::span<std::byte> whole) {
  const ssize_t n = ::recv(socket_.fd(), whole.data() + got_, whole.size() - got_, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) {
    turned_away_ = state_ == State::greeted;
    fail(turned_away_ ? "it closed the connection when it heard who calls" : "it closed the connection");
    return false;
  }
  got_ += static_cast<std::size_t>(n);
  if (got_ < whole.size()) return false;
  got_ = 0;
  return true;
}

void Call::greet() {
  const Challenge ours;
  if (std::memcmp(challenge_.magic, ours.magic, sizeof ours.magic) != 0)
    return fail("what answers there is not of this version of Everylink");
  draw(greeting_.nonce);
  greeting_.hello = hello_;
  greeting_.proof = proof(key_, "caller", challenge_, greeting_.nonce, bytes_of(greeting_.hello));
  if (::send(socket_.fd(), &greeting_, sizeof greeting_, MSG_NOSIGNAL) != sizeof greeting_)
    return fail("it closed the connection");
  state_ = State::greeted;
}

void Call::hear_reply() {
  if (!same(answered_.proof,
            proof(key_, "acceptor", challenge_, greeting_.nonce, bytes_of(answered_.reply)))) {
    turned_away_ = true;
    return fail("what answers there does not have this run's key");
  }
  reply_ = answered_.reply;
  reply_.reason[sizeof reply_.reason - 1] = 0;
  state_ = State::answered;
}

void Call::fail(const std::string& why) {
  why_ = why;
  state_ = State::failed;
  socket_ = Socket();
}

}  // namespace everylink
