// Measures pairs: the steps of the schedule, then the failed and the slowest links once more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "coordinator/campaign.hpp"
#include "coordinator/health.hpp"
#include "coordinator/pair_results.hpp"
#include "protocol/introduction.hpp"
#include "protocol/report.hpp"
#include "schedule/follow_up.hpp"

namespace everylink {

// How many rounds last until all ranks have their orders, in a pair of median speed: pairs within a host are
// faster than those over the network, and are not what the others wait for. From the reports on a
// calibration.
std::uint32_t lead_in(const std::vector<Report>&);

class PairCampaign final : public Campaign {
 public:
  // Throws UsageError if the schedule has no pair. `options`, `introduction` and `log` outlive it.
  // `steps_ahead`: orders may carry several steps.
  PairCampaign(const Options&, const Introduction&, RunLog&, bool steps_ahead);

  std::size_t memory_bytes() const override;
  Order begin(Facts, std::span<const int> gone) override;
  void keep(const RoundResults&) override;
  std::optional<Order> next(const Order& current, std::span<const int> gone, Seconds now) override;
  std::optional<std::vector<int>> called(const Order& begun, const Order& next) const override;
  std::optional<Order> last_order() const override;
  std::optional<Seconds> began() const override { return results_.began(); }
  std::string summary() const override { return results_.summary(); }
  int finish(bool interrupted, bool kept) override { return results_.end(interrupted, kept); }

 private:
  void refuse_long_serial(const std::vector<Report>&) const;
  void tune(const std::vector<Report>&);
  void keep_steps(const RoundResults&, const Measure& done);
  void keep_step(const RoundResults&);
  bool is_whole(const std::vector<Report>&, const Step&) const;
  std::vector<Step> steps_after(const Measure&, std::span<const int> gone);
  std::size_t most_steps(std::span<const int> gone) const;
  Seconds usual_of(const Step&) const;
  std::optional<Order> after(const Order& current, std::span<const int> gone, Seconds now);
  std::int64_t step_to_calibrate_by(std::span<const int> gone) const;
  Measure measure(Attempt) const;
  Order start_iteration(std::uint32_t iteration, std::int64_t busy_steps_done = 0);
  std::optional<Order> begin_again(std::span<const int> gone, Seconds now);
  Order next_again(Seconds now);
  bool is_time_to_save(const Order& current, const Order& next) const;
  std::int64_t busy_steps(const Plan&) const;
  std::optional<std::int64_t> busy_step_from(std::int64_t step) const;
  std::uint32_t passes() const;
  Attempt attempt_of(std::uint32_t pass) const;
  std::uint64_t relabelling_of(std::uint32_t pass) const;
  std::string text_of_pairs() const;

  const Options& options_;
  const Introduction& introduction_;
  RunLog& log_;
  PairResults results_;
  Health health_;
  FollowUp follow_up_;                     // of --confirm
  std::vector<Attempt> again_under_load_;  // by pass of --confirm
  std::int64_t steps_under_load_ = 0;      // in all these passes
  Plan plan_;                              // of the iteration
  const bool steps_ahead_;
  std::uint32_t recorded_ = 0;       // the row of /steps that comes next
  int calm_ = 0, calm_wanted_ = 1;   // steps without a fault, so far and before orders carry several
  std::optional<Order> again_from_;  // the first step of the last order that was not whole
  std::vector<Tuning> tunings_;      // one per size
  std::uint32_t iteration_ = 0;
  std::uint32_t next_row_ = 0;
  bool calibrated_ = false;  // this round brought the results of calibration
  Recalled recalled_;        // of the run that this one resumes
  struct Again {
    Attempt attempt;
    int low, high;
  };
  std::vector<Again> again_;  // pairs to measure once more: failed ones, then the slowest
  std::size_t again_done_ = 0;
  Seconds again_began_ = 0;
  std::optional<Order> planned_;  // the order after ranks have saved
  Seconds save_began_ = 0, saved_ = steady_now(), save_took_ = 0;
};

}  // namespace everylink
