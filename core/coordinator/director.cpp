// Rank 0's mind in a load pattern.
#include "coordinator/director.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "base/version.hpp"
#include "load/scene_rows.hpp"
#include "load/scene_sums.hpp"

namespace everylink {
namespace {

constexpr std::size_t peers_of_a_dark_rank = 2;

std::string text_of_size(std::size_t bytes) { return text_of_bytes(static_cast<double>(bytes)); }

}  // namespace

Director::Director(const Options& options, const Introduction& all, Recorder& recorder, Console& console)
    : options_(options),
      pattern_(*pattern_named(options.pattern)),
      play_(options, all),
      recorder_(recorder),
      console_(console) {}

void Director::begin(Facts facts) {
  ranks_ = facts.ranks;
  failures_.know(ranks_, facts.host_of);
  facts.servers = play_.asking().servers;
  facts.point = pattern_.point;
  facts.variants.assign(pattern_.variants.begin(), pattern_.variants.end());
  facts.flows = play_.scenes() * std::max(static_cast<std::int64_t>(ranks_.size()),
                                          std::int64_t{play_.asking().servers} * play_.asking().clients);
  const Options& o = options_;
  const double bytes = o.no_output ? 0 : estimated_bytes(facts);
  console_.plan({static_cast<int>(ranks_.size()), failures_.hosts(), o.mode, o.kernel, o.pattern, o.sizes,
                 play_.scenes(), facts.flows, bytes, o.no_output ? "" : o.output});
  std::string text = fmt::format("Everylink {}: {} ranks on {} host(s) by {}, mode {}{}{}, memory {}\n",
                                 version, ranks_.size(), failures_.hosts(), facts.bootstrap, o.mode,
                                 o.mode_options.empty() ? "" : ":", o.mode_options, o.memory);
  text += fmt::format("Pattern {}: {}\n{} scenes{}, messages of {}", o.pattern, pattern_.summary,
                      play_.scenes(), work(), sizes());
  if (facts.seed) text += fmt::format(", seed {}", facts.seed);
  text += o.no_output ? "\nNo results file"
                      : fmt::format("\nResults file {}, about {}", o.output, text_of_bytes(bytes));
  console_.say(text);
  recorder_.begin(facts);
  commits_.start();
  if (pattern_.traits.table && !console_.quiet()) console_.say(std::string(pattern_.traits.table->header));
}

std::string Director::sizes() const {
  constexpr std::size_t few = 6;
  const auto& all = options_.sizes;
  if (all.size() > few)
    return fmt::format("{} to {} ({} sizes)", text_of_size(*std::min_element(all.begin(), all.end())),
                       text_of_size(options_.largest()), all.size());
  std::vector<std::string> texts;
  for (const auto size : all) texts.push_back(text_of_size(size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Of a scene.
std::string Director::work() const {
  const auto& asking = play_.asking();
  if (asking.requests)
    return fmt::format(", {} server(s), {} client(s), {} requests of a client to each server", asking.servers,
                       asking.clients, asking.requests);
  if (play_.messages()) return fmt::format(", {} messages a flow", play_.messages());
  return " of " + text_of_seconds(options_.duration);
}

// Turn by turn, then the flows, and before and after them a round without work: then what came before is
// known. So the flows begin together on made-up clocks, and the next scene leaves out what failed in this
// one.
std::optional<Order> Director::next() {
  Order order = order_;
  if (order_.what == Order::What::connect) {
    ++order.turn;
    if (is_connected(order)) order.what = Order::What::hand_in;
  } else if (order_.what == Order::What::flow) {
    order = Order{};
    order.what = Order::What::hand_in;
    order.scene = order_.scene + 1;
  } else if (staged_ && is_connected(order_)) {
    order.what = Order::What::flow;
    order.begins = latest_;
    if (whole_) order.patience_of_scene = play_.patience_of(order.scene, whole_->scene, whole_->took);
  } else {
    if (order_.scene == play_.scenes()) return {};
    order = first_of(order_.scene);
  }
  return order_ = order;
}

bool Director::is_connected(const Order& order) const {
  return order.turn > 0 && order.turn >= static_cast<std::uint32_t>(staged_->turns);
}

Order Director::first_of(std::int64_t scene) {
  Order order;
  order.what = Order::What::connect;
  order.scene = scene;
  staged_ = play_.staged(scene);
  for (const auto& [rank, peers] : silent_)
    if (peers.size() >= peers_of_a_dark_rank) order.dark.push_back(rank);
  for (const auto& [a, b] : severed_) order.severed.insert(order.severed.end(), {a, b});
  staged_order_ = order;
  return order;
}

void Director::keep(const std::vector<Report>& reports, const Order& done, std::span<const int> gone,
                    Seconds began, Seconds now) {
  if (!began_ && done.plays()) began_ = began;
  for (const auto& report : reports) latest_ = std::max(latest_, report.now);
  for (const auto& report : reports)
    if (!report.fault_of_link.empty() && report.peer != no_rank)
      remark(fmt::format("link {} -> {}: {}", failures_.name(report.rank), failures_.name(report.peer),
                         report.fault_of_link));
  if (done.what != Order::What::flow) return;
  const auto rows = rows_of(staged_->scene, reports, gone, *staged_order_);
  const auto failed_before = flows_failed_;
  learn(rows);
  const Scene& scene = staged_->scene;
  recorder_.scenes()->scene({play_.bytes(done.scene), scene.point, scene.variant, began - *began_,
                             static_cast<std::uint32_t>(gone.size())},
                            rows);
  if (flows_failed_ == failed_before) whole_ = {done.scene, now - began};
  sums_.push_back(sums_of(scene, play_.bytes(done.scene), rows));
  if (!console_.quiet()) say_scene(scene, rows);
  const Seconds elapsed = now - *began_;
  const auto played = done.scene + 1, scenes = play_.scenes();
  console_.step({0, played, scenes, flows_ok_ + flows_failed_, flows_failed_, elapsed,
                 elapsed / static_cast<double>(played) * static_cast<double>(scenes - played)});
}

void Director::say_scene(const Scene& scene, const std::vector<FlowRow>& rows) const {
  if (options_.verbose) {
    const auto name = [&](int rank) {
      return options_.hostnames ? failures_.name(rank) : std::to_string(rank);
    };
    for (const auto& line : lines_of_flows(scene, sums_.back().bytes, rows, name)) console_.say(line);
  }
  if (const auto* table = pattern_.traits.table) {
    const auto of_row =
        table->of_sizes ? static_cast<std::size_t>(play_.scenes()) / options_.sizes.size() : 1;
    if (sums_.size() % of_row == 0) console_.say(table->row(std::span(sums_).last(of_row)));
  } else {
    console_.say(line_of(pattern_, sums_.back(), options_.sizes.size() > 1));
  }
}

// Each link once, however many scenes it is part of: a host is not to blame for one link that failed in all
// of them.
void Director::note_link(const FlowRow& row) {
  const auto number =
      static_cast<std::size_t>(row.flow.from) * ranks_.size() + static_cast<std::size_t>(row.flow.to);
  if (known_.empty()) known_.resize(ranks_.size() * ranks_.size());
  const bool was_ok = known_[number] && !severed_.contains(std::minmax(row.flow.from, row.flow.to));
  if (known_[number] && (row.outcome == Outcome::ok || !was_ok)) return;
  known_[number] = true;
  Sample sample;
  sample.from = static_cast<std::uint32_t>(row.flow.from);
  sample.to = static_cast<std::uint32_t>(row.flow.to);
  sample.outcome = row.outcome;
  failures_.add(sample);
}

void Director::learn(const std::vector<FlowRow>& rows) {
  for (const auto& row : rows) {
    note_link(row);
    (row.outcome == Outcome::ok ? flows_ok_ : flows_failed_) += 1;
    if (row.outcome != Outcome::timeout && row.outcome != Outcome::broken) continue;
    severed_.insert(std::minmax(row.flow.from, row.flow.to));
    silent_[row.flow.from].insert(row.flow.to);
    silent_[row.flow.to].insert(row.flow.from);
  }
  for (const auto& row : rows)
    if (row.outcome == Outcome::ok) silent_.erase(row.flow.from), silent_.erase(row.flow.to);
}

void Director::tell_interim() { console_.say("So far:\n" + summary()); }

std::string Director::summary() const {
  std::vector<std::string> lines;
  if (flows_failed_ > 0) {
    lines.push_back(fmt::format("{} of {} flows FAILED:", flows_failed_, flows_failed_ + flows_ok_));
    for (const auto& line : failures_.lines()) lines.push_back("  " + line);
  }
  for (const auto& remark : remarks_.all()) lines.push_back("Note: " + remark);
  if (const auto* table = pattern_.traits.table)
    for (const auto& line : table->findings(sums_, [&](int rank) { return failures_.name(rank); }))
      lines.push_back(fmt::format("{}: {}", pattern_.name, line));
  for (const auto bytes : pattern_.brief ? options_.sizes : std::vector<std::size_t>()) {
    std::vector<SceneSums> of_size;
    for (const auto& sums : sums_)
      if (sums.bytes == bytes) of_size.push_back(sums);
    const std::string size = options_.sizes.size() > 1 ? text_of_size(bytes) + ", " : "";
    for (const auto& line : pattern_.brief(of_size))
      lines.push_back(fmt::format("{}{}: {}", size, pattern_.name, line));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

int Director::end(bool interrupted) {
  std::vector<std::string> lanes;
  for (const auto& rank : ranks_) lanes.push_back(rank.carrier.lanes);
  recorder_.end({interrupted, 0, remarks_.all(), std::move(lanes), {}});
  const int code = interrupted ? exit_machine : flows_failed_ > 0 ? exit_links_failed : exit_ok;
  if (const auto text = summary(); !text.empty()) console_.say(text);
  console_.end(code, flows_ok_, flows_failed_, options_.no_output ? "" : options_.output);
  return code;
}

}  // namespace everylink
