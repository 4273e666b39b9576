// Measures pairs, step by step.
#include "coordinator/pair_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "kernel/kernel.hpp"

namespace everylink {
namespace {

constexpr Seconds long_serial = 3600;
constexpr Seconds longest_order = 0.1;  // of several steps: less than what a kill may lose anyway
constexpr int most_calm_wanted = 4096;

constexpr std::uint32_t no_row = ~0u;

// Those that answer the step with this row, and late ones of steps before `late_before`. Late results of
// other steps do not count, as these are measured again.
std::vector<Report> reports_that_count(const std::vector<Report>& all, std::uint32_t row,
                                       std::uint32_t late_before) {
  std::vector<Report> counting;
  for (const auto& report : all)
    if (report.led.samples.empty() || report.step == row || report.step < late_before)
      counting.push_back(report);
  return counting;
}

std::vector<Attempt> attempts_under_load(const FollowUp& plan) {
  std::vector<Attempt> passes;
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (!phases[i].is_serial() && !plan.of_phase[i].empty())
      passes.insert(passes.end(), static_cast<std::size_t>(phases[i].readings), phases[i].attempt);
  return passes;
}

}  // namespace

PairCampaign::PairCampaign(const Options& options, const Introduction& introduction, RunLog& log,
                           bool steps_ahead)
    : options_(options),
      introduction_(introduction),
      log_(log),
      results_(options, log),
      health_(options, introduction.host_of),
      follow_up_(options.confirms() ? follow_up_of(options, introduction) : FollowUp{}),
      again_under_load_(attempts_under_load(follow_up_)),
      plan_(plan_for(options, introduction, Attempt::main, options.randomize ? 1 : 0)),
      steps_ahead_(steps_ahead && !options.serial && !options.confirms() && !options.is_sion() &&
                   !options.all_to_all) {
  if (plan_.pairs == 0)
    throw UsageError(fmt::format(
        "{}: no pair to measure among {} ranks on {}", options.pairs_option(), introduction.host_of.size(),
        text_of_count(1 + *std::max_element(introduction.host_of.begin(), introduction.host_of.end()),
                      "host")));
}

std::size_t PairCampaign::memory_bytes() const { return everylink::memory_bytes(options_); }

Order PairCampaign::begin(Facts facts, std::span<const int> gone) {
  facts.links = 2 * plan_.pairs;
  recalled_ = results_.begin(facts, busy_steps(plan_), passes(), text_of_pairs());
  recorded_ = recalled_.steps;
  for (std::uint32_t pass = 0; pass < again_under_load_.size(); ++pass)
    steps_under_load_ +=
        busy_steps(plan_for(options_, introduction_, attempt_of(pass), relabelling_of(pass)));
  Measure calibration = measure(Attempt::main);
  calibration.calibrates = true;
  calibration.relabelling = options_.randomize ? 1 : 0;
  calibration.steps = {{.schedule_step = step_to_calibrate_by(gone)}};
  return {calibration};
}

// The first step in which two ranks meet that are not gone.
std::int64_t PairCampaign::step_to_calibrate_by(std::span<const int> gone) const {
  const int size = static_cast<int>(introduction_.host_of.size());
  for (auto step = busy_step_from(0); step && !gone.empty(); step = busy_step_from(*step + 1))
    for (int rank = 0; rank < size; ++rank) {
      const int peer = plan_.partner(*step, rank);
      if (peer != no_rank && !is_among(gone, rank) && !is_among(gone, peer)) return *step;
    }
  return *busy_step_from(0);
}

Measure PairCampaign::measure(Attempt attempt) const {
  Measure order;
  order.attempt = attempt;
  order.iteration = iteration_;
  order.tunings = tunings_;
  return order;
}

void PairCampaign::keep(const RoundResults& round) {
  const auto* done = round.done.as<Measure>();
  calibrated_ = done && done->calibrates;
  if (calibrated_) tune(round.reports);
  if (done && !calibrated_) return keep_steps(round, *done);
  results_.keep({.reports = reports_that_count(round.reports, no_row, recorded_),
                 .done = round.done,
                 .gone = round.gone,
                 .began = round.began,
                 .now = round.now,
                 .interrupted = round.interrupted});
  if (round.interrupted || !round.done.is<WriteRows>()) return;
  saved_ = steady_now();
  save_took_ = saved_ - save_began_;
}

// Of several steps, those count that come before the first one in which a pair failed. That one and those
// after it are measured again, one at a time: where a rank failed, its next peers may have waited for it in
// vain.
void PairCampaign::keep_steps(const RoundResults& round, const Measure& done) {
  const bool is_single = done.steps.size() == 1;
  for (std::size_t i = 0; i < done.steps.size(); ++i) {
    const auto row = done.steps[i].row;
    auto reports = reports_that_count(round.reports, row, i == 0 ? row : 0);
    const bool whole = is_whole(reports, done.steps[i]);
    if (!whole && !is_single && !round.interrupted) {
      calm_ = 0;
      calm_wanted_ = std::min(most_calm_wanted, 8 * calm_wanted_);
      again_from_ = Order{done.only(i)};
      return;
    }
    calm_ = whole ? std::min(calm_ + 1, most_calm_wanted) : 0;
    Seconds began = round.began;
    for (const auto& report : reports)
      if (report.rank == 0 && report.step == row) began += report.began;
    keep_step({.reports = std::move(reports),
               .done = is_single ? round.done : Order{done.only(i)},
               .gone = round.gone,
               .began = began,
               .now = round.now,
               .interrupted = round.interrupted});
  }
}

void PairCampaign::keep_step(const RoundResults& round) {
  results_.keep(round);
  if (round.interrupted) return;
  const auto& done = *round.done.as<Measure>();
  results_.end_step(round, plan_);
  recorded_ = done.step().row + 1;
  if (done.attempt == Attempt::main)
    health_.learn(round.reports, done, round.gone);
  else if (done.goes_through_plan())
    log_.console.retest(done.step().row + 1 - recalled_.steps, static_cast<std::size_t>(steps_under_load_));
  else
    log_.console.retest(again_done_, again_.size());
}

// Whether every pair of a step was measured, and nothing failed.
bool PairCampaign::is_whole(const std::vector<Report>& reports, const Step& step) const {
  const int size = static_cast<int>(introduction_.host_of.size());
  std::vector<char> whole(introduction_.host_of.size());
  for (const auto& report : reports)
    if (report.step == step.row && report.is_whole()) whole[static_cast<std::size_t>(report.rank)] = 1;
  for (int rank = 0; rank < size; ++rank)
    if (!whole[static_cast<std::size_t>(rank)] && partner_in(step, plan_, rank) != no_rank) return false;
  return true;
}

std::optional<Order> PairCampaign::next(const Order& current, std::span<const int> gone, Seconds now) {
  auto next = planned_ ? std::exchange(planned_, std::nullopt) : after(current, gone, now);
  if (!next) return {};
  if (current.is<WriteRows>())
    save_began_ = steady_now();
  else if (is_time_to_save(current, *next))
    planned_ = std::exchange(next, Order{WriteRows{.at_end = false, .corrupt = results_.corrupt()}});
  if (auto* order = next->as<Measure>(); order && order->attempt == Attempt::main) health_.advise(*order);
  return next;
}

// Ranks that have no pair in either order rest: what wakes a rank may disturb those that measure. Both orders
// are of the same plan, as a round without work is between two.
std::optional<std::vector<int>> PairCampaign::called(const Order& begun, const Order& next) const {
  const auto *now = begun.as<Measure>(), *then = next.as<Measure>();
  if (!now || !then || now->calibrates || next.replaces || options_.all_to_all) return {};
  std::vector<int> busy;
  const auto meets = [this](const Measure& order, int rank) {
    return std::any_of(order.steps.begin(), order.steps.end(),
                       [&](const Step& step) { return partner_in(step, plan_, rank) != no_rank; });
  };
  for (int rank = 0; rank < static_cast<int>(introduction_.host_of.size()); ++rank)
    if (meets(*now, rank) || meets(*then, rank)) busy.push_back(rank);
  if (busy.size() == introduction_.host_of.size()) return {};
  return busy;
}

// After the last order of each kind comes a round without work, which collects the results of that order.
std::optional<Order> PairCampaign::after(const Order& current, std::span<const int> gone, Seconds now) {
  if (auto again = std::exchange(again_from_, std::nullopt)) {
    next_row_ = again->as<Measure>()->step().row + 1;
    again->replaces = true;
    return again;
  }
  if (const auto* order = current.as<Measure>()) {
    if (order->calibrates) return Order{Submit{}};
    if (!order->goes_through_plan()) return next_again(now);
    Measure next = *order;
    next.steps = steps_after(*order, gone);
    if (next.steps.empty()) return Order{Submit{}};
    return Order{std::move(next)};
  }
  if (calibrated_) {
    results_.start(now);
    next_row_ = recalled_.steps;
    const std::int64_t steps = busy_steps(plan_), steps_done = options_.confirms() ? 0 : recalled_.main_steps;
    const auto done = steps_done / steps;
    if (done < passes()) return start_iteration(static_cast<std::uint32_t>(done), steps_done % steps);
    iteration_ = static_cast<std::uint32_t>(done);
    return begin_again(gone, now);
  }
  if (!again_.empty()) return {};  // everything is done
  if (iteration_ + 1 < passes() || (!options_.confirms() && now - *results_.began() < options_.min_runtime))
    return start_iteration(iteration_ + 1);
  return begin_again(gone, now);
}

// Several where every pair is short and well, so that they take no longer than ranks wait for each other
// anyway, and all that is known of them is known soon.
std::vector<Step> PairCampaign::steps_after(const Measure& order, std::span<const int> gone) {
  std::vector<Step> steps;
  const std::size_t most = most_steps(gone);
  Seconds all = 0;
  for (auto from = order.steps.back().schedule_step + 1; steps.size() < most;) {
    const auto step = busy_step_from(from);
    if (!step) break;
    const Step next{.row = next_row_, .schedule_step = *step};
    if (most > 1) all += usual_of(next);
    if (!steps.empty() && all > longest_order) break;
    steps.push_back(next);
    ++next_row_;
    from = *step + 1;
  }
  return steps;
}

std::size_t PairCampaign::most_steps(std::span<const int> gone) const {
  const bool is_well = gone.empty() && !health_.is_any_in_trouble() && calm_ >= calm_wanted_;
  return steps_ahead_ && is_well ? Measure::most_steps : 1;
}

// The time of a pair of this step; infinite: not known yet, so that no limit applies to it either.
Seconds PairCampaign::usual_of(const Step& step) const {
  const Seconds near = health_.usual(Reach::near), far = health_.usual(Reach::far);
  if (near > 0 && far > 0) return std::max(near, far);
  const auto& host_of = introduction_.host_of;
  for (int rank = 0; rank < static_cast<int>(host_of.size()); ++rank) {
    const int peer = partner_in(step, plan_, rank);
    if (peer == no_rank) continue;
    if (!(health_.usual(reach_of(host_of, rank, peer)) > 0)) return std::numeric_limits<Seconds>::infinity();
  }
  return std::max(near, far);
}

std::uint32_t PairCampaign::passes() const {
  if (options_.confirms()) return static_cast<std::uint32_t>(again_under_load_.size());
  return static_cast<std::uint32_t>(std::max({1, options_.randomize, options_.min_iterations}));
}

Attempt PairCampaign::attempt_of(std::uint32_t pass) const {
  return options_.confirms() ? again_under_load_[pass] : Attempt::main;
}

// Each pass of each run with --confirm draws anew.
std::uint64_t PairCampaign::relabelling_of(std::uint32_t pass) const {
  if (options_.confirms()) return mix(mix(introduction_.seed, recalled_.steps), pass) | 1;
  return options_.randomize > 0 ? mix(introduction_.seed, pass) | 1 : 0;
}

std::string PairCampaign::text_of_pairs() const {
  const std::string serially = options_.serial ? ", one pair at a time" : "";
  if (options_.confirms()) return fmt::format("Plan {}{}: {}", options_.confirm, serially, follow_up_.text());
  return fmt::format("Schedule {}{}: {} in {}", options_.schedule_text(), serially,
                     text_of_count(2 * plan_.pairs, "link"), text_of_count(busy_steps(plan_), "step"));
}

Order PairCampaign::start_iteration(std::uint32_t iteration, std::int64_t busy_steps_done) {
  iteration_ = iteration;
  Measure order = measure(attempt_of(iteration));
  order.relabelling = relabelling_of(iteration);
  plan_ = plan_for(options_, introduction_, order.attempt, order.relabelling);
  auto step = *busy_step_from(0);
  for (std::int64_t i = 0; i < busy_steps_done; ++i) step = *busy_step_from(step + 1);
  order.steps = {{.row = next_row_++, .schedule_step = step}};
  return {std::move(order)};
}

// The steps of a pass, without idle ones.
std::int64_t PairCampaign::busy_steps(const Plan& plan) const {
  if (options_.serial) return plan.pairs;
  std::int64_t steps = 0;
  for (std::int64_t step = 0; step < plan.steps; ++step) steps += !plan.is_idle(step);
  return steps;
}

std::optional<std::int64_t> PairCampaign::busy_step_from(std::int64_t step) const {
  while (step < plan_.steps && plan_.is_idle(step)) ++step;
  if (step >= plan_.steps) return {};
  return step;
}

std::optional<Order> PairCampaign::begin_again(std::span<const int> gone, Seconds now) {
  again_began_ = now;
  if (options_.confirms()) {
    if (options_.retest_budget <= 0) return {};
    for (std::size_t i = 0; i < phases.size(); ++i)
      for (int reading = 0; phases[i].is_serial() && reading < phases[i].readings; ++reading)
        for (const auto& [a, b] : follow_up_.of_phase[i])
          again_.push_back({phases[i].attempt, std::min(a, b), std::max(a, b)});
    if (again_.empty()) return {};
    return next_again(now);
  }
  if (options_.retest_budget > 0)
    for (const auto& [low, high] : log_.failures.to_try_again(gone))
      again_.push_back({Attempt::failed_again, low, high});
  results_.slowest().sort();
  for (const auto& pair : results_.slowest().pairs())
    again_.push_back({Attempt::retest, pair.low, pair.high});
  if (again_.empty()) return {};
  return next_again(now);
}

Order PairCampaign::next_again(Seconds now) {
  const bool over = now - again_began_ > options_.retest_budget;
  while (over && again_done_ < again_.size() && again_[again_done_].attempt != Attempt::retest) ++again_done_;
  if (again_done_ == again_.size()) return {Submit{}};
  const Again& pair = again_[again_done_++];
  Measure order = measure(pair.attempt);
  order.steps = {{.row = next_row_++, .first = pair.low, .second = pair.high}};
  return {std::move(order)};
}

// Ranks do not measure while they write, so writing may take only a small part of the run.
bool PairCampaign::is_time_to_save(const Order& current, const Order& next) const {
  constexpr Seconds at_least = 1;
  constexpr double part = 0.02;
  return options_.is_sion() && current.is<Measure>() && next.is<Measure>() &&
         steady_now() > saved_ + std::max(at_least, save_took_ / part);
}

std::optional<Order> PairCampaign::last_order() const {
  if (!options_.is_sion()) return {};
  return Order{WriteRows{.at_end = true, .corrupt = results_.corrupt()}};
}

std::uint32_t lead_in(const std::vector<Report>& reports) {
  Seconds took = 0;
  std::vector<Seconds> rounds;
  for (const auto& report : reports) {
    took = std::max(took, report.orders_took);
    if (report.warmup > 0) rounds.push_back(report.warmup);
  }
  if (rounds.empty()) return 0;
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end());
  return static_cast<std::uint32_t>(std::min(std::ceil(took / *middle), 1e5));
}

// One value for all ranks: the largest that any rank needs.
void PairCampaign::tune(const std::vector<Report>& reports) {
  tunings_.assign(options_.sizes.size(), {});
  for (const auto& report : reports)
    for (std::size_t i = 0; i < std::min(report.needs.size(), tunings_.size()); ++i) {
      tunings_[i].rounds_per_reading =
          std::max(tunings_[i].rounds_per_reading, report.needs[i].rounds_per_reading);
    }
  if (!options_.serial && introduction_.crowded.front() == 0) tunings_.front().lead_in = lead_in(reports);
  for (std::size_t i = 0; i < recalled_.tunings.size(); ++i)
    if (recalled_.tunings[i].rounds_per_reading > 0) tunings_[i] = recalled_.tunings[i];
  log_.recorder.tuned(tunings_);
  refuse_long_serial(reports);
}

void PairCampaign::refuse_long_serial(const std::vector<Report>& reports) const {
  Seconds busy = 0;
  for (const auto& report : reports) busy = std::max(busy, report.busy);
  const double messages_probed = 6, messages = options_.most_messages() + options_.warmups;
  const Seconds all = busy * messages / messages_probed * static_cast<double>(plan_.pairs) * passes();
  if (options_.serial && !options_.yes && all > long_serial)
    throw UsageError(fmt::format(
        "--serial-tests: {} pairs one after the other will take about {}; use --yes to measure them "
        "all, or --schedule sample:K to measure a part",
        plan_.pairs, text_of_duration(all)));
}

}  // namespace everylink
