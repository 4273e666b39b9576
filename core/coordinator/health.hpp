// Finds the ranks that look dark or slow, so that they do not delay the others: how long a pair may take, how
// many messages a slow rank sends, and which ranks are not tried.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

class Health {
 public:
  Health(const Options& options, std::vector<std::int32_t> host_of)
      : options_(options), host_of_(std::move(host_of)) {}

  // Learns from the results of one step of the main run.
  void learn(const std::vector<Report>&, const Measure& step, std::span<const int> gone);
  // Writes what is known so far into an order of the main run.
  void advise(Measure&) const;
  bool is_any_in_trouble() const { return !troubles_.empty(); }
  Seconds usual(Reach) const;  // time of a pair; 0: not known

 private:
  // The trouble of a rank within one reach. Ranks without trouble have no entry.
  struct Trouble {
    int first_silent = no_rank, first_slow = no_rank;  // the first peer of each kind
    bool suspect = false;                              // silent towards a second one
    int silent_in_row = 0;
    std::uint32_t dark_since = 0;  // row of /steps; 0: not dark
    std::uint32_t messages = 0;    // 0: all
    bool lacks = false;            // what its host does not have
  };
  struct Pair {
    int a, b;
    Reach reach;
    bool answered = true;    // no size timed out
    std::uint32_t done = 0;  // messages of its best turn; above 0: something arrived
    Seconds took = 0;
    std::vector<int> lacking = {};  // ends whose host lacks what measuring takes
  };
  using Key = std::pair<int, Reach>;

  std::vector<Pair> pairs_of(const std::vector<Report>&, const Measure&, std::span<const int> gone) const;
  void note_time(const Pair&);
  void note_answer(const Pair&, int rank);
  void note_silent(int rank, int peer, Reach, std::uint32_t step);
  void note_lacking(int rank, Reach, std::uint32_t step);
  static void note_silence(Trouble&, bool is_suspect, std::uint32_t step);
  void note_slow(const Pair&, int rank, int peer);
  bool is_suspect(int rank, Reach) const;

  const Options& options_;
  const std::vector<std::int32_t> host_of_;
  std::map<Key, Trouble> troubles_;
  std::vector<Seconds> times_[2];  // of the latest pairs
  std::size_t next_[2] = {0, 0};
};

}  // namespace everylink
