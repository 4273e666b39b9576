// Rank 0: a letter up and an answer down a round. Who did not hand in for a round is gone in it; who hands in
// again is back.
#include "bootstrap/leader.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "bootstrap/node.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds look_again = 1;      // at dark paths and half-open callers
constexpr Seconds last_moment = 0.4;   // to hand in, once the end is wanted: mpirun kills after 1 s
constexpr Seconds farewell_limit = 5;  // for last words that still lie here

}  // namespace

Leader::Leader(Place& place, int tree_above, Seconds until)
    : size_(place.size),
      states_(static_cast<std::size_t>(place.size)),
      tree_(place.size, host_of(place), tree_above),
      branches_(place.size),
      gate_(
          std::move(place.listener), place.key, [this](const Hello& hello) { return judge(hello); },
          [this](const Hello& hello, Socket socket) {
            note_joined(state(hello.rank));
            branches_.add(hello.rank, std::move(socket));
          },
          say) {
  while (joined_ < size_) {
    const Seconds left = until - steady_now();
    if (left <= 0) throw MachineError("not all ranks have joined; missing: " + missing());
    if (end_is_wanted()) throw MachineError("asked to end before all ranks had joined");
    tend(std::min(left, look_again));
  }
}

Leader::~Leader() { branches_.drain(steady_now() + farewell_limit, farewell_limit); }

std::optional<Round> Leader::round(View to_rank_0, int peer, View to_peer, Seconds limit,
                                   const Decide& decide) {
  Seconds until = steady_now() + limit;
  take_hand_in(
      {number_, 0, peer, Blob(to_rank_0.begin(), to_rank_0.end()), Blob(to_peer.begin(), to_peer.end())});
  tend(0);
  while (somebody_is_due()) {
    if (end_is_wanted()) until = std::min(until, steady_now() + last_moment);
    const Seconds left = until - steady_now();
    if (left <= 0) break;
    tend(std::min(left, look_again));
  }
  return answer(peer, decide);
}

// Sleeps until something comes, and takes all that has.
void Leader::tend(Seconds longest) {
  pollfd polled[] = {{gate_.fd(), POLLIN, 0}, {branches_.fd(), POLLIN, 0}};
  if (::poll(polled, 2, static_cast<int>(std::ceil(longest * 1000))) < 0 && errno != EINTR)
    throw_errno("poll");
  gate_.serve();
  branches_.serve([this](int from, const Channel::Frame& frame) { take(from, frame); },
                  [this](int rank) { state(rank).ended = true; });
}

Reply Leader::judge(const Hello& hello) {
  if (hello.size != size_ || hello.rank < 1 || hello.rank >= size_)
    return Reply::refusal(fmt::format("says that it is rank {} of {}; the others are 1 to {} of {}",
                                      hello.rank, hello.size, size_ - 1, size_));
  State& known = state(hello.rank);
  if (known.instance != 0 && known.instance != hello.instance)
    return Reply::refusal(fmt::format("says that it is rank {}, and that one is here already", hello.rank));
  known.instance = hello.instance;
  return tree_.place(hello);
}

void Leader::note_joined(State& one) {
  if (!std::exchange(one.known, true)) ++joined_;
  one.ended = false;
}

std::string Leader::missing() const {
  std::string text;
  int more = 0;
  for (std::size_t rank = 1; rank < states_.size(); ++rank)
    if (!states_[rank].known && ++more <= 10) text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  return more > 10 ? fmt::format("{} and {} more", text, more - 10) : text;
}

bool Leader::somebody_is_due() {
  while (due_ < states_.size() && !is_due(due_)) ++due_;
  return due_ < states_.size();
}

// A rank whose connection broke is due as long as its process has not ended: it may come by another way.
bool Leader::is_due(std::size_t rank) const {
  const State& one = states_[rank];
  return rank > 0 && !one.ended && !one.gone && one.now.round != number_;
}

void Leader::take(int from, const Channel::Frame& frame) {
  const auto must_be_a_rank = [&](int rank) {
    if (rank < 1 || rank >= size_) throw MachineError("there is no such rank");
  };
  if (frame.kind == Channel::Kind::ended) {
    const int rank = HandIn::head_of(frame.body).rank;
    must_be_a_rank(rank);
    if (branches_.way_to(rank) == from) state(rank).ended = true;
    return;
  }
  if (frame.kind == Channel::Kind::ask) {
    const HandIn asked = HandIn::head_of(frame.body);
    must_be_a_rank(asked.rank);
    branches_.reached_through(asked.rank, from);
    if (asked.round < number_) answer_again(asked.rank, asked.round);
    return;
  }
  if (frame.kind != Channel::Kind::hand_in) throw MachineError("a letter that only rank 0 writes");
  HandIn letter = HandIn::unpacked(frame.body);
  must_be_a_rank(letter.rank);
  branches_.reached_through(letter.rank, from);
  note_joined(state(letter.rank));
  take_hand_in(std::move(letter));
}

// Old or new, measured is measured, but once; a late one is told where we are.
void Leader::take_hand_in(HandIn letter) {
  State& one = state(letter.rank);
  if (letter.round > number_) throw MachineError("a letter for a round that has not begun");
  if (std::exchange(one.gone, false)) due_ = 0;  // it is back, and waited for again
  const bool is_new = one.taken == never || letter.round > one.taken;
  if (is_new) {
    one.taken = letter.round;
    handed_.push_back({letter.rank, std::move(letter.to_rank_0)});
  }
  if (letter.round < number_)
    answer_again(letter.rank, letter.round);
  else if (is_new)
    one.before = std::exchange(one.now, {letter.round, letter.peer, std::move(letter.to_peer)});
}

void Leader::answer_again(int rank, std::uint64_t round) {
  const Part* mine = round == last_.round ? part(rank, round) : nullptr;
  const View from_peer = mine ? for_rank(rank, mine->peer, round) : View();
  branches_.send(last_.packed(), {{rank, Blob(from_peer.begin(), from_peer.end())}});
}

const Leader::Part* Leader::part(int rank, std::uint64_t round) const {
  const State& one = states_[static_cast<std::size_t>(rank)];
  return one.now.round == round ? &one.now : one.before.round == round ? &one.before : nullptr;
}

Round Leader::answer(int peer, const Decide& decide) {
  last_ = {number_, {}, {}, {}};
  std::vector<Answer::For> all;
  for (int rank = 0; rank < size_; ++rank) {
    const Part* mine = part(rank, number_);
    state(rank).gone = !mine;
    if (!mine) last_.gone.push_back(rank);
  }
  for (int rank = 1; rank < size_; ++rank)
    if (const Part* mine = part(rank, number_)) {
      const View from_peer = for_rank(rank, mine->peer, number_);
      all.push_back({rank, Blob(from_peer.begin(), from_peer.end())});
    }
  const auto handed = std::exchange(handed_, {});
  last_.word = decide(handed, last_.gone);
  last_.relays = tree_.relays();
  branches_.send(last_.packed(), all);
  branches_.drain(steady_now() + look_again, 0.02);  // we may not come back for long
  const View mine = for_rank(0, peer, number_);
  ++number_;
  due_ = 0;
  return {last_.round, last_.word, last_.gone, Blob(mine.begin(), mine.end())};
}

// What the peer handed in for this rank, if it means this rank too.
View Leader::for_rank(int rank, int peer, std::uint64_t round) const {
  if (peer < 0 || peer >= size_) return {};
  const Part* theirs = part(peer, round);
  return theirs && theirs->peer == rank ? View(theirs->to_peer) : View();
}

}  // namespace everylink
