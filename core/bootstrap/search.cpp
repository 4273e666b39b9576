// The search for a way to rank 0.
#include "bootstrap/search.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everylink {
namespace {

constexpr Seconds connect_limit = 3;     // the path drops our calls
constexpr Seconds unanswered_limit = 8;  // before another address of the same rank is tried
constexpr Seconds redirect_limit = 20;   // for the rank that rank 0 named; then rank 0 is asked again
constexpr Seconds rank_0_first = 1;      // before the others are called too
constexpr Seconds pause = 0.2;           // between two passes
constexpr Seconds without_a_sign = 10;

}  // namespace

void Search::begin(const Hello& hello, const std::vector<Relay>& relays) {
  hello_ = hello;
  attempts_.clear();
  attempts_.push_back({.rank = 0, .addresses = rank_0_});
  for (const auto& relay : relays)
    if (relay.rank != hello.rank && relay.rank != hello.lost && !relay.addresses.empty())
      attempts_.push_back({.rank = relay.rank, .addresses = relay.addresses});
  redirected_.reset();
  refusal_.clear();
  began_ = sign_ = clock_.now();
}

void Search::add_to(std::vector<Watched>& watched) const {
  const auto add = [&](const Attempt& one) {
    if (one.call && one.call->state() != Call::State::failed) watched.push_back(one.call->watched());
  };
  for (const auto& one : attempts_) add(one);
  if (redirected_) add(*redirected_);
}

std::optional<Search::Found> Search::step() {
  auto found = step_all(clock_.now());
  if (!found) return {};
  attempts_.clear();
  redirected_.reset();
  return found;
}

std::optional<Search::Found> Search::step_all(Seconds now) {
  if (redirected_) {
    if (auto found = step(*redirected_, now)) return found;
    if (redirected_->passes > 0 || now - redirected_->began > redirect_limit) {
      hello_.lost = redirected_->rank;
      redirected_.reset();
    }
  }
  for (auto& one : attempts_) {
    if (!one.call && !is_its_turn(one, now)) continue;
    if (auto found = step(one, now)) return found;
  }
  return {};
}

bool Search::is_its_turn(const Attempt& one, Seconds now) const {
  if (redirected_ || now < one.not_before) return false;
  const auto& call = attempts_[0].call;
  const bool rank_0_is_there = call && call->state() != Call::State::connecting;  // and busy
  return one.rank == 0 || attempts_[0].passes > 0 || (!rank_0_is_there && now - began_ > rank_0_first);
}

std::optional<Search::Found> Search::step(Attempt& one, Seconds now) {
  if (!one.call) start(one, now);
  switch (one.call->step()) {
    case Call::State::connecting:
      if (now - one.began > connect_limit) note_failure(one, now, false);
      return {};
    case Call::State::greeted:
    case Call::State::confirmed:
      if (now - one.began > 1) sign_ = now;
      if (now - one.began > unanswered_limit && one.addresses.size() > 1) note_failure(one, now, false);
      return {};
    case Call::State::failed:
      one.turned_away = one.call->turned_away() ? one.turned_away + 1 : 0;
      if (one.rank == 0 && one.turned_away >= 3)
        refusal_ = fmt::format(
            "rank 0 at {} did not admit this rank ({}): {}", one.call->address().text(), one.call->why(),
            key_.empty()
                ? "without EVERYLINK_KEY or EVERYLINK_KEY_FILE, all ranks must belong to the same user"
                : "EVERYLINK_KEY or EVERYLINK_KEY_FILE must be the same for every rank");
      if (one.rank == 0) last_fault_ = fmt::format("{}: {}", one.call->address().text(), one.call->why());
      note_failure(one, now, one.call->refused());
      return {};
    case Call::State::answered: return hear(one, now);
  }
  return {};
}

void Search::start(Attempt& one, Seconds now) {
  hello_.called = one.rank;
  one.call = std::make_unique<Call>(network_, one.addresses[one.next], key_, hello_);
  one.next = (one.next + 1) % one.addresses.size();
  one.began = now;
}

std::optional<Search::Found> Search::hear(Attempt& one, Seconds now) {
  const Reply& reply = one.call->reply();
  keep_listening_ |= reply.keep_listening != 0;
  switch (reply.decision) {
    case Decision::welcome: return Found{one.call->take(), one.rank};
    case Decision::redirected:
      if (one.rank != 0 || reply.there.whole().empty()) break;
      redirected_ = Attempt{.rank = reply.rank, .addresses = reply.there.whole()};
      redirected_->began = now;
      one.call.reset();
      one.noes = 0;
      return {};
    case Decision::refused:
      if (one.rank == 0) refusal_ = fmt::format("rank 0 refused this rank: it {}", reply.reason);
      break;
    case Decision::no_way: break;
  }
  note_failure(one, now, true);
  return {};
}

void Search::note_failure(Attempt& one, Seconds now, bool no) {
  one.call.reset();
  one.noes = no ? one.noes + 1 : 0;
  if (one.next != 0) return;
  ++one.passes;
  one.not_before = now + pause;
}

bool Search::is_hopeless() const {
  if (clock_.now() - sign_ > without_a_sign) return true;
  return std::all_of(attempts_.begin(), attempts_.end(), [](const Attempt& one) {
    return one.noes >= 3 * static_cast<int>(one.addresses.size());
  });
}

}  // namespace everylink
