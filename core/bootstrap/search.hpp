// The search for a way to rank 0: first rank 0 itself, then those that are known to listen for others.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/gate.hpp"

namespace everylink {

class Search {
 public:
  struct Found {
    Socket socket;
    int rank;  // of the one who now stands above us
  };

  Search(const Key& key, std::vector<Address> rank_0) : key_(key), rank_0_(std::move(rank_0)) {}

  void begin(const Hello&, const std::vector<Relay>&);
  bool is_under_way() const { return !attempts_.empty(); }
  void add_to(std::vector<pollfd>&) const;
  std::optional<Found> step();  // never waits; when it finds one, the other calls are taken back

  // Rank 0 is gone: where it listened nobody does, or there has been no sign of it for long. Who is connected
  // and waits for an answer has such a sign: that process is busy or stopped.
  bool is_hopeless() const;
  // Rank 0 has refused us for good, and why; "": it has not.
  const std::string& refusal() const { return refusal_; }
  const std::string& last_fault() const { return last_fault_; }  // of the last call to rank 0
  bool keep_listening() const { return keep_listening_; }

 private:
  // One of those who may know the way, and the call that is under way to it.
  struct Attempt {
    int rank;
    std::vector<Address> addresses;
    std::unique_ptr<Call> call{};
    std::size_t next = 0;  // address
    Seconds began = 0, not_before = 0;
    int noes = 0;    // in a row: refused or without a way
    int passes = 0;  // through all addresses
    int turned_away = 0;
  };
  std::optional<Found> step_all(Seconds now);
  std::optional<Found> step(Attempt&, Seconds now);
  std::optional<Found> hear(Attempt&, Seconds now);
  void start(Attempt&, Seconds now);
  void note_failure(Attempt&, Seconds now, bool no);
  bool is_its_turn(const Attempt&, Seconds now) const;

  const Key& key_;
  std::vector<Address> rank_0_;
  Hello hello_;
  std::vector<Attempt> attempts_;   // rank 0 first
  std::optional<Attempt> sent_on_;  // where rank 0 told us to call
  Seconds began_ = 0, sign_ = 0;
  std::string refusal_, last_fault_;
  bool keep_listening_ = false;
};

}  // namespace everylink
