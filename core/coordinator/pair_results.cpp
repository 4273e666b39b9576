// The results of pairs.
#include "coordinator/pair_results.hpp"
#include "base/outcome.hpp"
#include "base/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "kernel/kernel.hpp"
#include "linktest/jupiter.hpp"

namespace everylink {
namespace {

constexpr std::int64_t most_step_lines = 2000;
constexpr std::int64_t steps_to_judge_by = 3;

double directions_of(const Options& o) { return kernel_named(o.kernel).both_lead ? 2 : 1; }

// "100 messages", or "100, 100, 5 messages": one number per size.
std::string text_of_messages(const Options& o) {
  if (o.messages.size() == 1) return text_of_count(o.messages.front(), "message");
  return fmt::format("{} messages", fmt::join(o.messages, ", "));
}

std::size_t index_of_largest(const Options& o) {
  return static_cast<std::size_t>(std::max_element(o.sizes.begin(), o.sizes.end()) - o.sizes.begin());
}

}  // namespace

PairResults::PairResults(const Options& options, RunLog& log)
    : options_(options),
      log_(log),
      largest_(index_of_largest(options)),
      lines_(options.sizes[largest_], directions_of(options), options.serial),
      slowest_(options.slowest) {
  for (const auto bytes : options.sizes) by_size_.emplace_back(bytes, directions_of(options));
  if (options.program == Program::mpilinktest)
    old_lines_.emplace(options.sizes[largest_], directions_of(options), options.serial);
}

Recalled PairResults::begin(const Facts& facts, std::int64_t steps_per_pass, std::uint32_t passes,
                            const std::string& pairs) {
  host_of_ = facts.host_of;
  steps_per_pass_ = steps_per_pass;
  passes_ = passes;
  log_.know(facts.ranks, facts.host_of);
  if (old_lines_) slowest_.keep_at_most(log_.ranks.size());
  tell_plan(facts, pairs);
  log_.recorder.begin(facts);
  const auto recalled = log_.recorder.recall([&](const LinkRows& link) {
    learn(link);
    const Sample& s = link.samples.front();
    if (s.attempt == Attempt::main) known_.insert({s.from, s.to, s.step});
  });
  std::erase_if(known_, [&](const auto& link) { return std::get<2>(link) < recalled.main_steps; });
  steps_done_ = steps_before_ = recalled.main_steps;
  return recalled;
}

void PairResults::start(Seconds now) {
  began_ = now;
  log_.commits.start();
}

// If one end gives up, it closes the connection, and the other end finds it broken: both get `timeout`. If
// one end is refused, the other end waits in vain: both get `broken`. If the host of one end lacks what it
// takes, whatever the other end saw comes from that.
void PairResults::agree(LinkRows& ours, const Report& theirs) {
  for (std::size_t i = 0; i < std::min(ours.samples.size(), theirs.led.samples.size()); ++i) {
    Sample& a = ours.samples[i];
    const Sample& b = theirs.led.samples[i];
    if ((a.outcome != Outcome::ok && b.outcome == Outcome::local) ||
        (is_doubtful(a.outcome) && theirs.fault_is_local))
      a.outcome = Outcome::local;
    else if (a.outcome == Outcome::broken && b.outcome == Outcome::timeout && !std::isnan(a.setup))
      a.outcome = Outcome::timeout;
    else if (a.outcome == Outcome::timeout && b.outcome == Outcome::broken && std::isnan(b.setup))
      a.outcome = Outcome::broken;
  }
}

// Both ends of a link report in the same round. The links of a late rank are kept without the report of the
// other end, and only if they are ok: the others are already recorded as absent.
void PairResults::keep(const RoundResults& round) {
  const auto* done = round.done.as<Measure>();
  const auto in_time = [&](const Report& report) { return done && report.step == done->step().row; };
  const auto is_ok = [](const Sample& sample) { return sample.outcome == Outcome::ok; };
  // When the run ends, links to ranks that left first look broken.
  const auto counts = [&](const Report& report) {
    const auto& samples = report.led.samples;
    return !round.interrupted || std::all_of(samples.begin(), samples.end(), is_ok);
  };
  std::map<std::pair<int, int>, const Report*> of_this_step;  // (rank, peer)
  for (const auto& report : round.reports)
    if (in_time(report) && counts(report)) of_this_step[{report.rank, report.peer}] = &report;
  for (const auto& report : round.reports) {
    if (report.led.samples.empty() || !counts(report)) continue;
    LinkRows led = report.led;
    const auto peers = of_this_step.find({report.peer, report.rank});
    const bool known = in_time(report) && peers != of_this_step.end();
    if (report.fault_is_local || !known || !peers->second->fault_is_local) log_.remark_fault(report);
    if (in_time(report) && is_among(round.gone, report.peer))
      for (auto& sample : led.samples)
        if (is_doubtful(sample.outcome)) sample.outcome = Outcome::absent;
    if (!in_time(report)) {
      if (!std::all_of(led.samples.begin(), led.samples.end(), is_ok)) continue;
      if (led.samples.front().attempt == Attempt::main) log_.failures.take_back(led.samples.front());
    }
    if (known) agree(led, *peers->second);
    keep_link(std::move(led), known ? peers->second->notes : std::vector<Note>());
  }
}

void PairResults::end_step(const RoundResults& round, const Plan& plan) {
  const auto& order = *round.done.as<Measure>();
  std::vector<char> reported(log_.ranks.size());
  std::vector<Seconds> busy;
  for (const auto& report : round.reports) {
    if (report.led.samples.empty() || report.step != order.step().row) continue;
    reported[static_cast<std::size_t>(report.rank)] = 1;
    busy.push_back(report.busy);
  }
  keep_untried(order, plan, reported, round.gone);
  std::sort(busy.begin(), busy.end());
  const bool any = !busy.empty() && busy.back() > 0;
  log_.recorder.step({.iteration = order.iteration,
                      .seed = order.relabelling,
                      .began = round.began - *began_,
                      .overlap = any ? static_cast<float>(busy[busy.size() / 2] / busy.back()) : not_known,
                      .gone = static_cast<std::uint32_t>(round.gone.size())});
  if (order.attempt == Attempt::main) tell_progress(order, round.now);
}

// Adds what the other end saw to each sample: how many messages arrived, and whether their contents were
// right.
void PairResults::keep_link(LinkRows link, const std::vector<Note>& seen_by_peer) {
  if (link.samples.front().attempt == Attempt::main && !known_.empty() &&
      known_.contains({link.samples.front().from, link.samples.front().to, link.samples.front().step}))
    return;  // the file of the resumed run already has it
  for (std::size_t i = 0; i < std::min(link.samples.size(), seen_by_peer.size()); ++i) {
    Sample& sample = link.samples[i];
    sample.arrived = seen_by_peer[i].arrived;
    if (sample.outcome == Outcome::ok && seen_by_peer[i].corrupt) sample.outcome = Outcome::corrupt;
  }
  learn(link);
  log_.recorder.rows(link);
}

// For the lines and the summary.
void PairResults::learn(const LinkRows& link) {
  const Sample* worst = &link.samples.front();
  for (std::size_t i = 0; i < link.samples.size(); ++i) {
    const Sample& sample = link.samples[i];
    if (worst->outcome == Outcome::ok) worst = &sample;
    if (sample.attempt == Attempt::main) by_size_[i].add(sample.outcome, double{sample.one_way.mean});
  }
  const Sample& of_largest = link.samples[largest_];
  if (of_largest.attempt == Attempt::main) {
    if (of_largest.outcome == Outcome::corrupt)
      corrupt_.insert(corrupt_.end(),
                      {static_cast<std::int32_t>(of_largest.from), static_cast<std::int32_t>(of_largest.to)});
    lines_.add(of_largest);
    if (old_lines_) old_lines_->add(of_largest);
    slowest_.add(of_largest);
    log_.failures.add(*worst);
  } else {
    slowest_.add_again(of_largest);
    if (of_largest.attempt == Attempt::failed_again) log_.failures.add_again(*worst);
  }
}

// Keeps links that no rank reports: links of ranks that are gone, and of dark ranks.
void PairResults::keep_untried(const Measure& order, const Plan& plan, std::vector<char>& reported,
                               std::span<const int> gone) {
  const auto keep_link_of = [&](int from, int to, Outcome outcome) {
    if (std::exchange(reported[static_cast<std::size_t>(from)], 1) == 0)
      keep_outcome(order, from, to, is_among(gone, from) ? Outcome::absent : outcome);
  };
  for (const auto& care : order.care) {
    const int peer = care.dark ? partner_in(order.step(), plan, care.rank) : no_rank;
    if (peer == no_rank || reach_of(host_of_, care.rank, peer) != care.reach) continue;
    const auto outcome = care.lacks ? Outcome::local : Outcome::presumed;
    keep_link_of(care.rank, peer, outcome);
    keep_link_of(peer, care.rank, outcome);
  }
  // A rank that came back in this round took no part in the step either.
  for (int rank = 0; rank < static_cast<int>(reported.size()); ++rank)
    if (const int peer =
            reported[static_cast<std::size_t>(rank)] ? no_rank : partner_in(order.step(), plan, rank);
        peer != no_rank)
      keep_link_of(rank, peer, Outcome::absent);
}

void PairResults::keep_outcome(const Measure& order, int from, int to, Outcome outcome) {
  LinkRows link;
  for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
    Sample sample;
    sample.from = static_cast<std::uint32_t>(from);
    sample.to = static_cast<std::uint32_t>(to);
    sample.step = order.step().row;
    sample.size = static_cast<std::uint32_t>(i);
    sample.attempt = order.attempt;
    sample.outcome = outcome;
    link.samples.push_back(sample);
  }
  keep_link(std::move(link), {});
}

void PairResults::tell_plan(const Facts& facts, const std::string& pairs) {
  const Options& o = options_;
  const double bytes = o.no_output ? 0 : estimated_bytes(facts);
  log_.console.plan({.ranks = static_cast<int>(log_.ranks.size()),
                     .hosts = log_.failures.hosts(),
                     .transport = o.mode,
                     .kernel = o.kernel,
                     .schedule = o.schedule_text(),
                     .sizes = o.sizes,
                     .steps = steps_per_pass_,
                     .links = facts.links,
                     .file_bytes = bytes,
                     .output = o.no_output ? "" : o.output});
  std::vector<std::string> sizes;
  for (const auto size : o.sizes) sizes.push_back(text_of_size(size));
  std::string text = log_.heading(facts) + fmt::format(", {} kernel", o.kernel);
  if (kernel_named(o.kernel).windowed) text += fmt::format(", window {}", window_used(o));
  text += fmt::format("\n{} and {} of {}", text_of_messages(o), text_of_count(o.warmups, "warm-up"),
                      fmt::join(sizes, ", "));
  if (o.check) text += ", every byte verified";
  if (o.buffers > 1) text += fmt::format(", {} buffers", o.buffers);
  text += fmt::format("\n{}", pairs);
  if (facts.seed) text += fmt::format(", seed {}", facts.seed);
  if (passes_ > 1 && !o.confirms()) text += fmt::format(", {} times", passes_);
  if (o.min_runtime > 0) text += fmt::format(", for at least {}", text_of_duration(o.min_runtime));
  text += fmt::format("\nTime limit {} per pair of ranks at a size of {}",
                      text_of_duration(o.limit(o.largest())), text_of_size(o.largest()));
  const bool has_cores = !log_.ranks.front().cores.empty();  // a simulated host has none
  if (has_cores && (facts.bootstrap == "local" || facts.bootstrap == "stdin"))
    text += facts.pinned ? "; each rank is bound to its own core"
                         : "; ranks are not bound to cores: there are more ranks than cores";
  if (facts.bootstrap != "local") text += log_.crowd(facts);  // it has just been said
  text += o.no_output ? "\nNo results file"
                      : fmt::format("\nResults file {}, about {}", o.output, text_of_bytes(bytes));
  if (o.is_sion())
    text += " (LinkTest's programs see the mean time of each link in it, 0 if it was not measured or failed)";
  if (old_lines_) text += "\n\n" + OldLines::head(o, static_cast<int>(log_.ranks.size())) + "\n\n";
  log_.console.say(text);
}

void PairResults::tell_progress(const Measure& order, Seconds now) {
  const auto iteration = order.iteration;
  ++steps_done_;
  const std::int64_t known = std::max<std::int64_t>(passes_, iteration + 1) * steps_per_pass_;
  const std::int64_t left_here = (iteration + 1) * steps_per_pass_ - steps_done_, left = known - steps_done_;
  const Seconds elapsed = now - *began_, per_step = elapsed / (steps_done_ - steps_before_);
  const Seconds seconds_left = std::max(per_step * static_cast<double>(left), options_.min_runtime - elapsed);
  const int ranks = static_cast<int>(log_.ranks.size());
  const auto lines =
      lines_.end_step(steps_done_) + "\n" + lines_.timing(elapsed, steps_done_, left_here, left);
  const auto text =
      old_lines_ ? old_lines_->end_step(iteration, step_number(order.step(), options_.serial, ranks)) : lines;
  if ((steps_per_pass_ <= most_step_lines || options_.step_lines) && !log_.console.quiet() && !text.empty())
    log_.console.say_linktest(text);
  log_.console.step({.iteration = order.iteration,
                     .step = steps_done_,
                     .steps = known,
                     .links_done = log_.failures.links(),
                     .links_failed = log_.failures.count(),
                     .elapsed = elapsed,
                     .left = left > 0 ? seconds_left : 0});
  if (steps_done_ == steps_before_ + steps_to_judge_by && left > 0) tell_job_end(seconds_left, per_step);
}

// Slurm sets the time at which it ends the job. The value is not trusted: it may be missing or wrong.
void PairResults::tell_job_end(Seconds seconds_left, Seconds per_step) {
  const char* said = std::getenv("SLURM_JOB_END_TIME");
  const Seconds available = said ? std::strtod(said, nullptr) - static_cast<double>(std::time(nullptr)) : 0;
  if (available <= 0 || seconds_left <= available) return;
  const auto fits = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.9 * available / per_step));
  log_.console.complain(
      fmt::format("warning: this run needs {} more, but the job ends in {}; --schedule sample:{} would fit",
                  text_of_duration(seconds_left), text_of_duration(available), fits));
}

int PairResults::end(bool interrupted, bool kept) {
  log_.kept = log_.recorder.end({.interrupted = interrupted,
                                 .not_tried_again = log_.failures.not_tried_again(),
                                 .remarks = log_.remarks.all(),
                                 .carriers = log_.carriers(),
                                 .retests = retests()});
  const int code = exit_code_of(!interrupted && kept && log_.kept == Kept::in_file, log_.failures.count(),
                                log_.failures.unmeasured());
  const auto rest = old_lines_ ? old_lines_->finished_step() : "";
  if (!rest.empty() && !log_.console.quiet()) log_.console.say_linktest(rest);
  if (options_.progress == Progress::json)
    log_.console.say_linktest(results());  // a program that reads JSON finds the rest in the file
  else
    log_.console.say(summary());
  if (options_.preset != Preset::none && !options_.confirms())
    log_.console.say("\n" + table_of_preset(options_, log_.ranks.size(), log_.failures.hosts(), lines_) +
                     (code == exit_ok ? "" : "\nDo not submit this table: not every link is ok"));
  log_.console.end(code, log_.failures.links() - log_.failures.count(), log_.failures.count(),
                   options_.no_output ? "" : options_.output);
  return code;
}

// Both links of each slowest pair are measured again, but LinkTest 1.2 counts links.
std::vector<Retest> PairResults::retests() const {
  auto all = slowest_.retests();
  if (old_lines_) all.resize(std::min(all.size(), slowest_.pairs().size()));
  return all;
}

std::string PairResults::results() const {
  return old_lines_ ? old_lines_->results(retests()) : lines_.results();
}

std::string PairResults::summary() const {
  std::string text;
  if (log_.failures.count() > 0) {
    text += fmt::format("{} of {} links FAILED:\n", log_.failures.count(), log_.failures.links());
    for (const auto& line : log_.failures.lines()) text += "  " + line + "\n";
  }
  if (const auto line = log_.unmeasured(); !line.empty()) text += line + "\n";
  for (const auto& remark : log_.remarks.all()) text += "Note: " + remark + "\n";
  text += results();
  if (old_lines_) return text;
  for (std::size_t i = 0; i < by_size_.size(); ++i) {
    const auto& t = by_size_[i];
    if (!t.any()) continue;
    const auto bandwidth = [&](double one_way) { return text_of_bandwidth(t.bandwidth(one_way)); };
    text += fmt::format(
        "\n{:>10}: mean one-way time {} / {} / {} (min / avg / max of the turns), bandwidth {} / {} / {}{}",
        text_of_size(options_.sizes[i]), text_of_seconds(t.min()), text_of_seconds(t.mean()),
        text_of_seconds(t.max()), bandwidth(t.min()), bandwidth(t.mean()), bandwidth(t.max()),
        directions_of(options_) == 2 ? " (both directions)" : "");
  }
  const auto name = [&](std::uint32_t rank) { return fmt::format("{}:{}", log_.ranks[rank].host, rank); };
  if (!slowest_.pairs().empty())
    text += fmt::format("\nSlowest links at {}, mean time first, then measured again alone:",
                        text_of_size(options_.sizes[largest_]));
  for (const auto& pair : slowest_.pairs()) {
    const auto& first = *std::find_if(pair.first.begin(), pair.first.end(),
                                      [&](const Sample& s) { return s.one_way.mean >= pair.mean; });
    const auto again = std::find_if(pair.second.begin(), pair.second.end(),
                                    [&](const Sample& s) { return s.from == first.from; });
    std::string then = "not measured again";
    if (again != pair.second.end())
      then = again->outcome == Outcome::ok ? text_of_seconds(again->one_way.mean) : said_of(again->outcome);
    text += fmt::format("\n  {} -> {}: {}, {}", name(first.from), name(first.to),
                        text_of_seconds(first.one_way.mean), then);
  }
  return text;
}

}  // namespace everylink
