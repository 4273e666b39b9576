// Rank 0's mind: takes what ranks hand in, keeps it, says it, and decides what everybody does next. It knows
// neither transports nor kernels.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "config.hpp"
#include "console.hpp"
#include "failures.hpp"
#include "letters.hpp"
#include "lines.hpp"
#include "record/recorder.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

// The plan of one iteration; every rank makes the same.
Plan plan_for(const Options&, const Introduction&, std::uint64_t relabelling);
// The ranks of an order's step: no_rank, or the partner.
int partner_in(const Order&, const Plan&, int rank);

class Conductor {
 public:
  struct Context {
    const Options& options;
    std::string bootstrap;
    bool pinned;
    bool real_memory;              // messages really lie somewhere
    std::function<Seconds()> now;  // the transport's clock; empty until there is one
  };
  Conductor(const Context&, int size, Recorder&, Console&);
  void has_clock(std::function<Seconds()> now) { context_.now = std::move(now); }

  // One round. Never throws: what went wrong is said, and the word is to stop.
  Blob decide(std::span<const Handed>, std::span<const int> gone);

 private:
  enum class Stage { introducing, preparing, working };
  Blob introduce(std::span<const Handed>, std::span<const int> gone);
  Order prepare(const std::vector<Report>&, std::span<const int> gone);
  Order work(const std::vector<Report>&, std::span<const int> gone);

  void keep(const std::vector<Report>&);
  void end_step(const std::vector<Report>&, std::span<const int> gone);
  void keep_link(LinkRows, const std::vector<Note>& seen_by_peer);
  void keep_absent(const std::vector<char>& reported, std::span<const int> gone);
  void tune(const std::vector<Report>&);
  void remember_slow(const Sample&);
  void tell_progress();
  void tell_plan();
  void refuse_long_serial(const std::vector<Report>&);

  Order next_order();
  Order start_iteration(std::uint32_t iteration);
  std::optional<std::int64_t> busy_step_from(std::int64_t step) const;
  Order retest_or_stop();
  Order stop(int exit_code);
  Order finish();
  void summarise();
  std::uint32_t iterations() const;

  Context context_;
  const int size_;
  Recorder& recorder_;
  Console& console_;
  Stage stage_ = Stage::introducing;
  std::vector<RankFacts> ranks_;
  Introduction introduction_;
  Plan plan_;
  Order current_;   // what ranks do between this round and the next
  Order measured_;  // whose results this round brings
  Seconds began_ = 0, step_began_ = 0;
  std::uint32_t next_row_ = 0, steps_done_ = 0;
  std::int64_t steps_a_pass_ = 0;
  struct Slow {
    float mean;
    int low, high;
    std::vector<Sample> first, second;  // both links, of the largest size
  };
  std::vector<Slow> slow_;
  std::size_t retested_ = 0;
  bool retesting_ = false;
  Failures failures_;
  std::unique_ptr<Lines> lines_;
  std::size_t largest_ = 0;  // index of the largest size
  std::vector<LinkTimes> by_size_;
  std::int64_t links_ok_ = 0;
  bool clean_ = true;
  Seconds last_commit_ = 0;
  bool told_job_end_ = false;
};

}  // namespace everylink
