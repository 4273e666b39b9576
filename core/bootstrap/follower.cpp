// Every other rank in the control plane.
#include "bootstrap/follower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "base/errors.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

constexpr Seconds follower_grace = 60;  // followers wait longer than rank 0, so that rank 0 decides
constexpr Seconds ask_after = 10;       // an answer may be lost with a rank between rank 0 and this one
constexpr Seconds search_nap = 0.05;

std::uint64_t drawn_number() {
  std::uint64_t number = 0;
  draw(std::as_writable_bytes(std::span(&number, 1)));
  return number | 1;
}

}  // namespace

Follower::Follower(const System& system, Place& place, Seconds until)
    : clock_(system.clock),
      network_(system.network),
      rank_(place.rank),
      size_(place.size),
      end_is_wanted_(system.end_is_wanted),
      key_(place.key),
      relays_(place.relays),
      keeps_listening_(place.listener != nullptr),
      search_(network_, clock_, key_, place.rendezvous),
      branches_(network_, clock_, place.size) {
  hello_.rank = rank_;
  hello_.size = size_;
  hello_.instance = drawn_number();
  hello_.host = host_hash(place);
  try {
    listen(place);
  } catch (const LocalFault&) {
    listen_no_more();
  }
  for (Seconds nap = 0; !above_.open(); nap = search_nap) {
    if (!search_.refusal().empty()) throw MachineError(search_.refusal());
    if (system.end_is_wanted()) throw RunLost("interrupted before this rank had joined");
    if (clock_.now() > until)
      throw MachineError(fmt::format("cannot reach rank 0 at {}", search_.last_fault().empty()
                                                                      ? place.rendezvous.at(0).text()
                                                                      : search_.last_fault()));
    try {
      tend(nap);
    } catch (const LocalFault&) {
      if (!admission_) throw;
      listen_no_more();
      search_.begin(hello_, relays_);
    }
  }
  if (!keeps_listening_) admission_.reset();
}

// Without descriptors for it, this rank leads nobody, but takes part, and tells what its machine lacks.
void Follower::listen_no_more() {
  hello_.listens = {};
  admission_.reset();
}

void Follower::listen(Place& place) {
  auto listener = place.listener ? std::move(place.listener) : listener_for(place, network_);
  if (!listener) return;
  hello_.listens = AddressList::of(listener->addresses());
  admission_.emplace(
      network_, clock_, std::move(listener), key_, [this](const Hello& caller) { return admit(caller); },
      [this](const Hello& caller, Channel channel) {
        try {
          branches_.add(caller.rank, std::move(channel));
        } catch (const LocalFault&) {  // the caller finds another way
        }
      });
}

Follower::~Follower() { branches_.drain(clock_.now() + farewell_limit, farewell_limit); }

std::optional<Round> Follower::round(View to_rank_0, const std::vector<Offer>& offers, Seconds limit,
                                     const Decide&) {
  const Seconds until = clock_.now() + 2 * limit + follower_grace;
  const Submission mine{.round = number_,
                        .rank = rank_,
                        .to_rank_0 = Blob(to_rank_0.begin(), to_rank_0.end()),
                        .offers = offers};
  offers_ = offers.size();
  waiting_[rank_] = {number_, mine.packed()};
  above_.send(Channel::Kind::submission, {waiting_[rank_].submission});
  Seconds asks_at = clock_.now() + ask_after;
  bool tells_end = !end_is_wanted_();  // else what is handed in has told it
  tend(0);                             // what followed our last answer
  while (!lost_ && !answer_ && clock_.now() < until) {
    tend(look_again);
    const bool end_is_news = end_is_wanted_() && std::exchange(tells_end, false);
    if (!answer_ && (end_is_news || clock_.now() > asks_at)) {
      above_.send(Channel::Kind::ask, {Submission{.round = number_, .rank = rank_}.packed()});
      asks_at = clock_.now() + ask_after;
    }
  }
  if (!answer_) {
    lost_ = true;
    return {};
  }
  const auto answer = std::exchange(answer_, {});
  number_ = answer->number + 1;  // this process may have slept for many rounds
  branches_.drain(clock_.now() + look_again, 0.02);
  return answer;
}

// Sleeps until something arrives from above, from below or from a stranger, and passes it on.
void Follower::tend(Seconds longest) {
  std::vector<Watched> watched;
  if (const auto* source = branches_.source()) watched.push_back({source});
  if (admission_) {
    watched.push_back({&admission_->source()});
    longest = std::min(longest, admission_->longest_wait());
  }
  if (above_.open())
    watched.push_back({.source = &above_.connection(), .room = above_.has_to_send()});
  else
    search_.add_to(watched);
  network_.wait(watched, above_.open() ? longest : std::min(longest, search_nap));
  look_above();
  if (!above_.open()) find_way();
  if (admission_) admission_->serve();
  branches_.serve([this](int from, const Channel::Frame& frame) { carry_up(from, frame); },
                  [this](int rank) {
                    const Submission ended{.rank = rank};
                    above_.send(Channel::Kind::ended, {ended.packed()});
                  });
}

void Follower::look_above() {
  if (!above_.open()) return;
  above_.flush();
  above_.close_if_dark();
  try {
    // One answer for us at a time: what follows it waits for our next submission.
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
  if (!search_.is_active()) {
    hello_.lost = rank_above_;
    hello_.has_children = !branches_.empty();
    search_.begin(hello_, relays_);
  }
  auto found = search_.step();
  keeps_listening_ |= search_.keep_listening();
  lost_ = !found && (search_.is_hopeless() || !search_.refusal().empty());
  if (!found) return;
  above_ = std::move(found->channel);
  rank_above_ = found->rank;
  std::erase_if(waiting_,
                [this](const auto& one) { return one.first != rank_ && !branches_.reaches(one.first); });
  for (const auto& [rank, one] : waiting_) above_.send(Channel::Kind::submission, {one.submission});
}

// A rank with children of its own is accepted only directly below rank 0, so that no circle can close.
Reply Follower::admit(const Hello& caller) const {
  if (caller.size != size_ || caller.rank < 1 || caller.rank >= size_ || caller.rank == rank_)
    return Reply::refusal(fmt::format("claims to be rank {} of {}", caller.rank, caller.size));
  Reply reply;
  reply.rank = rank_;
  const bool knows_way =
      caller.called == rank_ && above_.open() && (rank_above_ == 0 || !caller.has_children);
  reply.decision = knows_way ? Decision::welcome : Decision::no_way;
  return reply;
}

void Follower::carry_up(int from, const Channel::Frame& frame) {
  const Submission head = Submission::head_of(frame.body);
  if (head.rank < 1 || head.rank >= size_ || head.rank == rank_ || frame.kind == Channel::Kind::answer)
    throw MachineError("not a message from a rank below");
  if (frame.kind != Channel::Kind::ended) branches_.reached_through(head.rank, from);
  if (frame.kind == Channel::Kind::submission) waiting_[head.rank] = {head.round, frame.body};
  above_.send(frame.kind, {frame.body});
}

void Follower::carry_down(const Channel::Frame& frame) {
  if (frame.kind != Channel::Kind::answer) throw MachineError("not a message from the rank above");
  auto [common, all] = Answer::split(frame.body, size_);
  auto read = Answer::Common::unpacked(common, size_);
  for (auto& one : all) {
    const auto asked = waiting_.find(one.rank);
    if (asked == waiting_.end() || read.round < asked->second.round) continue;  // answered already
    waiting_.erase(asked);
    if (one.rank == rank_) answer_ = Round{.number = read.round, .from_peers = std::move(one.from_peers)};
  }
  std::erase_if(all, [this](const Answer::For& one) { return one.rank == rank_; });
  branches_.send(common, all);
  relays_ = read.relays.empty() ? relays_ : std::move(read.relays);
  if (!answer_) return;
  answer_->decision = std::move(read.decision);
  answer_->gone = std::move(read.gone);
  const bool has_part = answer_->number == number_ && answer_->from_peers.size() == offers_;
  answer_->rested = !has_part && !is_among(answer_->gone, rank_);
}

}  // namespace everylink
