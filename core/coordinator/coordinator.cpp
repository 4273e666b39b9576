// Decides what every rank does next.
#include "coordinator/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "coordinator/load_campaign.hpp"
#include "coordinator/pair_campaign.hpp"
#include "coordinator/switches.hpp"
#include "host/signals.hpp"
#include "linktest/jupiter.hpp"
#include "load/pattern.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

// Random, but fixed by SOURCE_DATE_EPOCH, which makes the whole file reproducible.
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

std::string contents_of(const std::string& path, const std::string& asked_by) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw UsageError(asked_by + ": is a folder, a pipe or a device, not a file");
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw UsageError(asked_by + ": cannot be read");
  return text.str();
}

std::string file_of_pairs(const Options& o) {
  return contents_of(o.confirms() ? o.confirm : o.schedule_option, o.pairs_option());
}

std::vector<int> switches_of(const Options& o, const std::vector<RankFacts>& ranks,
                             const std::vector<int>& host_of) {
  if (o.schedule != "screen" || o.confirms()) return {};
  if (o.switches.empty()) return switches_told(ranks, host_of);
  const std::string asked_by = "--switches " + o.switches;
  return switches_in(contents_of(o.switches, asked_by), asked_by, ranks, host_of);
}

}  // namespace

Coordinator::Coordinator(const Context& context, int size, Recorder& recorder, Console& console)
    : context_(context), size_(size), log_{.recorder = recorder, .console = console} {}

Decided Coordinator::decide(std::span<const Submitted> submitted, std::span<const int> gone) {
  ++rounds_;
  ++epoch_;
  try {
    if (stage_ == Stage::introducing) return introduce(submitted, gone);
    auto reports = reports_of(submitted);
    current_ = stage_ == Stage::preparing ? prepare(reports, gone) : work(std::move(reports), gone);
  } catch (const UsageError& error) {
    log_.console.complain(error.what());
    current_ = stop(exit_usage);
  } catch (const MachineError& error) {
    log_.console.complain(error.what());
    current_ = stop(exit_machine);
  }
  current_.committed = committed_;
  current_.epoch = epoch_;
  if (const auto* measure = current_.as<Measure>()) epoch_ += measure->steps.size() - 1;
  if (stage_ != Stage::introducing) return {packed(current_), called()};
  introduction_.first = current_;
  return packed(introduction_);
}

std::optional<std::vector<int>> Coordinator::called() const {
  return campaign_ ? campaign_->called(measured_, current_) : std::nullopt;
}

// In the order of ranks, not of arrival, so the same run gives the same file.
std::vector<Report> Coordinator::reports_of(std::span<const Submitted> submitted) const {
  std::vector<Report> reports;
  for (const auto& one : submitted) {
    if (one.to_rank_0.empty() || is_among(absent_, one.rank)) continue;
    for (auto& report : unpacked<Reports>(one.to_rank_0).all) {
      report.check(one.rank, size_, context_.options.sizes.size());
      reports.push_back(std::move(report));
    }
  }
  std::stable_sort(reports.begin(), reports.end(),
                   [](const Report& a, const Report& b) { return a.rank < b.rank; });
  return reports;
}

// Of a rank that has not introduced itself: what a rank on its host says about the host, else its name.
RankFacts Coordinator::facts_of_absent(int rank, std::span<const int> gone) const {
  RankFacts facts;
  facts.host = host_of_unjoined(rank);
  const auto& hosts = context_.hosts;
  if (hosts.empty()) return facts;
  const auto& host = hosts[static_cast<std::size_t>(rank)];
  for (int other = 0; other < size_; ++other) {
    if (is_among(gone, other) || hosts[static_cast<std::size_t>(other)] != host) continue;
    facts = log_.ranks[static_cast<std::size_t>(other)];
    facts.numa = -1;
    return facts;
  }
  facts.host = host;
  return facts;
}

// "warning: ranks 6, 7 (n07) did not join; their links are recorded as absent"
void Coordinator::warn_of_absent(std::span<const int> ranks) {
  if (ranks.empty()) return;
  std::vector<std::string> hosts;
  for (const int rank : ranks)
    if (const auto& host = log_.ranks[static_cast<std::size_t>(rank)].host;
        !context_.hosts.empty() && (hosts.empty() || hosts.back() != host))
      hosts.push_back(host);
  warn(fmt::format("{}{} did not join; {} links are recorded as absent", named_ranks(ranks),
                   hosts.empty() ? "" : fmt::format(" ({})", first_names(hosts)),
                   ranks.size() == 1 ? "its" : "their"));
}

// Round 0: each rank reports its facts; the answer is what all of them share.
Blob Coordinator::introduce(std::span<const Submitted> submitted, std::span<const int> gone) {
  if (all_others_are(gone)) throw MachineError(named_ranks(gone) + " joined but then stopped responding");
  const Options& o = context_.options;
  log_.ranks.resize(static_cast<std::size_t>(size_));
  for (const auto& one : submitted)
    log_.ranks[static_cast<std::size_t>(one.rank)] = unpacked<RankFacts>(one.to_rank_0);
  for (const int rank : gone) log_.ranks[static_cast<std::size_t>(rank)] = facts_of_absent(rank, gone);
  absent_.assign(gone.begin(), gone.end());
  const auto& ranks = log_.ranks;
  introduction_.host_of = hosts_of(ranks);
  introduction_.crowded = crowded_of(ranks);
  if (memory_named(o.memory).needs_gpu)
    for (const auto& rank : ranks) introduction_.numa_of.push_back(rank.numa);
  const auto as_first = [&](const RankFacts& r) {  // of an absent rank, the machine may be unknown
    return r.machine.empty() || (r.machine == ranks[0].machine && r.network == ranks[0].network);
  };
  introduction_.one_machine = std::all_of(ranks.begin(), ranks.end(), as_first);
  const Pattern* pattern = pattern_named(o.pattern);
  const bool draws = o.schedule == "sample" || o.schedule == "screen" || o.randomize > 0 ||
                     (pattern && pattern->traits.draws);
  introduction_.run = fresh_run_id();
  introduction_.seed = o.seed.value_or(draws ? std::random_device()() : 0);
  if (o.resume) {
    const Before before = look_before(o);
    introduction_.run = before.run;
    if (!o.seed) introduction_.seed = before.seed;
  }
  introduction_.schedule_option = {o.confirms() || o.schedule == "file" ? file_of_pairs(o)
                                                                        : o.schedule_option};
  introduction_.switch_of = switches_of(o, ranks, introduction_.host_of);
  if (pattern)
    campaign_ = std::make_unique<LoadCampaign>(o, introduction_, log_);
  else
    campaign_ = std::make_unique<PairCampaign>(o, introduction_, log_, context_.steps_ahead);
  refuse_large_buffers();
  warn_of_absent(gone);
  current_ = {Submit{}};
  introduction_.first = current_;
  stage_ = Stage::preparing;
  return packed(introduction_);
}

// Of memory of GPUs each rank finds out when it allocates it.
void Coordinator::refuse_large_buffers() const {
  if (!context_.real_memory || memory_named(context_.options.memory).needs_gpu) return;
  std::map<std::string, std::size_t> wanted;
  for (const auto& rank : log_.ranks) {
    wanted[rank.machine] += 2 * campaign_->memory_bytes();
    if (rank.free_memory && wanted[rank.machine] > rank.free_memory)
      throw UsageError(
          fmt::format("-s/--size-messages: the buffers of the ranks on {} take {}, but only {} are free; use "
                      "smaller messages or fewer ranks",
                      rank.host, text_of_size(wanted[rank.machine]), text_of_size(rank.free_memory)));
  }
}

// Round 1: every rank has its transport, or reports why not. The output is opened before anything is
// measured.
Order Coordinator::prepare(const std::vector<Report>& reports, std::span<const int> gone) {
  stage_ = Stage::working;
  if (const auto stop_at_once = refused(reports)) return *stop_at_once;
  for (const auto& report : reports)
    log_.ranks[static_cast<std::size_t>(report.rank)].carrier = report.carrier;
  if (all_others_are(gone)) throw MachineError(named_ranks(gone) + " ended before measuring began");
  if (std::all_of(reports.begin(), reports.end(), [](const Report& one) { return one.fault_is_local; }))
    throw MachineError(fmt::format("no link can be measured: {}", faults_of(reports).text(log_.hosts())));
  remark_doubles();
  for (const auto& doubt : doubts_of_preset(context_.options, log_.ranks, introduction_.host_of)) warn(doubt);
  if (context_.reads_hosts)
    readings_.emplace(log_.recorder, introduction_.host_of, context_.options.confirms());
  Order first = campaign_->begin({.options = context_.options,
                                  .run = introduction_.run,
                                  .bootstrap = context_.bootstrap,
                                  .seed = introduction_.seed,
                                  .pinned = context_.pinned,
                                  .created = utc_now(),
                                  .ranks = log_.ranks,
                                  .host_of = introduction_.host_of,
                                  .crowded = introduction_.crowded,
                                  .one_sided = context_.one_sided,
                                  .reads_hosts = context_.reads_hosts},
                                 gone);
  return readings_ ? readings_->before(std::move(first)) : first;
}

LocalFaults Coordinator::faults_of(const std::vector<Report>& reports) {
  LocalFaults faults;
  for (const auto& report : reports)
    if (report.fault_is_local) faults.add(report.rank, report.fault_of_link);
  return faults;
}

// Prints why a rank cannot take part, for the first such rank only.
std::optional<Order> Coordinator::refused(const std::vector<Report>& reports) const {
  for (const auto& report : reports) {
    if (report.fault.empty()) continue;
    log_.console.complain(report.fault);
    return stop(report.fault_exit);
  }
  return {};
}

void Coordinator::warn(const std::string& text) {
  log_.remarks.add(text);
  log_.console.complain("warning: " + text);
}

// Warns of names and addresses that two hosts share: operators cannot tell such hosts apart.
void Coordinator::remark_doubles() {
  std::map<std::string, std::set<int>> by_name, by_address;
  for (std::size_t rank = 0; rank < log_.ranks.size(); ++rank) {
    const int host = introduction_.host_of[rank];
    by_name[log_.ranks[rank].host].insert(host);
    const auto& address = log_.ranks[rank].carrier.address;
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

// An order is given one round before ranks follow it, so that every rank can send an offer for it. In this
// round the results of `measured_` arrive, ranks begin `current_`, and the order after that is decided.
Order Coordinator::work(std::vector<Report> reports, std::span<const int> gone) {
  clean_ &= gone.empty();
  bool interrupted = end_is_wanted();
  for (const auto& report : reports) {
    clean_ &= !report.abandoned;
    interrupted |= report.interrupted;
  }
  if (const auto* written = measured_.as<WriteRows>(); written && written->at_end)
    return close(reports, gone);
  if (const auto* writes = current_.as<WriteRows>(); writes && writes->at_end) {
    measured_ = current_;
    return {Submit{}};
  }
  if (measured_.is<WriteRows>())
    note_unwritten(reports);
  else if (const auto stop_at_once = refused(reports))
    return *stop_at_once;
  for (const auto& report : reports) {
    if (!report.carrier.lanes.empty()) {
      auto& known = log_.ranks[static_cast<std::size_t>(report.rank)].carrier;
      known.lanes = report.carrier.lanes;
      known.gpu.path = report.carrier.gpu.path;
    }
    for (const auto& one : report.retransmits) log_.recorder.retransmits(report.rank, one);
  }
  if (readings_ && !interrupted) readings_->keep(reports, measured_, step_began_, campaign_->began());
  campaign_->keep({.reports = std::move(reports),
                   .done = measured_,
                   .gone = gone,
                   .began = step_began_,
                   .now = context_.now(),
                   .interrupted = interrupted});
  if (interrupted) return end(true);
  const bool tells = summary_is_wanted();
  if (log_.commits.if_due(tells)) committed_ = rounds_;
  if (tells) log_.console.say("So far:\n" + campaign_->summary());
  auto next = next_order(gone);
  if (!next) return end(false);
  measured_ = next->replaces ? Order{Submit{}} : std::exchange(current_, {});
  step_began_ = context_.now();
  return std::move(*next);
}

std::optional<Order> Coordinator::next_order(std::span<const int> gone) {
  if (!readings_) return campaign_->next(current_, gone, context_.now());
  if (auto next = readings_->put_off()) return next;
  if (readings_->is_over()) return {};
  return readings_->instead_of(campaign_->next(current_, gone, context_.now()));
}

Order Coordinator::end(bool interrupted) {
  interrupted_ = interrupted;
  if (interrupted) log_.console.complain("a signal ends the run early; " + what_is_left());
  if (auto last = campaign_->last_order()) return std::move(*last);
  return close({}, {});
}

std::string Coordinator::what_is_left() const {
  const Options& o = context_.options;
  if (o.no_output) return "with --no-output nothing of it is kept";
  if (!log_.commits.is_kept())
    return o.pattern.empty() ? fmt::format("{0}.parts holds what {0} lacks", o.output)
                             : "the file holds what was measured before it could not be written any more";
  if (o.is_sion() || !o.pattern.empty()) return "the file holds what was measured so far";
  return "--resume FILE continues it";
}

// A rank that cannot write its part of a .sion file does not end the run: its rows are in the file, too.
void Coordinator::note_unwritten(const std::vector<Report>& reports) {
  for (const auto& report : reports)
    if (!report.fault.empty() && !std::exchange(unwritten_, true)) log_.console.complain(report.fault);
}

// Every rank has written its own part of a .sion file, or reports why not.
Order Coordinator::close(const std::vector<Report>& of_writing, std::span<const int> gone) {
  note_unwritten(of_writing);
  bool kept = !unwritten_;
  if (!gone.empty()) {
    log_.remarks.add(
        fmt::format("{} ended before writing {} part of {}: LinkTest's programs see its links as "
                    "not measured",
                    named_ranks(gone), gone.size() == 1 ? "its" : "their", context_.options.output));
    kept &= log_.failures.count() > 0;  // else the exit code already shows a fault
  }
  if (readings_) readings_->end();
  const int exit_code = campaign_->finish(interrupted_, kept);
  if (log_.kept != Kept::nowhere) committed_ = rounds_;
  return stop(exit_code);
}

Order Coordinator::stop(int exit_code) const { return {Stop{exit_code, clean_}}; }

}  // namespace everylink
