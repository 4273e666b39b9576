// Every other rank in the control plane: it submits to the rank above it, carries the messages of the ranks
// below it, and finds another way to rank 0 when its own breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "bootstrap/admission.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/branches.hpp"
#include "bootstrap/channel.hpp"
#include "bootstrap/key.hpp"
#include "bootstrap/place.hpp"
#include "bootstrap/search.hpp"
#include "net/network.hpp"

namespace everylink {

class Follower final : public Bootstrap {
 public:
  Follower(const System&, Place&, Seconds until);
  ~Follower() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::optional<Round> round(View to_rank_0, const std::vector<Offer>&, Seconds limit,
                             const Decide&) override;
  // The rank above this one in the tree; no_rank while it looks for one. For tests.
  int rank_above() const { return above_.open() ? rank_above_ : no_rank; }

 private:
  struct Waiting {
    std::uint64_t round;
    Blob submission;  // packed
  };

  void listen(Place&);
  void listen_no_more();
  Reply admit(const Hello&) const;
  void tend(Seconds longest);
  void look_above();
  void find_way();
  void carry_up(int from, const Channel::Frame&);
  void carry_down(const Channel::Frame&);

  Clock& clock_;
  Network& network_;
  int rank_, size_;
  std::uint64_t number_ = 0;
  std::size_t offers_ = 0;  // for this round
  std::function<bool()> end_is_wanted_;
  Key key_;
  Hello hello_;
  std::vector<Relay> relays_;
  bool keeps_listening_;
  Channel above_;
  int rank_above_ = no_rank;
  Search search_;
  bool lost_ = false;
  Branches branches_;
  std::optional<Admission> admission_;
  std::map<int, Waiting> waiting_;  // unanswered submissions, ours and those of the ranks below, by rank
  std::optional<Round> answer_;     // ours
};

}  // namespace everylink
