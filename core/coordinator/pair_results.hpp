// The results of pairs: records and prints them, and remembers slow and failed links.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "coordinator/campaign.hpp"
#include "coordinator/slowest.hpp"
#include "linktest/lines.hpp"
#include "linktest/old_lines.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

class PairResults {
 public:
  PairResults(const Options&, RunLog&);

  // Opens the output and prints the plan, before anything is measured. `pairs`: those to measure, in words.
  // Returns what the file already holds of a resumed run.
  Recalled begin(const Facts&, std::int64_t steps_per_pass, std::uint32_t passes, const std::string& pairs);
  // Measuring begins; `now` is the transport's clock.
  void start(Seconds now);

  // Keeps the results of one step, and those of late ranks.
  void keep(const RoundResults&);
  void end_step(const RoundResults&, const Plan&);

  Slowest& slowest() { return slowest_; }
  std::optional<Seconds> began() const { return began_; }  // measuring; nothing: not yet
  std::string summary() const;
  // Links of the largest size that delivered wrong bytes: from, to, from, to, ...
  const std::vector<std::int32_t>& corrupt() const { return corrupt_; }
  // Closes the output, prints the results, and returns the exit code. `kept`: the output holds all results.
  int end(bool interrupted, bool kept);

 private:
  static void agree(LinkRows& ours, const Report& theirs);
  void learn(const LinkRows&);
  void keep_link(LinkRows, const std::vector<Note>& seen_by_peer);
  // Keeps links that no rank reports: links of ranks that are gone, and of dark ranks that were not tried.
  void keep_untried(const Measure&, const Plan&, std::vector<char>& reported, std::span<const int> gone);
  void keep_outcome(const Measure&, int from, int to, Outcome);
  void tell_plan(const Facts&, const std::string& pairs);
  void tell_progress(const Measure&, Seconds now);
  void tell_job_end(Seconds seconds_left, Seconds per_step);
  std::vector<Retest> retests() const;
  std::string results() const;

  const Options& options_;
  RunLog& log_;
  std::vector<std::int32_t> host_of_;
  std::int64_t steps_per_pass_ = 0;
  std::uint32_t passes_ = 1, steps_done_ = 0, steps_before_ = 0;
  std::optional<Seconds> began_;
  std::size_t largest_;                // index of the largest size
  Lines lines_;                        // of the largest size
  std::optional<OldLines> old_lines_;  // instead, if called as mpilinktest
  std::vector<LinkTimes> by_size_;
  Slowest slowest_;
  std::vector<std::int32_t> corrupt_;
  // Links of a step that the resumed run did not finish: from, to, step.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> known_;
};

}  // namespace everylink
