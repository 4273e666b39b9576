// Collects the first messages of callers.
#include "net/callers.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace everylink {
namespace {

// A quarter of the descriptors that this process may have, if that is less.
std::size_t most_strangers_here() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Callers::most_strangers;
  return std::clamp<std::size_t>(limit.rlim_cur / 4, 1, Callers::most_strangers);
}

}  // namespace

Callers::Callers(Network& network, Clock& clock, std::unique_ptr<Listener> listener, std::size_t bytes)
    : clock_(clock),
      listener_(std::move(listener)),
      bytes_(bytes),
      most_strangers_(most_strangers_here()),
      ready_(network.ready_set()) {
  listen_while_there_is_room();
}

void Callers::serve(const Heard& heard, const Dropped& dropped) {
  accept_all(heard, dropped);
  while (serve_ready(heard, dropped)) accept_all(heard, dropped);
  // Checked after reading: messages may have waited because we did not look.
  for (ByNumber* all : {&strangers_, &known_})
    std::erase_if(*all, [&, now = clock_.now()](const auto& one) {
      if (now - one.second.since < patience) return false;
      dropped(one.second, "did not complete its message within 5 s");
      one.second.connection->reset();
      return true;
    });
  listen_while_there_is_room();
}

Seconds Callers::longest_wait() const {
  const bool is_full_of_strangers = !listening_ && known_.size() < most_known && !strangers_.empty();
  return is_full_of_strangers ? least_patience : patience;
}

// Room for one more, at the cost of the oldest stranger.
bool Callers::has_room() const {
  if (known_.size() >= most_known) return false;
  return strangers_.size() < most_strangers_ ||
         clock_.now() - strangers_.begin()->second.since >= least_patience;
}

void Callers::accept_all(const Heard& heard, const Dropped& dropped) {
  while (has_room()) {
    auto accepted = listener_->accept();
    if (accepted.shortage || accepted.connection) shortage_ = accepted.shortage;  // whom it drops may be ours
    if (accepted.shortage && drop_oldest_stranger(dropped)) continue;  // its descriptor is free now
    if (accepted.shortage) rests_until_ = clock_.now() + 1;
    if (!accepted.connection) return;
    if (strangers_.size() >= most_strangers_) drop_oldest_stranger(dropped);
    Caller caller{.connection = std::move(accepted.connection), .bytes = bytes_, .since = clock_.now()};
    caller.address = caller.connection->peer();
    ready_->add(*caller.connection, ++last_number_);
    strangers_[last_number_] = std::move(caller);
    take(last_number_, heard, dropped);  // one of the run may have spoken
  }
}

// Whether any caller had something to say.
bool Callers::serve_ready(const Heard& heard, const Dropped& dropped) {
  std::uint64_t numbers[most_strangers + most_known + 1];
  const std::size_t n = ready_->take(numbers);
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    any |= numbers[i] != 0;
    if (numbers[i] != 0) take(numbers[i], heard, dropped);
  }
  return any;
}

void Callers::take(std::uint64_t number, const Heard& heard, const Dropped& dropped) {
  ByNumber& all = strangers_.contains(number) ? strangers_ : known_;
  const auto found = all.find(number);
  if (found == all.end()) return;
  const bool goes_on = read(found->second, dropped);
  if (goes_on && found->second.said.size() < found->second.bytes) return;
  Caller caller = std::move(found->second);
  all.erase(found);
  if (!goes_on) return;
  ready_->remove(*caller.connection);
  heard(std::move(caller));
}

void Callers::await(Caller caller, std::size_t bytes) {
  caller.said.clear();
  caller.bytes = bytes;
  caller.is_known = true;
  caller.since = clock_.now();
  ready_->add(*caller.connection, ++last_number_);
  known_[last_number_] = std::move(caller);
}

bool Callers::drop_oldest_stranger(const Dropped& dropped) {
  if (strangers_.empty()) return false;
  const auto oldest = strangers_.begin();
  dropped(oldest->second, "sent nothing while others called");
  oldest->second.connection->reset();  // not in good order: one of the run then calls again
  strangers_.erase(oldest);
  return true;
}

bool Callers::read(Caller& caller, const Dropped& dropped) const {
  const std::size_t had = caller.said.size();
  caller.said.resize(caller.bytes);
  const auto [bytes, state] = caller.connection->receive(std::span(caller.said).subspan(had));
  caller.said.resize(had + bytes);
  if (state == ByteStream::State::open) return true;
  dropped(caller, had == 0 ? "disconnected without sending anything"
                           : "disconnected before its first message was complete");
  return false;
}

void Callers::listen_while_there_is_room() {
  const bool room = has_room() && clock_.now() >= rests_until_;
  if (room == listening_) return;
  if (room)
    ready_->add(*listener_, 0);
  else
    ready_->remove(*listener_);
  listening_ = room;
}

}  // namespace everylink
