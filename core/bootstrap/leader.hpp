// Rank 0 in the control plane: it alone decides which ranks are gone, so all agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "bootstrap/admission.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/branches.hpp"
#include "bootstrap/channel.hpp"
#include "bootstrap/place.hpp"
#include "bootstrap/tree.hpp"

namespace everylink {

class Leader final : public Bootstrap {
 public:
  Leader(const System&, Place&, int tree_above, Seconds join_limit);
  ~Leader() override;

  int rank() const override { return 0; }
  int size() const override { return size_; }
  std::optional<Round> round(View to_rank_0, const std::vector<Offer>&, Seconds limit,
                             const Decide&) override;

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  // What a rank submitted in time for a round.
  struct Part {
    std::uint64_t round = never;
    std::vector<Offer> offers;
  };
  struct State {
    bool known = false;           // it has joined
    std::uint64_t instance = 0;   // of its process; 0: it came through another rank
    bool ended = false;           // its process has
    bool gone = false;            // in the last round, and so not waited for
    bool rests = false;           // it was not called for this round, and is not waited for either
    std::uint64_t taken = never;  // the last round that it submitted for, in time or late
    Part now, before;             // before: in case it missed the answer of the last round
  };

  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const Part* part(int rank, std::uint64_t round) const;
  bool is_missing(int rank) const;
  Reply admit(const Hello&);
  void note_joined(State&);
  void wait_for_all(Seconds limit, const Place&);
  std::vector<int> missing() const;
  bool a_rank_is_due();
  bool is_due(std::size_t rank) const;
  void tend(Seconds longest);
  void take(int from, const Channel::Frame&);
  void take(Submission);
  void answer_again(int rank, std::uint64_t round);
  Round answer(const Decide&);
  std::vector<Blob> for_rank(int rank, std::uint64_t round) const;

  Clock& clock_;
  Network& network_;
  std::function<bool()> end_is_wanted_;
  std::function<void(std::string_view)> tell_;
  int size_;
  std::uint64_t number_ = 0;
  std::vector<State> states_;
  int joined_ = 1;
  Tree tree_;
  Branches branches_;
  Admission admission_;
  std::vector<Submitted> submitted_;
  Answer::Common last_;
  std::size_t due_ = 0;
};

}  // namespace everylink
