// What a run does: it measures pairs, or it plays a load pattern. The coordinator drives either through one
// interface.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/rank_facts.hpp"
#include "base/types.hpp"
#include "coordinator/console.hpp"
#include "coordinator/failures.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"

namespace everylink {

// Sentences about the run, each once.
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

// Commits what was recorded once per second of real time: a kill loses no more than that.
class Commits {
 public:
  explicit Commits(Recorder& recorder) : recorder_(recorder) {}
  void start() { last_ = steady_now(); }
  // Whether the file now holds everything that was recorded.
  bool if_due(bool at_once) {
    constexpr Seconds every = 1;
    if (!at_once && steady_now() < last_ + every) return false;
    recorder_.commit();
    start();
    return true;
  }

 private:
  Recorder& recorder_;
  Seconds last_ = 0;
};

// What every campaign writes to and knows about the ranks.
struct RunLog {
  Recorder& recorder;
  Console& console;
  std::vector<RankFacts> ranks = {};
  Failures failures = {};
  Remarks remarks = {};
  Commits commits{recorder};

  void know(const std::vector<RankFacts>& all, const std::vector<int>& host_of) {
    ranks = all;
    failures.know(all, host_of);
  }
  // What a rank's transport knows about a link that failed.
  void remark_fault(const Report&);
  std::vector<std::string> lanes() const;
  // How the plan of every run begins: which ranks, where, over what.
  std::string heading(const Facts&) const;
};

// What a round brought.
struct Brought {
  std::vector<Report> reports;  // by rank
  const Order& done;            // the order whose results they are; some may be late
  std::span<const int> gone;    // sorted
  Seconds began, now;           // of `done`, on the transport's clock
  bool interrupted;             // the run ends here, and ranks that left first made links of others fail
};

class Campaign {
 public:
  virtual ~Campaign() = default;
  virtual std::size_t memory_bytes() const = 0;  // of each of a rank's two memories
  // Opens the output, says what is to come, and gives the first order.
  virtual Order begin(Facts) = 0;
  virtual void keep(const Brought&) = 0;
  // The order that follows `current`, whose results come one round later. Nothing: all is done, and kept.
  virtual std::optional<Order> next(const Order& current, std::span<const int> gone, Seconds now) = 0;
  // The last thing ranks do before the end, if there is any.
  virtual std::optional<Order> last_order() const = 0;
  virtual std::string summary() const = 0;  // of what is known so far
  // Closes the output, says the results and gives the exit code. `kept`: the output holds what was measured.
  virtual int finish(bool interrupted, bool kept) = 0;
};

}  // namespace everylink
