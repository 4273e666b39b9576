// Measures a load pattern.
#include "coordinator/load_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "load/scene_rows.hpp"
#include "load/scene_sums.hpp"

namespace everylink {
namespace {

constexpr std::size_t peers_of_a_dark_rank = 2;

}  // namespace

LoadCampaign::LoadCampaign(const Options& options, const Introduction& all, RunLog& log)
    : options_(options), pattern_(*pattern_named(options.pattern)), plan_(options, all), log_(log) {}

Order LoadCampaign::begin(Facts facts, std::span<const int>) {
  log_.know(facts.ranks, facts.host_of);
  facts.servers = plan_.request_load().servers;
  facts.point = pattern_.point;
  facts.variants.assign(pattern_.variants.begin(), pattern_.variants.end());
  facts.flows =
      plan_.scenes() * std::max(static_cast<std::int64_t>(log_.ranks.size()),
                                std::int64_t{plan_.request_load().servers} * plan_.request_load().clients);
  const Options& o = options_;
  const double bytes = o.no_output ? 0 : estimated_bytes(facts);
  log_.console.plan({.ranks = static_cast<int>(log_.ranks.size()),
                     .hosts = log_.failures.hosts(),
                     .transport = o.mode,
                     .kernel = o.kernel,
                     .schedule = o.pattern,
                     .sizes = o.sizes,
                     .steps = plan_.scenes(),
                     .links = facts.flows,
                     .file_bytes = bytes,
                     .output = o.no_output ? "" : o.output});
  std::string text = log_.heading(facts) + "\n";
  text += fmt::format("Pattern {}: {}\n{}{}, messages of {}", o.pattern, pattern_.summary,
                      text_of_count(plan_.scenes(), "scene"), work(), sizes());
  if (facts.seed) text += fmt::format(", seed {}", facts.seed);
  text += log_.crowd(facts);
  text += o.no_output ? "\nNo results file"
                      : fmt::format("\nResults file {}, about {}", o.output, text_of_bytes(bytes));
  log_.console.say(text);
  log_.recorder.begin(facts);
  log_.commits.start();
  if (pattern_.traits.table && !log_.console.quiet())
    log_.console.say(std::string(pattern_.traits.table->header));
  return facts.reads_hosts ? under_load() : *following();
}

// Before the first scene all ranks meet in pairs for a moment that is not timed: PCIe is read meanwhile.
Order LoadCampaign::under_load() {
  Measure pairs;
  pairs.calibrates = true;
  pairs.steps.resize(1);
  return {pairs};
}

std::string LoadCampaign::sizes() const {
  constexpr std::size_t few = 6;
  const auto& all = options_.sizes;
  if (all.size() > few)
    return fmt::format("{} to {} ({} sizes)", text_of_size(*std::min_element(all.begin(), all.end())),
                       text_of_size(options_.largest()), all.size());
  std::vector<std::string> texts;
  for (const auto size : all) texts.push_back(text_of_size(size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The work of one scene.
std::string LoadCampaign::work() const {
  const auto& load = plan_.request_load();
  if (load.requests)
    return fmt::format(", {}, {}, {} from each client to each server", text_of_count(load.servers, "server"),
                       text_of_count(load.clients, "client"), text_of_count(load.requests, "request"));
  if (plan_.messages()) return fmt::format(", {} per flow", text_of_count(plan_.messages(), "message"));
  return " of " + text_of_seconds(options_.duration);
}

std::optional<Order> LoadCampaign::next(const Order&, std::span<const int>, Seconds) { return following(); }

// The order of a scene: its turns of connecting, a round without work, its flows, a round without work. The
// rounds without work collect the results so far, so that the flows begin together in virtual time, and the
// next scene leaves out what failed in this one.
std::optional<Order> LoadCampaign::following() {
  if (const auto* connects = order_.as<Connect>()) {
    Connect next = *connects;
    ++next.turn;
    order_ = is_connected(next) ? Order{Submit{}} : Order{std::move(next)};
    connected_ = order_.is<Submit>();
  } else if (order_.is<RunFlows>()) {
    order_ = {Submit{}};
    ++scene_;
  } else if (std::exchange(connected_, false)) {
    RunFlows flows{.scene = scene_, .begins = latest_};
    if (whole_) flows.timeout = plan_.timeout(scene_, whole_->scene, whole_->took);
    order_ = {flows};
  } else {
    if (scene_ == plan_.scenes()) return {};
    order_ = {first_of(scene_)};
  }
  return order_;
}

bool LoadCampaign::is_connected(const Connect& order) const {
  return order.turn > 0 && order.turn >= static_cast<std::uint32_t>(assigned_->turns);
}

Connect LoadCampaign::first_of(std::int64_t scene) {
  Connect order{.scene = scene};
  assigned_ = plan_.assigned(scene);
  for (const auto& [rank, peers] : silent_)
    if (peers.size() >= peers_of_a_dark_rank) order.dark.push_back(rank);
  for (const auto& [a, b] : severed_) order.severed.insert(order.severed.end(), {a, b});
  return first_order_ = order;
}

void LoadCampaign::keep(const RoundResults& round) {
  if (round.interrupted) return;
  const auto* flows = round.done.as<RunFlows>();
  if (!began_ && (flows || round.done.is<Connect>())) began_ = round.began;
  for (const auto& report : round.reports) {
    latest_ = std::max(latest_, report.now);
    log_.remark_fault(report);
  }
  if (!flows) return;
  const auto rows = rows_of(assigned_->scene, round.reports, round.gone, first_order_);
  const auto failed_before = flows_failed_ + flows_unmeasured_;
  learn(rows);
  const Scene& scene = assigned_->scene;
  const std::size_t bytes = plan_.bytes(flows->scene);
  log_.recorder.scenes()->scene({.bytes = bytes,
                                 .point = scene.point,
                                 .variant = scene.variant,
                                 .began = round.began - *began_,
                                 .gone = static_cast<std::uint32_t>(round.gone.size())},
                                rows);
  if (flows_failed_ + flows_unmeasured_ == failed_before) whole_ = {flows->scene, round.now - round.began};
  sums_.push_back(sums_of(scene, bytes, rows));
  if (!log_.console.quiet()) say_scene(scene, rows);
  const Seconds elapsed = round.now - *began_;
  const auto done = flows->scene + 1, scenes = plan_.scenes();
  log_.console.step({.iteration = 0,
                     .step = done,
                     .steps = scenes,
                     .links_done = flows_ok_ + flows_failed_,
                     .links_failed = flows_failed_,
                     .elapsed = elapsed,
                     .left = elapsed / static_cast<double>(done) * static_cast<double>(scenes - done)});
}

void LoadCampaign::say_scene(const Scene& scene, const std::vector<FlowRow>& rows) const {
  if (options_.verbose) {
    const auto name = [&](int rank) {
      return options_.hostnames ? log_.failures.name(rank) : std::to_string(rank);
    };
    for (const auto& line : lines_of_flows(scene, sums_.back().bytes, rows, name)) log_.console.say(line);
  }
  if (const auto* table = pattern_.traits.table) {
    const auto of_row =
        table->of_sizes ? static_cast<std::size_t>(plan_.scenes()) / options_.sizes.size() : 1;
    if (sums_.size() % of_row == 0) log_.console.say(table->row(std::span(sums_).last(of_row)));
  } else {
    log_.console.say(line_of(pattern_, sums_.back(), options_.sizes.size() > 1));
  }
}

void LoadCampaign::note_link(const FlowRow& row) {
  Sample sample;
  sample.from = static_cast<std::uint32_t>(row.flow.from);
  sample.to = static_cast<std::uint32_t>(row.flow.to);
  sample.outcome = row.outcome;
  log_.failures.add(sample);
}

void LoadCampaign::learn(const std::vector<FlowRow>& rows) {
  for (const auto& row : rows) {
    note_link(row);
    (row.outcome == Outcome::ok      ? flows_ok_
     : row.outcome == Outcome::local ? flows_unmeasured_
                                     : flows_failed_) += 1;
    if (!is_doubtful(row.outcome)) continue;
    severed_.insert(std::minmax(row.flow.from, row.flow.to));
    silent_[row.flow.from].insert(row.flow.to);
    silent_[row.flow.to].insert(row.flow.from);
  }
  for (const auto& row : rows)
    if (row.outcome == Outcome::ok) silent_.erase(row.flow.from), silent_.erase(row.flow.to);
}

std::string LoadCampaign::summary() const {
  std::vector<std::string> lines;
  if (flows_failed_ > 0) {
    lines.push_back(fmt::format("{} of {} flows FAILED:", flows_failed_, flows_failed_ + flows_ok_));
    for (const auto& line : log_.failures.lines()) lines.push_back("  " + line);
  }
  if (const auto line = log_.unmeasured(); !line.empty()) lines.push_back(line);
  for (const auto& remark : log_.remarks.all()) lines.push_back("Note: " + remark);
  if (const auto* table = pattern_.traits.table)
    for (const auto& line : table->findings(sums_, [&](int rank) { return log_.failures.name(rank); }))
      lines.push_back(fmt::format("{}: {}", pattern_.name, line));
  for (const auto bytes : pattern_.brief ? options_.sizes : std::vector<std::size_t>()) {
    std::vector<SceneSums> of_size;
    for (const auto& sums : sums_)
      if (sums.bytes == bytes) of_size.push_back(sums);
    const std::string size = options_.sizes.size() > 1 ? " at " + text_of_size(bytes) : "";
    for (const auto& line : pattern_.brief(of_size))
      lines.push_back(fmt::format("{}{}: {}", pattern_.name, size, line));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

int LoadCampaign::finish(bool interrupted, bool) {
  log_.kept = log_.recorder.end(
      {.interrupted = interrupted, .remarks = log_.remarks.all(), .carriers = log_.carriers()});
  const int code = exit_code_of(!interrupted && log_.kept == Kept::in_file, flows_failed_, flows_unmeasured_);
  if (const auto text = summary(); !text.empty()) log_.console.say(text);
  log_.console.end(code, flows_ok_, flows_failed_, options_.no_output ? "" : options_.output);
  return code;
}

}  // namespace everylink
