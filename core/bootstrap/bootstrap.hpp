// Who is here: the only talk outside the timed part.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "bootstrap/place.hpp"

namespace everylink {

struct Handed {
  int rank;
  Blob to_rank_0;
};

// The same on every rank, but for from_peer.
struct Round {
  std::uint64_t number;   // not the one handed in for, or we are among the gone: we were late, and are told
                          // where the others are
  Blob word;              // rank 0's, from decide
  std::vector<int> gone;  // sorted: who did not hand in for this round
  Blob from_peer;         // what `peer` handed in for us; empty: it has none for us
};

// Runs on rank 0 only, once a round, with everything handed in since the last one, late hand-ins among it.
using Decide = std::function<Blob(std::span<const Handed>, std::span<const int> gone)>;

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Hands in for the next round and sleeps until its answer. Rank 0 waits for `limit` seconds of real time
  // and decides who is gone; the others wait for twice that and a minute more. Nothing: rank 0 is lost.
  virtual std::optional<Round> round(View to_rank_0, int peer, View to_peer, Seconds limit,
                                     const Decide&) = 0;
};

// 512, or EVERYLINK_TREE_ABOVE: for tests of the tree with few ranks.
int default_tree_above();

// Over TCP: rank 0 listens, the others call. Up to `tree_above` ranks all stay connected to it; above, one a
// host leads those of its host, and the leaders form a tree. Returns when all have joined; throws
// MachineError that names those who did not within `limit`, or says why rank 0 did not let us in.
std::unique_ptr<Bootstrap> join(Place&, Seconds limit, int tree_above = default_tree_above());

}  // namespace everylink
