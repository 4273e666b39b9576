// Every other rank in the control plane: it hands in to who stands above it, carries the letters of those
// below it, and finds another way to rank 0 when its own breaks.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/branches.hpp"
#include "bootstrap/gate.hpp"
#include "bootstrap/search.hpp"

namespace everylink {

class Follower final : public Bootstrap {
 public:
  Follower(Place&, Seconds until);
  ~Follower() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::optional<Round> round(View to_rank_0, int peer, View to_peer, Seconds limit, const Decide&) override;

 private:
  struct Waiting {
    std::uint64_t round;
    Blob letter;
  };

  Reply judge(const Hello&) const;
  void tend(Seconds longest);
  void look_above();
  void find_way();
  void carry_up(int from, const Channel::Frame&);
  void carry_down(const Channel::Frame&);

  int rank_, size_;
  std::uint64_t number_ = 0;
  Key key_;
  Hello hello_;
  std::vector<Relay> relays_;
  bool keeps_listening_;
  Channel above_;
  int rank_above_ = no_rank;
  Search search_;
  bool lost_ = false;
  Branches branches_;
  std::optional<Gate> gate_;
  std::map<int, Waiting> waiting_;  // letters that were not answered, ours and of those below, by rank
  std::optional<Round> answer_;     // ours
};

}  // namespace everylink
