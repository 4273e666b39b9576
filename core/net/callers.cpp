// Collects the first messages of callers.
#include "net/callers.hpp"

#include <utility>

namespace everylink {

Callers::Callers(Network& network, Clock& clock, std::unique_ptr<Listener> listener, std::size_t bytes,
                 Greet greet)
    : clock_(clock),
      listener_(std::move(listener)),
      bytes_(bytes),
      greet_(std::move(greet)),
      ready_(network.ready_set()) {
  listen_while_there_is_room();
}

void Callers::serve(const Heard& heard, const Dropped& dropped) {
  for (;;) {
    accept_all(dropped);
    std::uint64_t numbers[most + 1];
    const std::size_t n = ready_->take(numbers);
    bool moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto found = callers_.find(numbers[i]);
      if (found == callers_.end()) continue;
      moved = true;
      const bool goes_on = read(found->second, dropped);
      if (goes_on && found->second.said.size() < bytes_) continue;
      ready_->remove(*found->second.connection);
      Caller caller = std::move(found->second);
      callers_.erase(found);
      if (goes_on) heard(std::move(caller));
    }
    if (!moved) break;
  }
  // Checked after reading: messages may have waited because we did not look.
  std::erase_if(callers_, [&, now = clock_.now()](const auto& one) {
    if (now - one.second.since < patience) return false;
    dropped(one.second, "did not complete its first message within 5 s");
    return true;
  });
  listen_while_there_is_room();
}

void Callers::accept_all(const Dropped& dropped) {
  while (callers_.size() < most) {
    auto accepted = listener_->accept();
    if (accepted.shortage) rests_until_ = clock_.now() + 1;
    if (accepted.shortage || accepted.connection) shortage_ = accepted.shortage;
    if (!accepted.connection) return;
    Caller caller{.connection = std::move(accepted.connection), .since = clock_.now()};
    caller.address = caller.connection->peer();
    if (greet_) caller.greeting = greet_();
    if (!caller.greeting.empty() &&
        caller.connection->send(caller.greeting).bytes != caller.greeting.size()) {
      dropped(caller, "disconnected at once");
      continue;
    }
    ready_->add(*caller.connection, ++last_number_);
    callers_[last_number_] = std::move(caller);
  }
}

bool Callers::read(Caller& caller, const Dropped& dropped) const {
  const std::size_t had = caller.said.size();
  caller.said.resize(bytes_);
  const auto [bytes, state] = caller.connection->receive(std::span(caller.said).subspan(had));
  caller.said.resize(had + bytes);
  if (state == ByteStream::State::open) return true;
  dropped(caller, had == 0 ? "disconnected without sending anything"
                           : "disconnected before its first message was complete");
  return false;
}

void Callers::listen_while_there_is_room() {
  const bool room = callers_.size() < most && clock_.now() >= rests_until_;
  if (room == listening_) return;
  if (room)
    ready_->add(*listener_, 0);
  else
    ready_->remove(*listener_);
  listening_ = room;
}

}  // namespace everylink
