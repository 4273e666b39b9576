// Shared by the contract tests: ranks that are processes, forked here or, for `mpi`, started by mpiexec. All
// run the tests in the same order.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "bootstrap/bootstrap.hpp"
#include "transport/transport.hpp"

namespace everylink::contract {

extern std::string mode_name, mode_options;  // of the transport under test

std::string memory_name();  // of messages: EVERYLINK_TEST_MEMORY
Seconds patience();         // for what must happen
Seconds limit();            // for what does not arrive

// One rank in a test: its memories, transport and links to peers.
class Rank {
 public:
  Rank(Bootstrap& world, std::size_t bytes);
  int rank() const { return world_.rank(); }
  Seconds soon() const { return transport->now() + patience(); }

  // Ensures that no epoch occurs twice, whatever earlier tests left.
  void begin_test() { before_ = tests_ += 1000; }
  std::uint64_t epoch(std::uint64_t number) const { return before_ + number; }

  // Exchanges bytes with the peer. Every rank calls it equally often, with no_rank if it has no peer.
  Blob tell(int peer, const Blob& ours) { return round(peer, ours, false, 10 * patience()).from_peers.at(0); }
  // Exchanges offers.
  Blob exchange(int peer, std::uint64_t epoch);
  // The same while another rank is stopped and therefore gone: repeats until the peer takes part in the
  // round.
  Blob exchange_beside_a_stopped_one(int peer, std::uint64_t epoch);
  // Keeps an uninvolved rank in the rounds until the others have ended the test.
  void idle();
  void end();

  std::unique_ptr<Link> link(int peer, std::uint64_t epoch);
  std::unique_ptr<Link> connect(int peer, std::uint64_t epoch, View theirs, Seconds until);
  void together() { exchange(no_rank, 0); }

  // As in core/rank/run.cpp if a link could not be closed: never uses again what a library may still hold.
  void abandon(std::unique_ptr<Link>);
  void close_or_abandon(std::unique_ptr<Link>);
  // A transport with other options.
  void make_transport(const Settings& options);

  static inline bool one_sided = false;  // for transports created from now on

  std::unique_ptr<Memory> out, in;
  std::unique_ptr<Transport> transport;

 private:
  void make_memories();
  Round round(int peer, const Blob& offer, bool last, Seconds limit);
  Bootstrap& world_;
  std::size_t bytes_;
  bool ended_ = false;
  std::uint64_t before_ = 0;
  static inline std::uint64_t tests_ = 0;
};

// Runs the body on `ranks` ranks, each in its own process. A failure in one fails the test.
void on_ranks(int ranks, std::size_t bytes, const std::function<void(Rank&)>& body);

// For tests of two ranks: the third rank has no peer, but takes part in every round.
inline int peer_of(const Rank& rank) { return rank.rank() < 2 ? 1 - rank.rank() : no_rank; }

#define OK(call) EXPECT_EQ(call, Outcome::ok)  // a macro, so that a failure shows its line

}  // namespace everylink::contract
