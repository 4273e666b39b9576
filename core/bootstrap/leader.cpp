// Rank 0: each round, every rank sends a message up and gets an answer down. A rank that does not submit for
// a round is gone in it; one that submits again is back.
#include "bootstrap/leader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/ranks.hpp"

namespace everylink {
namespace {

constexpr Seconds look_soon = 0.2;    // which ranks have ended, while others join
constexpr Seconds last_moment = 0.4;  // to submit once the run is to end: mpirun kills after 1 s

}  // namespace

Leader::Leader(const System& system, Place& place, int tree_above, Seconds join_limit)
    : clock_(system.clock),
      network_(system.network),
      end_is_wanted_(system.end_is_wanted),
      tell_(system.tell),
      size_(place.size),
      states_(static_cast<std::size_t>(place.size)),
      tree_(place.size, host_hash(place), tree_above),
      branches_(network_, clock_, place.size),
      admission_(
          network_, clock_, std::move(place.listener), place.key,
          [this](const Hello& hello) { return admit(hello); },
          [this](const Hello& hello, Channel channel) {
            note_joined(state(hello.rank));
            branches_.add(hello.rank, std::move(channel));
          }) {
  wait_for_all(join_limit, place);
  if (joined_ == 1)
    throw MachineError("no other rank joined; missing: " + first_ranks(missing(), place.hosts));
  for (auto& one : states_) one.gone = !one.known;
}

// Returns when no further rank is expected.
void Leader::wait_for_all(Seconds limit, const Place& place) {
  const auto is_expected = [&](int rank) {
    return !state(rank).known && !(place.attendance && place.attendance->has_ended(rank));
  };
  const auto one_is_expected = [&] {
    for (int rank = 1; rank < size_; ++rank)
      if (is_expected(rank)) return true;
    return false;
  };
  const Seconds began = clock_.now();
  bool told = false;
  for (Seconds until = began + limit; joined_ < size_ && one_is_expected();) {
    const Seconds now = clock_.now(), left = std::min(until, began + longest_join) - now;
    if (left <= 0) return;
    if (end_is_wanted_()) throw MachineError("interrupted before all ranks had joined");
    if (now >= began + quiet_limit && !std::exchange(told, true)) {
      auto ranks = missing();
      std::erase_if(ranks, [&](int rank) { return !is_expected(rank); });
      tell_(fmt::format(
          "waiting for {}; the run begins without {} when no rank has joined for {:g} s (--join-limit)",
          named_ranks(ranks, place.hosts), ranks.size() == 1 ? "it" : "them", limit));
    }
    const int before = joined_;
    tend(std::min(left, look_soon));
    if (joined_ > before) until = clock_.now() + limit;
  }
}

Leader::~Leader() { branches_.drain(clock_.now() + farewell_limit, farewell_limit); }

std::optional<Round> Leader::round(View to_rank_0, const std::vector<Offer>& offers, Seconds limit,
                                   const Decide& decide) {
  Seconds until = clock_.now() + limit;
  take(
      {.round = number_, .rank = 0, .to_rank_0 = Blob(to_rank_0.begin(), to_rank_0.end()), .offers = offers});
  tend(0);
  while (a_rank_is_due()) {
    if (end_is_wanted_()) until = std::min(until, clock_.now() + last_moment);
    const Seconds left = until - clock_.now();
    if (left <= 0) break;
    tend(std::min(left, look_again));
  }
  return answer(decide);
}

// Sleeps until something arrives, and takes everything that has.
void Leader::tend(Seconds longest) {
  std::vector<Watched> watched{{&admission_.source()}};
  if (const auto* source = branches_.source()) watched.push_back({source});
  network_.wait(watched, std::min(longest, admission_.longest_wait()));
  admission_.serve();
  branches_.serve([this](int from, const Channel::Frame& frame) { take(from, frame); },
                  [this](int rank) { state(rank).ended = true; });
}

Reply Leader::admit(const Hello& hello) {
  if (hello.size != size_ || hello.rank < 1 || hello.rank >= size_)
    return Reply::refusal(fmt::format("claims to be rank {} of {}, but ranks 1 to {} of {} are expected",
                                      hello.rank, hello.size, size_ - 1, size_));
  Reply no_way;
  no_way.decision = Decision::no_way;
  if (hello.called != 0) return no_way;  // an address of another rank leads here
  State& known = state(hello.rank);
  if (known.instance != 0 && known.instance != hello.instance)
    return Reply::refusal(fmt::format("claims to be rank {}, which has already joined", hello.rank));
  known.instance = hello.instance;
  return tree_.place(hello);
}

void Leader::note_joined(State& one) {
  if (!std::exchange(one.known, true)) ++joined_;
  one.ended = false;
}

std::vector<int> Leader::missing() const {
  std::vector<int> ranks;
  for (int rank = 1; rank < size_; ++rank)
    if (!states_[static_cast<std::size_t>(rank)].known) ranks.push_back(rank);
  return ranks;
}

bool Leader::a_rank_is_due() {
  while (due_ < states_.size() && !is_due(due_)) ++due_;
  return due_ < states_.size();
}

// A rank whose connection broke stays due until its process ends: it may come back by another way.
bool Leader::is_due(std::size_t rank) const {
  const State& one = states_[rank];
  return rank > 0 && !one.ended && !one.gone && !one.rests && one.now.round != number_;
}

void Leader::take(int from, const Channel::Frame& frame) {
  const auto must_be_a_rank = [&](int rank) {
    if (rank < 1 || rank >= size_) throw MachineError("a message of a rank that does not exist");
  };
  if (frame.kind == Channel::Kind::ended) {
    const int rank = Submission::head_of(frame.body).rank;
    must_be_a_rank(rank);
    if (branches_.way_to(rank) == from) state(rank).ended = true;
    return;
  }
  if (frame.kind == Channel::Kind::ask) {
    const Submission asked = Submission::head_of(frame.body);
    must_be_a_rank(asked.rank);
    branches_.reached_through(asked.rank, from);
    if (asked.round < number_) answer_again(asked.rank, asked.round);
    return;
  }
  if (frame.kind != Channel::Kind::submission) throw MachineError("a message that only rank 0 sends");
  Submission submission = Submission::unpacked(frame.body);
  must_be_a_rank(submission.rank);
  branches_.reached_through(submission.rank, from);
  note_joined(state(submission.rank));
  take(std::move(submission));
}

// What was measured counts, early or late, but only once. A late rank is told where the others are, unless it
// rests: it waits to be called.
void Leader::take(Submission submission) {
  State& one = state(submission.rank);
  if (submission.round > number_) throw MachineError("a message for a round that has not begun");
  if (std::exchange(one.gone, false)) due_ = 0;  // it is back, and is waited for again
  const bool is_new = one.taken == never || submission.round > one.taken;
  if (is_new) {
    one.taken = submission.round;
    submitted_.push_back({submission.rank, std::move(submission.to_rank_0)});
  }
  if (submission.round == number_ && is_new)
    one.before = std::exchange(one.now, {submission.round, std::move(submission.offers)});
  if (submission.round < number_ && !one.rests) answer_again(submission.rank, submission.round);
}

void Leader::answer_again(int rank, std::uint64_t round) {
  const bool has_part = round == last_.round && part(rank, round);
  branches_.send(last_.packed(), {{rank, has_part ? for_rank(rank, round) : std::vector<Blob>()}});
}

const Leader::Part* Leader::part(int rank, std::uint64_t round) const {
  const State& one = states_[static_cast<std::size_t>(rank)];
  return one.now.round == round ? &one.now : one.before.round == round ? &one.before : nullptr;
}

bool Leader::is_missing(int rank) const {
  const State& one = states_[static_cast<std::size_t>(rank)];
  return !part(rank, number_) && (!one.rests || one.ended);
}

Round Leader::answer(const Decide& decide) {
  last_ = {.round = number_};
  for (int rank = 0; rank < size_; ++rank) {
    state(rank).gone = is_missing(rank);
    if (state(rank).gone) last_.gone.push_back(rank);
  }
  const auto submitted = std::exchange(submitted_, {});
  auto decided = decide(submitted, last_.gone);
  last_.decision = std::move(decided.text);
  last_.relays = tree_.relays();
  std::vector<Answer::For> all;
  for (int rank = 1; rank < size_; ++rank) {
    State& one = state(rank);
    one.rests = !one.gone && decided.called && !is_among(*decided.called, rank);
    if (!one.gone && !one.rests) all.push_back({rank, for_rank(rank, number_)});
  }
  const Seconds sending = clock_.now();
  branches_.send(last_.packed(), all);
  const Seconds took = (clock_.now() - sending) * tree_.levels();
  branches_.drain(clock_.now() + look_again, 0.02);  // this rank may not come back for a while
  auto mine = for_rank(0, number_);
  ++number_;
  due_ = 0;
  return {.number = last_.round,
          .decision = last_.decision,
          .gone = last_.gone,
          .from_peers = std::move(mine),
          .took = took};
}

// What its peers submitted for this rank, where they named it as their own peer. Nothing if it rested.
std::vector<Blob> Leader::for_rank(int rank, std::uint64_t round) const {
  std::vector<Blob> all;
  const Part* mine = part(rank, round);
  if (!mine) return all;
  const auto& ours = mine->offers;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const int peer = ours[i].peer;
    const Part* theirs = peer >= 0 && peer < size_ ? part(peer, round) : nullptr;
    const bool meets = theirs && i < theirs->offers.size() && theirs->offers[i].peer == rank;
    all.push_back(meets ? theirs->offers[i].bytes : Blob());
  }
  return all;
}

}  // namespace everylink
