// Admission to a run: challenges both ways.
#include "bootstrap/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace everylink {
namespace {

constexpr std::size_t most_lines = 50;  // about refusals, then silence

template <class T>
View bytes_of(const T& value) {
  return view_of(value);
}

// The two ends' proofs differ, so neither can be sent back as the other's.
Mac proof(View key, const char* end, const Challenge& challenge, const Mac& callers_nonce, View said) {
  const std::string_view name(end);
  return hmac_sha256(key,
                     {std::as_bytes(std::span(name)), bytes_of(challenge), bytes_of(callers_nonce), said});
}

// A rank that has found another way in the meantime says so; it is no stranger.
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

Admission::Admission(Network& network, Clock& clock, std::unique_ptr<Listener> listener, Key key,
                     Policy policy, Welcome welcome, Report report)
    : key_(std::move(key)),
      policy_(std::move(policy)),
      welcome_(std::move(welcome)),
      report_(std::move(report)),
      callers_(network, clock, std::move(listener), sizeof(Greeting), [] {
        Challenge challenge;
        draw(challenge.nonce);
        const View bytes = bytes_of(challenge);
        return Blob(bytes.begin(), bytes.end());
      }) {}

void Admission::serve() {
  callers_.serve([this](Callers::Caller caller) { hear(std::move(caller)); },
                 [this](const Callers::Caller& caller, const std::string& why) {
                   if (!has_withdrawn(caller.said)) refuse(caller.address, why);
                 });
}

void Admission::hear(Callers::Caller caller) {
  Challenge challenge;
  Greeting greeting;
  std::memcpy(&challenge, caller.greeting.data(), sizeof challenge);
  std::memcpy(&greeting, caller.said.data(), sizeof greeting);
  if (!same(greeting.proof, proof(key_, "caller", challenge, greeting.nonce, bytes_of(greeting.hello))))
    return refuse(caller.address, "does not have this run's key");
  Answered answered;
  answered.reply = policy_(greeting.hello);
  if (answered.reply.decision == Decision::refused) refuse(caller.address, answered.reply.reason);
  answered.proof = proof(key_, "acceptor", challenge, greeting.nonce, bytes_of(answered.reply));
  const bool sent = caller.connection->send(bytes_of(answered)).bytes == sizeof answered;
  if (answered.reply.decision == Decision::welcome && sent)
    welcome_(greeting.hello, std::move(caller.connection));
}

void Admission::refuse(const Address& address, const std::string& reason) {
  if (reported_.size() > most_lines || !reported_.insert(address.host_text() + reason).second) return;
  report_(reported_.size() > most_lines
              ? "too many callers were refused; further refusals are not reported"
              : fmt::format("refused a caller from {}: it {}", address.host_text(), reason));
}

Call::Call(Network& network, const Address& address, const Key& key, const Hello& hello)
    : address_(address), key_(key), hello_(hello), connection_(network.connect(address)) {}

Call::~Call() {
  if (state_ == State::silent)
    connection_->send(bytes_of(challenge_.magic));
  else if (connection_)
    connection_->reset();  // a close in good order would mean that our process has ended
}

Watched Call::watched() const {
  const bool connecting = state_ == State::connecting;
  return {.source = connection_.get(), .arrival = !connecting, .room = connecting};
}

Call::State Call::step() {
  if (state_ == State::connecting) {
    const int result = connection_->connect_result();
    if (result == EINPROGRESS) return state_;
    refused_ = result == ECONNREFUSED;
    if (result)
      fail(std::strerror(result));
    else
      state_ = State::silent;
  }
  if (state_ == State::silent && fill(std::as_writable_bytes(std::span(&challenge_, 1)))) greet();
  if (state_ == State::greeted && connection_->is_dark()) fail("the path to it went dark");
  if (state_ == State::greeted && fill(std::as_writable_bytes(std::span(&answered_, 1)))) hear_reply();
  return state_;
}

// Whether all of it has arrived.
bool Call::fill(std::span<std::byte> whole) {
  const auto [bytes, state] = connection_->receive(whole.subspan(got_));
  if (state != ByteStream::State::open) {
    turned_away_ = state_ == State::greeted;
    fail(turned_away_ ? "it closed the connection after our greeting" : "it closed the connection");
    return false;
  }
  got_ += bytes;
  if (got_ < whole.size()) return false;
  got_ = 0;
  return true;
}

void Call::greet() {
  const Challenge ours;
  if (std::memcmp(challenge_.magic, ours.magic, sizeof ours.magic) != 0)
    return fail("the process there is not Everylink, or of another version");
  draw(greeting_.nonce);
  greeting_.hello = hello_;
  greeting_.proof = proof(key_, "caller", challenge_, greeting_.nonce, bytes_of(greeting_.hello));
  if (connection_->send(bytes_of(greeting_)).bytes != sizeof greeting_)
    return fail("it closed the connection");
  state_ = State::greeted;
}

void Call::hear_reply() {
  if (!same(answered_.proof,
            proof(key_, "acceptor", challenge_, greeting_.nonce, bytes_of(answered_.reply)))) {
    turned_away_ = true;
    return fail("the process there does not have this run's key");
  }
  reply_ = answered_.reply;
  reply_.reason[sizeof reply_.reason - 1] = 0;
  state_ = State::answered;
}

void Call::fail(const std::string& why) {
  why_ = why;
  state_ = State::failed;
  connection_.reset();
}

}  // namespace everylink
