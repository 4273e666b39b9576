// What was measured: kept in the file, said on the console, remembered where it is slow or has failed.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "coordinator/console.hpp"
#include "coordinator/failures.hpp"
#include "coordinator/keeping.hpp"
#include "coordinator/slowest.hpp"
#include "linktest/lines.hpp"
#include "linktest/old_lines.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

class Ledger {
 public:
  Ledger(const Options&, Recorder&, Console&);

  // Opens the output and says what is to come, before anything is measured. Gives what a run that goes on
  // had.
  Recalled begin(const Facts&, std::int64_t steps_a_pass, std::uint32_t passes);
  void tuned(const std::vector<Tuning>& tunings) { recorder_.tuned(tunings); }
  // Measuring begins, on the transport's clock.
  void start(Seconds now);

  // One step's results, or what late ranks bring; `began` and `now` on the transport's clock.
  void keep(const std::vector<Report>&, const Order& step, std::span<const int> gone);
  void end_step(const std::vector<Report>&, const Order& step, const Plan&, std::span<const int> gone,
                Seconds began, Seconds now);

  Slowest& slowest() { return slowest_; }
  Seconds began() const { return began_; }
  Failures& failures() { return failures_; }
  void carried(int rank, const std::string& lanes) {
    ranks_[static_cast<std::size_t>(rank)].carrier.lanes = lanes;
  }
  void remark(const std::string& text) { remarks_.add(text); }  // once each
  // Whether all that was kept is in the file now.
  bool commit_if_due(bool at_once) { return commits_.if_due(at_once); }
  void tell_interim();  // what is known so far
  // Links of the largest size that delivered wrong bytes: from, to, from, to, ...
  const std::vector<std::int32_t>& corrupt() const { return corrupt_; }
  // Closes the output, says the results, and gives the exit code. `kept`: it holds what was measured.
  int end(bool interrupted, bool kept = true);

 private:
  static void agree(LinkRows& ours, const LinkRows& theirs);
  void learn(const LinkRows&);
  void keep_link(LinkRows, const std::vector<Note>& seen_by_peer);
  // Links that nobody will hand in: of ranks that are gone, and of dark ones that were not tried.
  void keep_untried(const Order& step, const Plan&, std::vector<char>& reported, std::span<const int> gone);
  void keep_outcome(const Order& step, int from, int to, Outcome);
  void tell_plan(const Facts&);
  void tell_progress(const Order& step, Seconds now);
  void tell_job_end(Seconds seconds_left, Seconds a_step);
  std::string summary() const;
  std::vector<Retest> retests() const;
  std::string results() const;

  const Options& options_;
  Recorder& recorder_;
  Commits commits_{recorder_};
  Console& console_;
  std::vector<RankFacts> ranks_;
  std::vector<std::int32_t> host_of_;
  std::int64_t steps_a_pass_ = 0;
  std::uint32_t passes_ = 1, steps_done_ = 0, steps_before_ = 0;
  Seconds began_ = 0;
  std::size_t largest_;                // index of the largest size
  Lines lines_;                        // of the largest size
  std::optional<OldLines> old_lines_;  // instead of them, as mpilinktest
  std::vector<LinkTimes> by_size_;
  Failures failures_;
  Slowest slowest_;
  std::int64_t links_ok_ = 0;
  std::vector<std::int32_t> corrupt_;
  Remarks remarks_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>
      known_;  // from, to, step of a step cut short
};

}  // namespace everylink
