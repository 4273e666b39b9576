// Every other rank in the control plane.
#include "bootstrap/follower.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "bootstrap/node.hpp"

namespace everylink {
namespace {

constexpr Seconds follower_grace = 60;  // followers wait longer than rank 0, so that rank 0 decides
constexpr Seconds farewell_limit = 5;
constexpr Seconds ask_after = 10;  // an answer may be lost with somebody between rank 0 and us
constexpr Seconds look_again = 1, look_soon = 0.05;  // soon: while we search

std::uint64_t drawn_number() {
  std::uint64_t number = 0;
  draw(std::as_writable_bytes(std::span(&number, 1)));
  return number | 1;
}

}  // namespace

Follower::Follower(Place& place, Seconds until)
    : rank_(place.rank),
      size_(place.size),
      key_(place.key),
      relays_(place.relays),
      keeps_listening_(place.listener),
      search_(key_, place.rendezvous),
      branches_(place.size) {
  Socket listener = place.listener ? std::move(place.listener) : listener_for(place);
  hello_.rank = rank_;
  hello_.size = size_;
  hello_.instance = drawn_number();
  hello_.host = host_of(place);
  if (listener) {
    hello_.listens = AddressList::of(addresses_of(listener));
    gate_.emplace(
        std::move(listener), key_, [this](const Hello& caller) { return judge(caller); },
        [this](const Hello& caller, Socket socket) { branches_.add(caller.rank, std::move(socket)); }, say);
  }
  for (Seconds nap = 0; !above_.open(); nap = look_soon) {
    if (!search_.refusal().empty()) throw MachineError(search_.refusal());
    if (steady_now() > until)
      throw MachineError(fmt::format("cannot reach rank 0 at {}", search_.last_fault().empty()
                                                                      ? place.rendezvous.at(0).text()
                                                                      : search_.last_fault()));
    tend(nap);
  }
  if (!keeps_listening_) gate_.reset();
}

Follower::~Follower() { branches_.drain(steady_now() + farewell_limit, farewell_limit); }

std::optional<Round> Follower::round(View to_rank_0, int peer, View to_peer, Seconds limit, const Decide&) {
  const Seconds until = steady_now() + 2 * limit + follower_grace;
  const HandIn mine{number_, rank_, peer, Blob(to_rank_0.begin(), to_rank_0.end()),
                    Blob(to_peer.begin(), to_peer.end())};
  waiting_[rank_] = {number_, mine.packed()};
  above_.send(Channel::Kind::hand_in, {waiting_[rank_].letter});
  Seconds asks_at = steady_now() + ask_after;
  tend(0);  // what came behind our last answer
  while (!lost_ && !answer_ && steady_now() < until) {
    tend(look_again);
    if (!answer_ && steady_now() > asks_at) {
      above_.send(Channel::Kind::ask, {HandIn{number_, rank_, peer, {}, {}}.packed()});
      asks_at = steady_now() + ask_after;
    }
  }
  if (!answer_) {
    lost_ = true;
    return {};
  }
  const auto answer = std::exchange(answer_, {});
  number_ = answer->number + 1;  // we may have slept for many rounds
  branches_.drain(steady_now() + look_again, 0.02);
  return answer;
}

// Sleeps until something comes from above, from below or from a stranger, and passes it on.
void Follower::tend(Seconds longest) {
  std::vector<pollfd> polled{{branches_.fd(), POLLIN, 0}};
  if (gate_) polled.push_back({gate_->fd(), POLLIN, 0});
  if (above_.open())
    polled.push_back({above_.fd(), static_cast<short>(above_.has_to_send() ? POLLIN | POLLOUT : POLLIN), 0});
  else
    search_.add_to(polled);
  const Seconds nap = above_.open() ? longest : std::min(longest, look_soon);
  if (::poll(polled.data(), polled.size(), static_cast<int>(std::ceil(nap * 1000))) < 0 && errno != EINTR)
    throw_errno("poll");
  look_above();
  if (!above_.open()) find_way();
  if (gate_) gate_->serve();
  branches_.serve([this](int from, const Channel::Frame& frame) { carry_up(from, frame); },
                  [this](int rank) {
                    const HandIn ended{0, rank, no_rank, {}, {}};
                    above_.send(Channel::Kind::ended, {ended.packed()});
                  });
}

void Follower::look_above() {
  if (!above_.open()) return;
  above_.flush();
  above_.close_if_dark();
  try {
    // One answer for us at a time: what comes behind it waits for our next letter.
    while (!answer_) {
      const auto frame = above_.next();
      if (!frame) break;
      carry_down(*frame);
    }
  } catch (const MachineError&) {
    above_.close();
  }
}

void Follower::find_way() {
  if (!search_.is_under_way()) {
    hello_.lost = rank_above_;
    hello_.has_children = !branches_.empty();
    search_.begin(hello_, relays_);
  }
  auto found = search_.step();
  keeps_listening_ |= search_.keep_listening();
  lost_ = !found && (search_.is_hopeless() || !search_.refusal().empty());
  if (!found) return;
  above_ = Channel(std::move(found->socket));
  rank_above_ = found->rank;
  std::erase_if(waiting_,
                [this](const auto& one) { return one.first != rank_ && !branches_.reaches(one.first); });
  for (const auto& [rank, one] : waiting_) above_.send(Channel::Kind::hand_in, {one.letter});
}

// Who has children of its own may come only to who stands right below rank 0: so no circle can close.
Reply Follower::judge(const Hello& caller) const {
  if (caller.size != size_ || caller.rank < 1 || caller.rank >= size_ || caller.rank == rank_)
    return Reply::refusal(fmt::format("says that it is rank {} of {}", caller.rank, caller.size));
  Reply reply;
  reply.rank = rank_;
  const bool knows_way = above_.open() && (rank_above_ == 0 || !caller.has_children);
  reply.verdict = knows_way ? Verdict::welcome : Verdict::no_way;
  return reply;
}

void Follower::carry_up(int from, const Channel::Frame& frame) {
  const HandIn head = HandIn::head_of(frame.body);
  if (head.rank < 1 || head.rank >= size_ || head.rank == rank_ || frame.kind == Channel::Kind::answer)
    throw MachineError("not a letter from below");
  if (frame.kind != Channel::Kind::ended) branches_.reached_through(head.rank, from);
  if (frame.kind == Channel::Kind::hand_in) waiting_[head.rank] = {head.round, frame.body};
  above_.send(frame.kind, {frame.body});
}

void Follower::carry_down(const Channel::Frame& frame) {
  if (frame.kind != Channel::Kind::answer) throw MachineError("not a letter from above");
  auto [common, all] = Answer::split(frame.body, size_);
  auto read = Answer::Common::unpacked(common, size_);
  for (auto& one : all) {
    const auto asked = waiting_.find(one.rank);
    if (asked == waiting_.end() || read.round < asked->second.round) continue;  // answered before
    waiting_.erase(asked);
    if (one.rank == rank_) answer_ = Round{read.round, {}, {}, std::move(one.from_peer)};
  }
  std::erase_if(all, [this](const Answer::For& one) { return one.rank == rank_; });
  branches_.send(common, all);
  relays_ = read.relays.empty() ? relays_ : std::move(read.relays);
  if (!answer_) return;
  answer_->word = std::move(read.word);
  answer_->gone = std::move(read.gone);
}

}  // namespace everylink
