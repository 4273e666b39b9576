// Who is here: the only talk outside the timed part.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootstrap/place.hpp"
#include "words.hpp"

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

// A star over TCP: rank 0 listens, the others call. Returns when all have joined; throws MachineError that
// names those who did not within `limit`.
std::unique_ptr<Bootstrap> join_star(Place&, Seconds limit);

}  // namespace everylink
