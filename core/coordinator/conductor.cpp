// Rank 0's mind.
#include "coordinator/conductor.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <utility>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "host/signals.hpp"
#include "kernel/kernel.hpp"
#include "linktest/jupiter.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

constexpr Seconds long_serial = 3600;
constexpr std::uint32_t confirm_passes = 6;

// Step by step, all pairs at the same time; else one pair.
bool goes_through_plan(const Order& order) {
  return order.attempt == Attempt::main || order.attempt == Attempt::confirm;
}

std::string created_now() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed && *fixed)
    now = static_cast<std::time_t>(parse_integer(fixed, "SOURCE_DATE_EPOCH"));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

// Drawn; fixed where the whole file is to be reproducible.
RunId fresh_run_id() {
  RunId run;
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed && *fixed) {
    const auto number = static_cast<std::uint64_t>(parse_integer(fixed, "SOURCE_DATE_EPOCH"));
    for (std::size_t i = 0; i < run.size(); ++i) run[i] = static_cast<std::uint8_t>(mix(number, i));
  } else {
    draw(std::as_writable_bytes(std::span(run)));
  }
  return run;
}

std::string file_of_pairs(const Options& o) {
  std::ifstream file(o.confirms() ? o.confirm : o.schedule_option);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw UsageError(o.pairs_option() + ": cannot be read");
  return text.str();
}

std::string first_of(std::span<const int> ranks) {
  const auto shown = ranks.first(std::min<std::size_t>(ranks.size(), 10));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     ranks.size() > 10 ? fmt::format(" and {} more", ranks.size() - 10) : "");
}

}  // namespace

Conductor::Conductor(const Context& context, int size, Recorder& recorder, Console& console)
    : context_(context),
      size_(size),
      recorder_(recorder),
      console_(console),
      ledger_(context.options, recorder, console) {}

Blob Conductor::decide(std::span<const Handed> handed, std::span<const int> gone) {
  ++rounds_;
  try {
    if (stage_ == Stage::introducing) return introduce(handed, gone);
    std::vector<Report> reports;
    for (const auto& one : handed) {
      if (one.to_rank_0.empty()) continue;
      reports.push_back(Report::unpacked(one.to_rank_0));
      reports.back().check(one.rank, size_, context_.options.sizes.size());
    }
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
  current_.committed = committed_;
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
  const Pattern* pattern = pattern_named(o.pattern);
  const bool draws = o.schedule == "sample" || o.randomize > 0 || (pattern && pattern->traits.draws);
  introduction_.run = fresh_run_id();
  introduction_.seed = o.seed.value_or(draws ? std::random_device()() : 0);
  if (o.resume) {
    const Before before = look_before(o.output, !o.confirms());
    introduction_.run = before.run;
    if (!o.seed) introduction_.seed = before.seed;
  }
  introduction_.schedule_option = o.confirms() || o.schedule == "file" ? file_of_pairs(o) : o.schedule_option;
  if (pattern) director_.emplace(o, introduction_, recorder_, console_);
  refuse_large_buffers();
  if (!pattern) plan_pairs();
  current_ = Order{};
  current_.what = Order::What::hand_in;
  introduction_.first = current_;
  stage_ = Stage::preparing;
  return introduction_.packed();
}

void Conductor::plan_pairs() {
  const Options& o = context_.options;
  plan_ = plan_for(o, introduction_, o.randomize ? 1 : 0);
  if (plan_.pairs == 0)
    throw UsageError(
        fmt::format("{}: there is no pair to measure among {} ranks on {} host(s)", o.pairs_option(), size_,
                    1 + *std::max_element(introduction_.host_of.begin(), introduction_.host_of.end())));
}

void Conductor::refuse_large_buffers() const {
  if (!context_.real_memory) return;
  std::map<std::string, std::size_t> wanted;
  const std::size_t of_a_rank = director_ ? director_->memory_bytes() : memory_bytes(context_.options);
  for (const auto& rank : ranks_) {
    wanted[rank.machine] += 2 * of_a_rank;
    if (rank.free_memory && wanted[rank.machine] > rank.free_memory)
      throw UsageError(
          fmt::format("-s/--size-messages: the buffers of the ranks on {} take {}, and it has {} free; take "
                      "smaller messages or fewer ranks",
                      rank.host, text_of_bytes(static_cast<double>(wanted[rank.machine])),
                      text_of_bytes(static_cast<double>(rank.free_memory))));
  }
}

// Round 1: every rank has its transport, or says why not. The output is opened before anything is measured.
Order Conductor::prepare(const std::vector<Report>& reports, std::span<const int> gone) {
  const Options& o = context_.options;
  stage_ = Stage::working;
  if (const auto stop_at_once = refused(reports)) return *stop_at_once;
  for (const auto& report : reports) ranks_[static_cast<std::size_t>(report.rank)].carrier = report.carrier;
  if (!gone.empty()) throw MachineError(fmt::format("ranks {} ended before measuring began", first_of(gone)));
  remark_doubles();
  const Facts facts{o,
                    introduction_.run,
                    context_.bootstrap,
                    introduction_.seed,
                    context_.pinned,
                    created_now(),
                    ranks_,
                    introduction_.host_of,
                    director_ ? 0 : 2 * plan_.pairs,
                    0,
                    context_.one_sided};
  for (const auto& doubt : doubts_of_preset(o, ranks_, introduction_.host_of)) warn(doubt);
  if (director_) {
    director_->begin(facts);
    return *director_->next();
  }
  health_.emplace(o, introduction_.host_of);
  recalled_ = ledger_.begin(facts, busy_steps(), passes());
  Order order;
  order.what = Order::What::calibrate;
  order.relabelling = o.randomize ? 1 : 0;
  order.schedule_step = *busy_step_from(0);
  return order;
}

// A rank that cannot take part says why; once is enough.
std::optional<Order> Conductor::refused(const std::vector<Report>& reports) const {
  for (const auto& report : reports) {
    if (report.fault.empty()) continue;
    console_.complain(report.fault);
    return stop(report.fault_exit);
  }
  return {};
}

void Conductor::remark(const std::string& text) {
  if (director_)
    director_->remark(text);
  else
    ledger_.remark(text);
}

void Conductor::warn(const std::string& text) {
  remark(text);
  console_.complain("warning: " + text);
}

// Names and addresses that two hosts share: each looks like the other to those who run the cluster.
void Conductor::remark_doubles() {
  std::map<std::string, std::set<int>> by_name, by_address;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const int host = introduction_.host_of[rank];
    by_name[ranks_[rank].host].insert(host);
    const auto& address = ranks_[rank].carrier.address;
    if (!address.empty() && !address.starts_with("127.")) by_address[address].insert(host);
  }
  const auto remark_all = [&](const auto& hosts_by, const char* share) {
    for (const auto& [shared, hosts] : hosts_by) {
      if (hosts.size() < 2) continue;
      const auto text = fmt::format("{} different hosts {} {} (hosts {})", hosts.size(), share, shared,
                                    fmt::join(hosts, ", "));
      warn(text);
    }
  };
  remark_all(by_name, "are named");
  remark_all(by_address, "have the address");
}

// What was measured before this round comes in; what is measured after it was decided one round ago, so that
// every rank could hand in an offer for it; now the one after that is decided.
Order Conductor::work(std::vector<Report> reports, std::span<const int> gone) {
  clean_ &= gone.empty();
  bool interrupted = end_is_wanted();
  for (const auto& report : reports) {
    clean_ &= !report.buried;
    interrupted |= report.interrupted;
  }
  if (director_ && !interrupted) {
    if (const auto stop_at_once = refused(reports)) return *stop_at_once;
    return direct(reports, gone);
  }
  if (director_) return finish(true);
  if (measured_.what == Order::What::finish) return close(reports, gone);
  if (current_.what == Order::What::finish) {
    measured_ = current_;
    return Order{Order::What::hand_in};
  }
  if (const auto stop_at_once = refused(reports)) return *stop_at_once;
  if (interrupted)  // who left first made others fail
    std::erase_if(reports, [](const Report& report) {
      const auto& samples = report.led.samples;
      return std::any_of(samples.begin(), samples.end(),
                         [](const auto& s) { return s.outcome != Outcome::ok; });
    });
  for (const auto& report : reports)
    if (!report.carrier.lanes.empty()) ledger_.carried(report.rank, report.carrier.lanes);
  if (measured_.what == Order::What::calibrate) tune(reports);
  ledger_.keep(reports, measured_, gone);
  if (interrupted) return finish(true);
  if (measured_.what == Order::What::measure) {
    ledger_.end_step(reports, measured_, plan_, gone, step_began_, context_.now());
    if (measured_.attempt == Attempt::main)
      health_->learn(reports, measured_, gone);
    else if (measured_.attempt == Attempt::confirm)
      console_.retest(measured_.step + 1 - recalled_.steps,
                      static_cast<std::size_t>(busy_steps()) * passes());
    else
      console_.retest(again_done_, again_.size());
  }
  const bool tells = summary_is_wanted();
  if (ledger_.commit_if_due(tells)) committed_ = rounds_;
  if (tells) ledger_.tell_interim();
  if (measured_.what == Order::What::save) {
    saved_ = steady_now();
    save_took_ = saved_ - save_began_;
  }
  Order next = planned_ ? *std::exchange(planned_, {}) : next_order(gone);
  if (current_.what == Order::What::save)
    save_began_ = steady_now();
  else if (is_time_to_save(next))
    planned_ = std::exchange(next, write(Order::What::save));
  if (next.attempt == Attempt::main) health_->advise(next);
  measured_ = current_;
  step_began_ = context_.now();
  return next;
}

// The same with the scenes of a pattern: also here an order is given one round before it is followed.
Order Conductor::direct(const std::vector<Report>& reports, std::span<const int> gone) {
  for (const auto& report : reports)
    if (!report.carrier.lanes.empty()) director_->carried(report.rank, report.carrier.lanes);
  director_->keep(reports, measured_, gone, step_began_, context_.now());
  const bool tells = summary_is_wanted();
  if (director_->commit_if_due(tells)) committed_ = rounds_;
  if (tells) director_->tell_interim();
  Order next;
  next.what = Order::What::hand_in;
  if (auto order = director_->next())
    next = *order;
  else if (current_.what == Order::What::hand_in)
    return close({}, {});
  measured_ = std::exchange(current_, {});
  step_began_ = context_.now();
  return next;
}

Order Conductor::next_order(std::span<const int> gone) {
  Order hand_in = current_;
  hand_in.what = Order::What::hand_in;
  if (current_.what == Order::What::calibrate) return hand_in;  // its results come with the next round
  if (current_.what == Order::What::measure && goes_through_plan(current_)) {
    const auto step = busy_step_from(current_.schedule_step + 1);
    if (!step) return hand_in;
    Order order = current_;
    order.schedule_step = *step;
    order.step = next_row_++;
    return order;
  }
  if (current_.what == Order::What::measure) return next_again();
  if (measured_.what == Order::What::calibrate) {
    ledger_.start(context_.now());
    next_row_ = recalled_.steps;
    if (context_.options.confirms()) return start_iteration(0);
    const auto done = recalled_.main_steps / busy_steps();
    if (done < passes())
      return start_iteration(static_cast<std::uint32_t>(done), recalled_.main_steps % busy_steps());
    current_.iteration = static_cast<std::uint32_t>(done);
    return begin_again(gone);
  }
  if (!again_.empty()) return finish(false);  // all of it is done
  if (current_.iteration + 1 < passes() ||
      (!context_.options.confirms() && context_.now() - ledger_.began() < context_.options.min_runtime))
    return start_iteration(current_.iteration + 1);
  return begin_again(gone);
}

std::uint32_t Conductor::passes() const {
  if (context_.options.confirms()) return confirm_passes;
  return static_cast<std::uint32_t>(
      std::max({1, context_.options.randomize, context_.options.min_iterations}));
}

Order Conductor::start_iteration(std::uint32_t iteration, std::int64_t busy_steps_done) {
  Order order;
  order.what = Order::What::measure;
  order.iteration = iteration;
  if (context_.options.confirms()) order.attempt = Attempt::confirm;
  const bool draws = context_.options.randomize > 0 || context_.options.confirms();
  order.relabelling = draws ? mix(introduction_.seed, iteration) | 1 : 0;
  order.tunings = current_.tunings;
  plan_ = plan_for(context_.options, introduction_, order.relabelling);
  order.schedule_step = *busy_step_from(0);
  for (std::int64_t i = 0; i < busy_steps_done; ++i)
    order.schedule_step = *busy_step_from(order.schedule_step + 1);
  order.step = next_row_++;
  return order;
}

// How many steps a pass has, the idle ones left out.
std::int64_t Conductor::busy_steps() const {
  if (context_.options.serial) return plan_.pairs;
  std::int64_t steps = 0;
  for (std::int64_t step = 0; step < plan_.steps; ++step) steps += !plan_.is_idle(step);
  return steps;
}

std::optional<std::int64_t> Conductor::busy_step_from(std::int64_t step) const {
  while (step < plan_.steps && plan_.is_idle(step)) ++step;
  if (step >= plan_.steps) return {};
  return step;
}

Order Conductor::begin_again(std::span<const int> gone) {
  again_began_ = context_.now();
  if (context_.options.confirms()) {
    if (context_.options.retest_budget <= 0) return finish(false);
    const Plan plan = pairs_of(context_.options, introduction_, 0);
    for (std::int64_t step = 0; step < plan.steps; ++step)
      for (int rank = 0; rank < size_; ++rank)
        if (const int peer = plan.partner(step, rank); peer > rank)
          again_.push_back({Attempt::direction, rank, peer});
    return next_again();
  }
  if (context_.options.retest_budget > 0)
    for (const auto& [low, high] : ledger_.failures().to_try_again(gone))
      again_.push_back({Attempt::alone, low, high});
  ledger_.slowest().sort();
  for (const auto& pair : ledger_.slowest().pairs()) again_.push_back({Attempt::retest, pair.low, pair.high});
  return again_.empty() ? finish(false) : next_again();
}

Order Conductor::next_again() {
  const bool over = context_.now() - again_began_ > context_.options.retest_budget;
  while (over && again_done_ < again_.size() && again_[again_done_].attempt != Attempt::retest) ++again_done_;
  Order order;
  order.tunings = current_.tunings;
  order.iteration = current_.iteration;
  order.what = Order::What::hand_in;
  if (again_done_ == again_.size()) return order;
  order.what = Order::What::measure;
  order.attempt = again_[again_done_].attempt;
  order.first = again_[again_done_].low;
  order.second = again_[again_done_].high;
  order.step = next_row_++;
  ++again_done_;
  return order;
}

Order Conductor::finish(bool interrupted) {
  interrupted_ = interrupted;
  const bool is_sion = context_.options.is_sion();
  if (interrupted)
    console_.complain(fmt::format(
        "a signal ends the run before its end; {}",
        is_sion || director_ ? "the file holds what was measured so far" : "--resume FILE goes on with it"));
  if (!is_sion) return close({}, {});
  return write(Order::What::finish);
}

// Nothing is measured while ranks write; what it takes is a small part of the run.
bool Conductor::is_time_to_save(const Order& next) const {
  constexpr Seconds at_least = 1;
  constexpr double part = 0.02;
  return context_.options.is_sion() && current_.measures() && next.what == Order::What::measure &&
         steady_now() > saved_ + std::max(at_least, save_took_ / part);
}

Order Conductor::write(Order::What when) const {
  Order order;
  order.what = when;
  order.corrupt = ledger_.corrupt();
  return order;
}

// Of a .sion file every rank has written its own part, or says why not.
Order Conductor::close(const std::vector<Report>& of_writing, std::span<const int> gone) {
  bool kept = true;
  for (const auto& report : of_writing) {
    if (report.fault.empty()) continue;
    console_.complain(report.fault);
    kept = false;
  }
  if (!gone.empty()) {
    ledger_.remark(
        fmt::format("ranks {} ended before they had written what they measured: in {} it stands "
                    "as not measured",
                    first_of(gone), context_.options.output));
    kept &= ledger_.failures().count() > 0;  // the exit code says already that something is wrong
  }
  const int exit_code = director_ ? director_->end(interrupted_) : ledger_.end(interrupted_, kept);
  committed_ = rounds_;
  return stop(exit_code);
}

Order Conductor::stop(int exit_code) const {
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
  for (std::size_t i = 0; i < recalled_.tunings.size(); ++i)
    if (recalled_.tunings[i].rounds_per_reading > 0) current_.tunings[i] = recalled_.tunings[i];
  ledger_.tuned(current_.tunings);
  refuse_long_serial(reports);
}

void Conductor::refuse_long_serial(const std::vector<Report>& reports) const {
  const Options& o = context_.options;
  Seconds busy = 0;
  for (const auto& report : reports) busy = std::max(busy, report.busy);
  const double messages_probed = 6, messages = o.messages + o.warmups;
  const Seconds all = busy * messages / messages_probed * static_cast<double>(plan_.pairs) * passes();
  if (o.serial && !o.yes && all > long_serial)
    throw UsageError(
        fmt::format("--serial-tests: {} pairs one after the other will take about {}; --yes does it all the "
                    "same, --schedule sample:K takes a part",
                    plan_.pairs, text_of_duration(all)));
}

}  // namespace everylink
