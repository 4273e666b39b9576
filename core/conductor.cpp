// Rank 0's mind.
#include "conductor.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "errors.hpp"
#include "kernel/kernel.hpp"
#include "random.hpp"
#include "units.hpp"
#include "version.hpp"

namespace everylink {
namespace {

constexpr Seconds commit_every = 1;  // of real time: so much is lost at most
constexpr std::int64_t most_step_lines = 2000;
constexpr Seconds long_serial = 3600;

std::string created_now() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed && *fixed)
    now = static_cast<std::time_t>(parse_integer(fixed, "SOURCE_DATE_EPOCH"));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw UsageError(fmt::format("--schedule file:{}: cannot be read", path));
  return text.str();
}

std::string first_of(std::span<const int> ranks) {
  const auto shown = ranks.first(std::min<std::size_t>(ranks.size(), 10));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     ranks.size() > 10 ? fmt::format(" and {} more", ranks.size() - 10) : "");
}

}  // namespace

Plan plan_for(const Options& o, const Introduction& all, std::uint64_t relabelling) {
  const Population people{static_cast<int>(all.host_of.size()), all.seed, relabelling, all.host_of,
                          all.schedule_option};
  Plan plan = schedule_named(o.schedule).make(people);
  return o.serial ? serial(std::move(plan), people.size) : plan;
}

int partner_in(const Order& order, const Plan& plan, int rank) {
  if (order.what == Order::What::stop || order.what == Order::What::hand_in) return no_rank;
  if (order.first == no_rank) return plan.partner(order.schedule_step, rank);
  return rank == order.first ? order.second : rank == order.second ? order.first : no_rank;
}

Conductor::Conductor(const Context& context, int size, Recorder& recorder, Console& console)
    : context_(context), size_(size), recorder_(recorder), console_(console) {
  const auto& sizes = context_.options.sizes;
  largest_ = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  const double directions = kernel_named(context_.options.kernel).both_lead ? 2 : 1;
  for (const auto bytes : sizes) by_size_.emplace_back(bytes, directions);
  lines_ = std::make_unique<Lines>(sizes[largest_], directions, context_.options.serial);
}

Blob Conductor::decide(std::span<const Handed> handed, std::span<const int> gone) {
  try {
    if (stage_ == Stage::introducing) return introduce(handed, gone);
    std::vector<Report> reports;
    for (const auto& one : handed)
      if (!one.to_rank_0.empty()) reports.push_back(Report::unpacked(one.to_rank_0));
    // Not in the order of their coming: the same run gives the same file.
    std::stable_sort(reports.begin(), reports.end(),
                     [](const Report& a, const Report& b) { return a.rank < b.rank; });
    current_ = stage_ == Stage::preparing ? prepare(reports, gone) : work(reports, gone);
  } catch (const UsageError& error) {
    console_.complain(error.what());
    current_ = stop(exit_usage);
  } catch (const MachineError& error) {
    console_.complain(error.what());
    current_ = stop(exit_machine);
  }
  if (stage_ != Stage::introducing) return current_.packed();
  introduction_.first = current_;
  return introduction_.packed();
}

// Round 0 brings what each rank knows of itself; the word tells all what they share.
Blob Conductor::introduce(std::span<const Handed> handed, std::span<const int> gone) {
  if (!gone.empty())
    throw MachineError(fmt::format("ranks {} have joined, but did not go on", first_of(gone)));
  const Options& o = context_.options;
  ranks_.resize(static_cast<std::size_t>(size_));
  for (const auto& one : handed)
    ranks_[static_cast<std::size_t>(one.rank)] = RankFacts::unpacked(one.to_rank_0);
  introduction_.host_of = hosts_of(ranks_);
  introduction_.crowded = crowded_of(ranks_);
  const auto as_first = [&](const RankFacts& r) {
    return r.machine == ranks_[0].machine && r.network == ranks_[0].network;
  };
  introduction_.one_machine = std::all_of(ranks_.begin(), ranks_.end(), as_first);
  const bool draws = o.schedule == "sample" || o.randomize > 0;
  introduction_.seed = o.seed.value_or(draws ? std::random_device()() : 0);
  introduction_.schedule_option = o.schedule == "file" ? contents_of(o.schedule_option) : o.schedule_option;
  failures_.know(ranks_, introduction_.host_of);
  std::map<std::string, std::size_t> wanted;
  for (const auto& rank : ranks_) {
    wanted[rank.machine] += 2 * o.memory_bytes();
    if (context_.real_memory && rank.free_memory && wanted[rank.machine] > rank.free_memory)
      throw UsageError(
          fmt::format("-s/--size-messages: the buffers of the ranks on {} take {}, and it has {} free; take "
                      "smaller messages or fewer ranks",
                      rank.host, text_of_bytes(static_cast<double>(wanted[rank.machine])),
                      text_of_bytes(static_cast<double>(rank.free_memory))));
  }
  plan_ = plan_for(o, introduction_, o.randomize ? 1 : 0);
  if (plan_.pairs == 0)
    throw UsageError(fmt::format("--schedule {}: there is no pair to measure among {} ranks on {} host(s)",
                                 o.schedule, size_, failures_.hosts()));
  current_ = Order{};
  current_.what = Order::What::hand_in;
  introduction_.first = current_;
  stage_ = Stage::preparing;
  return introduction_.packed();
}

// Round 1: every rank has its transport, or says why not. The output is opened before anything is measured.
Order Conductor::prepare(const std::vector<Report>& reports, std::span<const int> gone) {
  const Options& o = context_.options;
  stage_ = Stage::working;
  for (const auto& report : reports) {
    if (!report.fault.empty()) {
      console_.complain(report.fault);
      return stop(report.fault_exit);
    }
    ranks_[static_cast<std::size_t>(report.rank)].carrier = report.carrier;
  }
  if (!gone.empty()) throw MachineError(fmt::format("ranks {} ended before measuring began", first_of(gone)));
  steps_a_pass_ = o.serial ? plan_.pairs : plan_.steps;
  tell_plan();
  recorder_.begin({o, context_.bootstrap, introduction_.seed, context_.pinned, created_now(), ranks_,
                   introduction_.host_of, 2 * plan_.pairs});
  Order order;
  order.what = Order::What::calibrate;
  order.relabelling = o.randomize ? 1 : 0;
  order.schedule_step = *busy_step_from(0);
  return order;
}

// What was measured before this round comes in; what is measured after it was decided one round ago, so that
// every rank could hand in an offer for it; now the one after that is decided.
Order Conductor::work(const std::vector<Report>& reports, std::span<const int> gone) {
  clean_ &= gone.empty();
  for (const auto& report : reports) clean_ &= !report.buried;
  if (measured_.what == Order::What::calibrate) tune(reports);
  keep(reports);
  if (measured_.what == Order::What::measure) end_step(reports, gone);
  const Seconds real = steady_now();
  if (real > last_commit_ + commit_every) {
    recorder_.commit();
    last_commit_ = real;
  }
  const Order next = next_order();
  measured_ = current_;
  step_began_ = context_.now();
  return next;
}

Order Conductor::next_order() {
  Order hand_in = current_;
  hand_in.what = Order::What::hand_in;
  if (current_.what == Order::What::calibrate) return hand_in;  // its results come with the next round
  if (current_.what == Order::What::measure && current_.attempt == Attempt::main) {
    const auto step = busy_step_from(current_.schedule_step + 1);
    if (!step) return hand_in;
    Order order = current_;
    order.schedule_step = *step;
    order.step = next_row_++;
    return order;
  }
  if (current_.what == Order::What::measure) return retest_or_stop();
  if (measured_.what == Order::What::calibrate) {
    began_ = context_.now();
    last_commit_ = steady_now();
    return start_iteration(0);
  }
  if (retesting_) return finish();
  const bool again =
      current_.iteration + 1 < iterations() || context_.now() - began_ < context_.options.min_runtime;
  return again ? start_iteration(current_.iteration + 1) : retest_or_stop();
}

std::uint32_t Conductor::iterations() const {
  return static_cast<std::uint32_t>(
      std::max({1, context_.options.randomize, context_.options.min_iterations}));
}

Order Conductor::start_iteration(std::uint32_t iteration) {
  Order order;
  order.what = Order::What::measure;
  order.iteration = iteration;
  order.relabelling = context_.options.randomize ? mix(introduction_.seed, iteration) | 1 : 0;
  order.tunings = current_.tunings;
  plan_ = plan_for(context_.options, introduction_, order.relabelling);
  order.schedule_step = *busy_step_from(0);
  order.step = next_row_++;
  return order;
}

std::optional<std::int64_t> Conductor::busy_step_from(std::int64_t step) const {
  while (step < plan_.steps && plan_.is_idle(step)) ++step;
  if (step >= plan_.steps) return {};
  return step;
}

Order Conductor::retest_or_stop() {
  if (!retesting_) {
    retesting_ = true;
    std::sort(slow_.begin(), slow_.end(), [](const Slow& a, const Slow& b) { return a.mean > b.mean; });
    if (slow_.empty()) return finish();
  }
  Order order = current_;
  order.what = Order::What::hand_in;
  if (retested_ == slow_.size()) return order;
  order.what = Order::What::measure;
  order.attempt = Attempt::retest;
  order.first = slow_[retested_].low;
  order.second = slow_[retested_].high;
  order.step = next_row_++;
  ++retested_;
  return order;
}

Order Conductor::stop(int exit_code) {
  Order order;
  order.what = Order::What::stop;
  order.exit_code = exit_code;
  order.clean = clean_;
  return order;
}

// One value for all: the largest need of any rank.
void Conductor::tune(const std::vector<Report>& reports) {
  current_.tunings.assign(context_.options.sizes.size(), {});
  for (const auto& report : reports)
    for (std::size_t i = 0; i < std::min(report.needs.size(), current_.tunings.size()); ++i) {
      current_.tunings[i].rounds_per_reading =
          std::max(current_.tunings[i].rounds_per_reading, report.needs[i].rounds_per_reading);
      current_.tunings[i].lead_in = std::max(current_.tunings[i].lead_in, report.needs[i].lead_in);
    }
  recorder_.tuned(current_.tunings);
  refuse_long_serial(reports);
}

void Conductor::refuse_long_serial(const std::vector<Report>& reports) {
  const Options& o = context_.options;
  Seconds busy = 0;
  for (const auto& report : reports) busy = std::max(busy, report.busy);
  const double messages_probed = 6, messages = o.messages + o.warmups;
  const Seconds all = busy * messages / messages_probed * static_cast<double>(plan_.pairs) * iterations();
  if (o.serial && !o.yes && all > long_serial)
    throw UsageError(
        fmt::format("--serial-tests: {} pairs one after the other will take about {}; --yes does it all the "
                    "same, --schedule sample:K takes a part",
                    plan_.pairs, text_of_duration(all)));
}

// Both ends of a link report in the same round; a rank that comes late has its links kept without the other
// end's word.
void Conductor::keep(const std::vector<Report>& reports) {
  std::map<std::pair<int, int>, const Report*> of_this_step;  // (rank, peer)
  for (const auto& report : reports)
    if (report.step == measured_.step) of_this_step[{report.rank, report.peer}] = &report;
  for (const auto& report : reports) {
    if (report.led.samples.empty()) continue;
    const auto peers = of_this_step.find({report.peer, report.rank});
    const bool known = report.step == measured_.step && peers != of_this_step.end();
    keep_link(report.led, known ? peers->second->notes : std::vector<Note>());
  }
}

void Conductor::end_step(const std::vector<Report>& reports, std::span<const int> gone) {
  std::vector<char> reported(static_cast<std::size_t>(size_));
  std::vector<Seconds> busy;
  for (const auto& report : reports) {
    if (report.led.samples.empty() || report.step != measured_.step) continue;
    reported[static_cast<std::size_t>(report.rank)] = 1;
    busy.push_back(report.busy);
  }
  keep_absent(reported, gone);
  std::sort(busy.begin(), busy.end());
  const float overlap =
      busy.empty() || busy.back() <= 0 ? not_known : static_cast<float>(busy[busy.size() / 2] / busy.back());
  recorder_.step({measured_.iteration, measured_.relabelling, step_began_ - began_, overlap,
                  static_cast<std::uint32_t>(gone.size())});
  if (measured_.attempt == Attempt::main)
    tell_progress();
  else
    console_.retest(retested_, slow_.size());
}

// A sample learns from the other end how much arrived, and whether it was what had been sent.
void Conductor::keep_link(LinkRows link, const std::vector<Note>& seen_by_peer) {
  const Sample* worst = &link.samples.front();
  for (std::size_t i = 0; i < link.samples.size(); ++i) {
    Sample& sample = link.samples[i];
    if (i < seen_by_peer.size()) {
      sample.arrived = seen_by_peer[i].arrived;
      if (sample.outcome == Outcome::ok && seen_by_peer[i].corrupt) sample.outcome = Outcome::corrupt;
    }
    if (worst->outcome == Outcome::ok) worst = &sample;
    if (sample.attempt == Attempt::main)
      by_size_[i].add(sample.outcome, static_cast<double>(sample.one_way.mean));
  }
  const Sample& of_largest = link.samples[largest_];
  if (of_largest.attempt == Attempt::main) {
    lines_->add(of_largest);
    remember_slow(of_largest);
    failures_.add(*worst);
    links_ok_ += worst->outcome == Outcome::ok;
  } else {
    const int from = static_cast<int>(of_largest.from), to = static_cast<int>(of_largest.to);
    for (auto& slow : slow_)
      if (slow.low == std::min(from, to) && slow.high == std::max(from, to))
        slow.second.push_back(of_largest);
  }
  recorder_.rows(link);
}

// The links of ranks that are gone: nobody else will hand them in.
void Conductor::keep_absent(const std::vector<char>& reported, std::span<const int> gone) {
  for (const int rank : gone) {
    const int peer = partner_in(measured_, plan_, rank);
    if (peer == no_rank || reported[static_cast<std::size_t>(rank)]) continue;
    LinkRows link;
    for (std::size_t i = 0; i < context_.options.sizes.size(); ++i) {
      Sample sample;
      sample.from = static_cast<std::uint32_t>(rank);
      sample.to = static_cast<std::uint32_t>(peer);
      sample.step = measured_.step;
      sample.size = static_cast<std::uint32_t>(i);
      sample.attempt = measured_.attempt;
      sample.outcome = Outcome::absent;
      link.samples.push_back(sample);
    }
    keep_link(std::move(link), {});
  }
}

void Conductor::remember_slow(const Sample& s) {
  const auto keep = static_cast<std::size_t>(context_.options.slowest);
  if (keep == 0 || s.outcome != Outcome::ok || !(s.one_way.mean > 0)) return;
  const int low = static_cast<int>(std::min(s.from, s.to)), high = static_cast<int>(std::max(s.from, s.to));
  const auto known = std::find_if(slow_.begin(), slow_.end(),
                                  [&](const Slow& slow) { return slow.low == low && slow.high == high; });
  if (known != slow_.end()) {
    known->mean = std::max(known->mean, s.one_way.mean);
    known->first.push_back(s);
    return;
  }
  const auto least = std::min_element(slow_.begin(), slow_.end(),
                                      [](const Slow& a, const Slow& b) { return a.mean < b.mean; });
  if (slow_.size() == keep && least->mean >= s.one_way.mean) return;
  if (slow_.size() == keep) slow_.erase(least);
  slow_.push_back({s.one_way.mean, low, high, {s}, {}});
}

void Conductor::tell_plan() {
  const Options& o = context_.options;
  const double bytes = o.no_output ? 0 : estimated_bytes(o, 2 * plan_.pairs);
  const std::string output = o.no_output ? "" : o.output;
  const std::string schedule =
      o.schedule + (o.schedule == "sample" || o.schedule == "file" ? ":" + o.schedule_option : "");
  console_.plan({size_, failures_.hosts(), o.mode, o.kernel, schedule, o.sizes, steps_a_pass_,
                 2 * plan_.pairs, bytes, output});
  std::string sizes;
  for (const auto size : o.sizes)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", text_of_bytes(static_cast<double>(size)));
  std::string text = fmt::format("Everylink {}: {} ranks on {} host(s), mode {}{}{}, memory {}, {} kernel",
                                 version, size_, failures_.hosts(), o.mode, o.mode_options.empty() ? "" : ":",
                                 o.mode_options, o.memory, o.kernel);
  if (kernel_named(o.kernel).windowed) text += fmt::format(", window {}", o.window_used());
  text += fmt::format("\n{} messages and {} warm-ups of {}{}{}", o.messages, o.warmups, sizes,
                      o.check ? ", every byte verified" : "",
                      o.buffers > 1 ? fmt::format(", {} buffers", o.buffers) : "");
  text += fmt::format("\nSchedule {}{}: {} links in {} steps{}", schedule,
                      o.serial ? ", one pair at a time" : "", 2 * plan_.pairs, steps_a_pass_,
                      introduction_.seed ? fmt::format(", seed {}", introduction_.seed) : "");
  if (iterations() > 1 || o.min_runtime > 0)
    text += fmt::format(", at least {} time(s){}", iterations(),
                        o.min_runtime > 0 ? fmt::format(" and {}", text_of_duration(o.min_runtime)) : "");
  text +=
      fmt::format("\nTime limit {} for a pair of ranks and a size of {}",
                  text_of_duration(o.limit(o.largest())), text_of_bytes(static_cast<double>(o.largest())));
  if (context_.bootstrap == "local")
    text += context_.pinned ? "; each rank is bound to a core of its own"
                            : "; ranks are not bound: there are more of them than cores";
  text += o.no_output ? "\nNo results file"
                      : fmt::format("\nResults file {}, about {}", o.output, text_of_bytes(bytes));
  console_.say(text);
}

void Conductor::tell_progress() {
  const Options& o = context_.options;
  ++steps_done_;
  const std::int64_t known = std::max<std::int64_t>(iterations(), measured_.iteration + 1) * steps_a_pass_;
  const std::int64_t left_here = (measured_.iteration + 1) * steps_a_pass_ - steps_done_,
                     left = known - steps_done_;
  const Seconds elapsed = context_.now() - began_, step = elapsed / steps_done_;
  const Seconds seconds_left = std::max(step * static_cast<double>(left), o.min_runtime - elapsed);
  const bool lines = steps_a_pass_ <= most_step_lines || o.step_lines;
  const auto text = lines_->end_step(steps_done_);
  if (lines && !console_.quiet())
    console_.say(text + "\n" + lines_->timing(elapsed, steps_done_, left_here, left));
  console_.step({measured_.iteration, steps_done_, known, links_ok_ + failures_.count(), failures_.count(),
                 elapsed, left > 0 ? seconds_left : 0});
  const char* job_end = std::getenv("SLURM_JOB_END_TIME");
  if (!job_end || told_job_end_ || steps_done_ != 3) return;
  told_job_end_ = true;
  const Seconds available =
      parse_number(job_end, "SLURM_JOB_END_TIME") - static_cast<double>(std::time(nullptr));
  if (seconds_left > available && step > 0)
    console_.say(
        fmt::format("This run will take {} more, and the job ends in {}: --schedule sample:{} would fit",
                    text_of_duration(seconds_left), text_of_duration(available),
                    std::max<std::int64_t>(1, static_cast<std::int64_t>(0.9 * available / step))));
}

Order Conductor::finish() {
  recorder_.end();
  const int code = failures_.count() > 0 ? exit_links_failed : exit_ok;
  summarise();
  console_.end(code, links_ok_, failures_.count(), context_.options.no_output ? "" : context_.options.output);
  return stop(code);
}

void Conductor::summarise() {
  const Options& o = context_.options;
  const auto name = [&](std::uint32_t rank) { return fmt::format("{}:{}", ranks_[rank].host, rank); };
  if (o.progress == Progress::json)
    return console_.say(lines_->results());  // the reader has the file for the rest
  std::string text;
  if (failures_.count() > 0) {
    text += fmt::format("{} of {} links FAILED:\n", failures_.count(), failures_.count() + links_ok_);
    for (const auto& line : failures_.lines()) text += "  " + line + "\n";
  }
  text += lines_->results();
  for (std::size_t i = 0; i < by_size_.size(); ++i) {
    const auto& t = by_size_[i];
    if (!t.any()) continue;
    text += fmt::format("\n{:>10}: one-way {} / {} / {} (min / avg / max), bandwidth {} / {} / {}{}",
                        text_of_bytes(static_cast<double>(o.sizes[i])), text_of_seconds(t.min()),
                        text_of_seconds(t.mean()), text_of_seconds(t.max()),
                        text_of_bandwidth(t.bandwidth(t.min())), text_of_bandwidth(t.bandwidth(t.mean())),
                        text_of_bandwidth(t.bandwidth(t.max())),
                        kernel_named(o.kernel).both_lead ? " (both directions)" : "");
  }
  if (!slow_.empty())
    text += fmt::format("\nSlowest links of {}, first and measured again alone:",
                        text_of_bytes(static_cast<double>(o.sizes[largest_])));
  for (const auto& slow : slow_) {
    const auto& first = *std::find_if(slow.first.begin(), slow.first.end(),
                                      [&](const Sample& s) { return s.one_way.mean >= slow.mean; });
    const auto again = std::find_if(slow.second.begin(), slow.second.end(),
                                    [&](const Sample& s) { return s.from == first.from; });
    text += fmt::format("\n  {} -> {}: {}, {}", name(first.from), name(first.to),
                        text_of_seconds(first.one_way.mean),
                        again == slow.second.end()      ? std::string("not measured again")
                        : again->outcome == Outcome::ok ? text_of_seconds(again->one_way.mean)
                                                        : std::string(said_of(again->outcome)));
  }
  console_.say(text);
}

}  // namespace everylink
