// Admission to a run: proofs both ways.
#include "bootstrap/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/errors.hpp"

namespace everylink {
namespace {

constexpr std::size_t most_lines = 50;  // about refusals, then silence

// The two ends' proofs differ, so neither can be sent back as the other's.
template <class T>
View before_proof(const T& message) {
  return bytes_of(message).first(offsetof(T, proof));
}
Mac proof(View key, std::string_view end, View conversation, View said) {
  return hmac_sha256(key, {std::as_bytes(std::span(end)), conversation, said});
}

// The key of what one end sends.
CipherState seal(View key, std::string_view end, View conversation) {
  return CipherState(hmac_sha256(key, {std::as_bytes(std::span(end)), conversation}));
}
constexpr std::string_view by_caller = "sealed by the caller", by_acceptor = "sealed by the acceptor";

template <class T>
T read(View bytes) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

constexpr auto other_user = "belongs to another user of this machine, and this run has no key";

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
      callers_(network, clock, std::move(listener), sizeof(Greeting)) {}

void Admission::serve() {
  callers_.serve([this](Callers::Caller caller) { hear(std::move(caller)); },
                 [this](const Callers::Caller& caller, const std::string& why) {
                   // One that has the key may find another way in the meantime.
                   if (!caller.is_known) refuse(caller.address, why);
                 });
}

void Admission::hear(Callers::Caller caller) {
  if (caller.is_known) return answer(std::move(caller));
  const auto greeting = read<Greeting>(caller.said);
  if (greeting.magic != magic) return refuse(caller.address, "is not Everylink, or of another version");
  if (!same(greeting.proof, proof(key_, "caller", {}, before_proof(greeting))))
    return refuse(caller.address, "does not have this run's key");
  try {
    if (key_.empty() && !caller.connection->is_of_this_user()) return refuse(caller.address, other_user);
  } catch (const LocalFault&) {  // this process has no descriptor to look: the caller calls again
    return caller.connection->reset();
  }
  challenge(std::move(caller), greeting);
}

void Admission::challenge(Callers::Caller caller, const Greeting& greeting) {
  Challenge challenge;
  draw(challenge.nonce);
  challenge.proof = proof(key_, "acceptor", bytes_of(greeting), before_proof(challenge));
  if (caller.connection->send(bytes_of(challenge)).bytes != sizeof challenge) return;
  append(caller.conversation, bytes_of(greeting));
  append(caller.conversation, bytes_of(challenge));
  callers_.await(std::move(caller), sizeof(Confirmation));
}

void Admission::answer(Callers::Caller caller) {
  Seals seals{.out = seal(key_, by_acceptor, caller.conversation),
              .in = seal(key_, by_caller, caller.conversation)};
  if (!seals.in.decrypt(caller.said)) return refuse(caller.address, "repeats what another process said");
  const Hello hello = read<Greeting>(caller.conversation).hello;
  const Reply reply = policy_(hello);
  if (reply.decision == Decision::refused) refuse(caller.address, reply.reason);
  SealedReply sealed{};
  std::memcpy(sealed.data(), &reply, sizeof reply);
  seals.out.encrypt(sealed);
  const bool sent = caller.connection->send(sealed).bytes == sizeof sealed;
  if (reply.decision == Decision::welcome && sent)
    welcome_(hello, Channel(std::move(caller.connection), seals));
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
  if (connection_) connection_->reset();  // a close in good order would mean that our process has ended
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
      greet();
  }
  const bool waits = state_ == State::greeted || state_ == State::confirmed;
  if (waits && connection_->is_dark()) fail("the path to it went dark");
  if (state_ == State::greeted && fill(std::as_writable_bytes(std::span(&challenge_, 1)))) hear_challenge();
  if (state_ == State::confirmed && fill(answered_)) hear_reply();
  return state_;
}

// Whether all of it has arrived.
bool Call::fill(std::span<std::byte> whole) {
  const auto [bytes, state] = connection_->receive(whole.subspan(got_));
  if (state != ByteStream::State::open) {
    turned_away_ = state == ByteStream::State::ended;  // not when it dropped us beside many strangers
    fail(turned_away_ ? "it closed the connection after our greeting" : "it closed the connection");
    return false;
  }
  got_ += bytes;
  if (got_ < whole.size()) return false;
  got_ = 0;
  return true;
}

bool Call::send(View message) {
  if (connection_->send(message).bytes == message.size()) return true;
  fail("it closed the connection");
  return false;
}

void Call::greet() {
  draw(greeting_.nonce);
  greeting_.hello = hello_;
  greeting_.proof = proof(key_, "caller", {}, before_proof(greeting_));
  if (send(bytes_of(greeting_))) state_ = State::greeted;
}

void Call::hear_challenge() {
  if (challenge_.magic != magic) return fail("the process there is not Everylink, or of another version");
  if (!same(challenge_.proof, proof(key_, "acceptor", bytes_of(greeting_), before_proof(challenge_))))
    return fail_for_good("the process there does not have this run's key");
  if (key_.empty() && !connection_->is_of_this_user())
    return fail_for_good(fmt::format("the process there {}", other_user));
  Blob conversation;
  append(conversation, bytes_of(greeting_));
  append(conversation, bytes_of(challenge_));
  seals_ = {.out = seal(key_, by_caller, conversation), .in = seal(key_, by_acceptor, conversation)};
  Confirmation confirmation{};
  seals_.out.encrypt(confirmation);
  if (send(confirmation)) state_ = State::confirmed;
}

void Call::hear_reply() {
  if (!seals_.in.decrypt(answered_)) return fail_for_good("the process there does not have this run's key");
  reply_ = read<Reply>(answered_);
  reply_.reason[sizeof reply_.reason - 1] = 0;
  state_ = State::answered;
}

void Call::fail_for_good(const std::string& why) {
  turned_away_ = true;
  fail(why);
}

void Call::fail(const std::string& why) {
  why_ = why;
  state_ = State::failed;
  connection_.reset();
}

}  // namespace everylink
