// What a run measures: pairs, or the scenes of a load pattern. The coordinator drives both through one
// interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/rank_facts.hpp"
#include "base/seconds.hpp"
#include "coordinator/console.hpp"
#include "coordinator/failures.hpp"
#include "coordinator/local_faults.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"

namespace everylink {

// Sentences about the run, without repeats.
class Remarks {
 public:
  void add(const std::string& text) {
    constexpr std::size_t most = 1000;
    if (all_.size() >= most || std::find(all_.begin(), all_.end(), text) != all_.end()) return;
    all_.push_back(text);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

// Commits what was recorded once per second of real time, so a kill loses no more than that.
class Commits {
 public:
  explicit Commits(Recorder& recorder) : recorder_(recorder) {}
  void start() { last_ = steady_now(); }
  // True: the file now holds everything that was recorded.
  bool if_due(bool at_once) {
    constexpr Seconds every = 1;
    if (!at_once && steady_now() < last_ + every) return false;
    is_kept_ = recorder_.commit() == Kept::in_file;
    start();
    return is_kept_;
  }
  bool is_kept() const { return is_kept_; }  // what was recorded until the last commit

 private:
  Recorder& recorder_;
  Seconds last_ = 0;
  bool is_kept_ = true;
};

// What every campaign writes to, and what it knows about the ranks.
struct RunLog {
  Recorder& recorder;
  Console& console;
  std::vector<RankFacts> ranks = {};
  Failures failures = {};
  Remarks remarks = {};
  LocalFaults local_faults = {};
  Commits commits{recorder};
  Kept kept = Kept::in_file;  // all rows, at the end

  void know(const std::vector<RankFacts>& all, const std::vector<int>& host_of) {
    ranks = all;
    failures.know(all, host_of);
  }
  // Notes what the transport of a rank says about a link that failed, or what the host of the rank lacks.
  void remark_fault(const Report&);
  // "14 of 56 links could not be measured: too many open files on host n3 (rank 6)", or "". Other words if
  // each link was measured at least once.
  std::string unmeasured() const;
  std::vector<std::string> hosts() const;  // by rank
  std::vector<Carrier> carriers() const;
  // The first line of every plan: the ranks, hosts, transport and memory.
  std::string heading(const Facts&) const;
  // "\nMore ranks than cores on hosts n1, n2: ...", or "". LinkTest's names do not print it.
  std::string crowd(const Facts&) const;
};

// The results of a round.
struct RoundResults {
  std::vector<Report> reports;  // by rank
  const Order& done;            // the order that these reports answer; some may be late
  std::span<const int> gone;    // sorted
  Seconds began, now;           // of `done`, on the transport's clock
  bool interrupted;             // the run ends here; ranks that left first broke links of others
};

// Of a run that measured and kept everything, or not.
int exit_code_of(bool is_complete, std::int64_t failed, std::int64_t unmeasured);

class Campaign {
 public:
  virtual ~Campaign() = default;
  virtual std::size_t memory_bytes() const = 0;  // of each of a rank's two memories
  // Opens the output, prints the plan, and returns the first order.
  virtual Order begin(Facts, std::span<const int> gone) = 0;
  virtual void keep(const RoundResults&) = 0;
  // The order after `current`, whose results arrive one round later. Nothing: everything is done and kept.
  virtual std::optional<Order> next(const Order& current, std::span<const int> gone, Seconds now) = 0;
  // The ranks that take part in the next round, sorted, where ranks now begin `begun` and get `next`.
  // Nothing: all of them.
  virtual std::optional<std::vector<int>> called(const Order& /*begun*/, const Order& /*next*/) const {
    return {};
  }
  // What ranks do last before the end, if anything.
  virtual std::optional<Order> last_order() const = 0;
  virtual std::optional<Seconds> began() const = 0;  // measuring, on the transport's clock; nothing: not yet
  virtual std::string summary() const = 0;           // of the results so far
  // Closes the output, prints the results and returns the exit code. `kept`: the output holds all results.
  virtual int finish(bool interrupted, bool kept) = 0;
};

}  // namespace everylink
