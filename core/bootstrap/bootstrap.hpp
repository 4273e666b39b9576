// Control traffic: which ranks take part, what they report, and what they do next. It runs only between
// measurements.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "bootstrap/place.hpp"
#include "host/streams.hpp"
#include "net/network.hpp"

namespace everylink {

struct Submitted {
  int rank;
  Blob to_rank_0;
};

// What a rank hands in for another rank. The i-th offer of a rank meets the i-th offer of its peer.
struct Offer {
  int peer = no_rank;  // no_rank: for nobody
  Blob bytes = {};
};

// The same on every rank, except from_peers, rested and took.
struct Round {
  std::uint64_t number = 0;    // another than the one submitted for, or this rank is among the gone: it was
                               // late, and learns where the others are
  Blob decision = {};          // rank 0's, from decide
  std::vector<int> gone = {};  // sorted: the ranks that did not submit for this round
  std::vector<Blob> from_peers = {};  // what the peer of each offer offered this rank; empty: nothing
  // This rank was not needed since the round that it submitted for, and is called for the next one. It has
  // missed nothing, and from_peers is empty.
  bool rested = false;
  Seconds took = 0;  // on rank 0: from sending the first answer until the last rank can have its own
};

// What rank 0 tells the ranks, and which of them.
struct Decided {
  Decided(Blob to_all) : text(std::move(to_all)) {}
  Decided(Blob to_some, std::optional<std::vector<int>> some)
      : text(std::move(to_some)), called(std::move(some)) {}

  Blob text;
  // Sorted. The others rest: they hear nothing, and nobody waits for them, until they are called again.
  std::optional<std::vector<int>> called = {};
};

// Runs on rank 0 only, once per round, with everything submitted since the last round, late submissions
// included.
using Decide = std::function<Decided(std::span<const Submitted>, std::span<const int> gone)>;

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Hands in for the next round and sleeps until its answer. Rank 0 waits for `limit` seconds of real time
  // and decides which ranks are gone; the others wait for twice that and a minute more. A rank that rests
  // hears of rank 0 every ten seconds. Nothing: rank 0 is lost.
  virtual std::optional<Round> round(View to_rank_0, const std::vector<Offer>&, Seconds limit,
                                     const Decide&) = 0;
};

// What control traffic needs of the operating system. Tests put a simulated one in its place.
struct System {
  Clock& clock;
  Network& network;
  std::function<bool()> end_is_wanted;                         // a signal asked this process to end the run
  std::function<void(std::string_view line)> tell = complain;  // people, on standard error
};

// Over TCP: rank 0 listens and the others call it. Up to `tree_above` ranks all stay connected to it; above,
// one rank per host leads the others of its host, and the leaders form a tree. Rank 0 waits until all have
// joined. It goes on without those that are known to have ended, and without the others once `limit` has
// passed since the last one joined, or longest_join in all: these are gone in the first round. After ten
// seconds it tells which are missing. Throws MachineError if no other rank has joined, or says why this rank
// cannot reach rank 0 within `limit` or was refused.
inline constexpr Seconds longest_join = 600;
std::unique_ptr<Bootstrap> join(Place&, Seconds limit, int tree_above, const System&);
// On this machine's clock and network. The tree starts above usual_tree_above ranks, or EVERYLINK_TREE_ABOVE
// (for tests of the tree with few ranks).
inline constexpr int usual_tree_above = 512;
std::unique_ptr<Bootstrap> join(Place&, Seconds limit);

}  // namespace everylink
