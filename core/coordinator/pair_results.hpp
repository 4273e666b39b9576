// Results of pairs: recorded, printed, and remembered where a link is slow or has failed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "coordinator/campaign.hpp"
#include "coordinator/slowest.hpp"
#include "linktest/lines.hpp"
#include "linktest/old_lines.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

class PairResults {
 public:
  PairResults(const Options&, RunLog&);

  // Opens the output and says what is to come, before anything is measured. Gives what the file already holds
  // of a resumed run.
  Recalled begin(const Facts&, std::int64_t steps_a_pass, std::uint32_t passes);
  // Measuring begins, on the transport's clock.
  void start(Seconds now);

  // One step's results, or what late ranks bring.
  void keep(const Brought&);
  void end_step(const Brought&, const Plan&);

  Slowest& slowest() { return slowest_; }
  Seconds began() const { return began_; }
  std::string summary() const;
  // Links of the largest size that delivered wrong bytes: from, to, from, to, ...
  const std::vector<std::int32_t>& corrupt() const { return corrupt_; }
  // Closes the output, says the results, and gives the exit code. `kept`: it holds what was measured.
  int end(bool interrupted, bool kept);

 private:
  static void agree(LinkRows& ours, const LinkRows& theirs);
  void learn(const LinkRows&);
  void keep_link(LinkRows, const std::vector<Note>& seen_by_peer);
  // Links that nobody will hand in: of ranks that are gone, and of dark ones that were not tried.
  void keep_untried(const Measure&, const Plan&, std::vector<char>& reported, std::span<const int> gone);
  void keep_outcome(const Measure&, int from, int to, Outcome);
  void tell_plan(const Facts&);
  void tell_progress(const Measure&, Seconds now);
  void tell_job_end(Seconds seconds_left, Seconds a_step);
  std::vector<Retest> retests() const;
  std::string results() const;

  const Options& options_;
  RunLog& log_;
  std::vector<std::int32_t> host_of_;
  std::int64_t steps_a_pass_ = 0;
  std::uint32_t passes_ = 1, steps_done_ = 0, steps_before_ = 0;
  Seconds began_ = 0;
  std::size_t largest_;                // index of the largest size
  Lines lines_;                        // of the largest size
  std::optional<OldLines> old_lines_;  // instead of them, as mpilinktest
  std::vector<LinkTimes> by_size_;
  Slowest slowest_;
  std::vector<std::int32_t> corrupt_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>
      known_;  // from, to, step of a step cut short
};

}  // namespace everylink
