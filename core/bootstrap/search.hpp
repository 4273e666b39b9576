// The search for a way to rank 0: first rank 0 itself, then the ranks that are known to listen for others.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "bootstrap/admission.hpp"
#include "bootstrap/key.hpp"
#include "bootstrap/place.hpp"
#include "net/network.hpp"

namespace everylink {

class Search {
 public:
  struct Found {
    Channel channel;
    int rank;  // that is now above this one
  };

  Search(Network& network, Clock& clock, const Key& key, std::vector<Address> rank_0)
      : network_(network), clock_(clock), key_(key), rank_0_(std::move(rank_0)) {}

  void begin(const Hello&, const std::vector<Relay>&);
  bool is_active() const { return !attempts_.empty(); }
  void add_to(std::vector<Watched>&) const;
  std::optional<Found> step();  // never waits; once a way is found, the other calls are withdrawn

  // Rank 0 is gone: no process listens at its addresses, or there has been no sign of it for long. A
  // connection that waits for an answer is such a sign: the process is busy or stopped.
  bool is_hopeless() const;
  // Why rank 0 has refused this rank for good; "": it has not.
  const std::string& refusal() const { return refusal_; }
  const std::string& last_fault() const { return last_fault_; }  // of the last call to rank 0
  bool keep_listening() const { return keep_listening_; }

 private:
  // A rank that may know the way, and the current call to it.
  struct Attempt {
    int rank = no_rank;
    std::vector<Address> addresses = {};
    std::unique_ptr<Call> call = {};
    std::size_t next = 0;  // address
    Seconds began = 0, not_before = 0;
    int noes = 0;    // in a row: refused, or no way from there
    int passes = 0;  // through all addresses
    int turned_away = 0;
  };
  std::optional<Found> step_all(Seconds now);
  std::optional<Found> step(Attempt&, Seconds now);
  std::optional<Found> hear(Attempt&, Seconds now);
  void start(Attempt&, Seconds now);
  void note_failure(Attempt&, Seconds now, bool no);
  bool is_its_turn(const Attempt&, Seconds now) const;

  Network& network_;
  Clock& clock_;
  const Key& key_;
  std::vector<Address> rank_0_;
  Hello hello_;
  std::vector<Attempt> attempts_;      // rank 0 first
  std::optional<Attempt> redirected_;  // where rank 0 told this rank to call
  Seconds began_ = 0, sign_ = 0;
  std::string refusal_, last_fault_;
  bool keep_listening_ = false;
};

}  // namespace everylink
