// The sums of a scene, and their text.
#include "load/scene_sums.hpp"
#include "base/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/units.hpp"

namespace everylink {
namespace {

constexpr double share_of_p99 = 0.99;
constexpr double least_for_p99 = 100;  // readings: with fewer, p99 would be the largest one

// The share of these readings that are at most `time`.
double share_below(const Statistics& t, double time) {
  const std::pair<double, double> known[] = {{t.min, 0}, {t.median, 0.5}, {t.p99, share_of_p99}, {t.max, 1}};
  double share = 0, from = 0;
  for (const auto& [at, value] : known) {
    if (std::isnan(at)) continue;
    if (time < at) return at > from ? share + (value - share) * (time - from) / (at - from) : share;
    share = value, from = at;
  }
  return 1;
}

// The results of one client or server.
struct Party {
  std::uint64_t requests = 0;
  Seconds end = 0;
  bool is_well = true;
  std::vector<Statistics> times;  // of its connections

  void add(const FlowRow& row, Seconds seconds, std::uint64_t messages, const Statistics& part) {
    is_well &= row.outcome == Outcome::ok || row.outcome == Outcome::local;
    if (row.outcome != Outcome::ok) return;
    requests += messages;
    end = std::max(end, seconds);
    times.push_back(part);
  }
  double mean() const {
    double sum = 0, n = 0;
    for (const auto& t : times)
      if (t.n) sum += double{t.mean} * t.n, n += t.n;
    return sum / n;
  }
};

std::map<int, Party> clients_of(const std::vector<FlowRow>& rows) {
  std::map<int, Party> parties;
  for (const auto& row : rows) parties[row.flow.client()].add(row, row.seconds, row.messages, row.times);
  return parties;
}

std::map<int, Party> servers_of(const std::vector<FlowRow>& rows) {
  std::map<int, Party> parties;
  for (const auto& row : rows)
    parties[row.flow.server()].add(row, row.sent_seconds, row.sent_messages, row.service);
  return parties;
}

// Jain, Chiu, Hawe: A quantitative measure of fairness (1984).
void sum_requests(SceneSums& sums, const std::vector<FlowRow>& rows) {
  constexpr std::size_t few = 3;
  Party all, service;
  std::vector<std::pair<Seconds, int>> ends;
  double rates = 0, squares = 0;
  for (const auto& row : rows) {
    all.add(row, row.seconds, row.messages, row.times);
    service.add(row, row.sent_seconds, row.sent_messages, row.service);
  }
  for (const auto& [rank, client] : clients_of(rows)) {
    if (client.end <= 0) continue;
    const double rate = static_cast<double>(client.requests) / client.end;
    rates += rate, squares += rate * rate;
    ends.emplace_back(client.end, rank);
  }
  std::sort(ends.rbegin(), ends.rend());
  sums.clients = static_cast<int>(ends.size());
  sums.requests = all.requests;
  if (!ends.empty()) {
    sums.last_end = ends.front().first, sums.first_end = ends.back().first;
    sums.jain = rates * rates / (static_cast<double>(ends.size()) * squares);
  }
  for (std::size_t i = 0; i < std::min(few, ends.size()); ++i) sums.last.push_back(ends[i].second);
  if (all.end > 0) sums.total = static_cast<double>(all.requests) * static_cast<double>(sums.bytes) / all.end;
  sums.reply_mean = all.mean();
  sums.reply_median = pooled_quantile(0.5, all.times);
  sums.reply_p99 = pooled_quantile(share_of_p99, all.times);
  sums.service_mean = service.mean();
}

std::string rate_text(double messages, std::size_t bytes, Seconds seconds) {
  return seconds > 0 ? text_of_bandwidth(messages * static_cast<double>(bytes) / seconds) : "nothing";
}

}  // namespace

double pooled_quantile(double share, std::span<const Statistics> parts) {
  double low = 0, high = 0, all = 0;
  for (const auto& t : parts)
    if (t.n) high = std::max(high, double{t.max}), all += t.n;
  if (all == 0 || (share > 0.5 && all < least_for_p99)) return std::nan("");
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const auto& t : parts)
      if (t.n) below += t.n * share_below(t, middle);
    (below < share * all ? low : high) = middle;
  }
  return high;
}

SceneSums sums_of(const Scene& scene, std::size_t bytes, const std::vector<FlowRow>& rows) {
  SceneSums sums;
  sums.bytes = bytes;
  sums.point = scene.point;
  sums.variant = scene.variant;
  for (const auto& row : rows) {
    ++sums.flows;
    if (row.outcome != Outcome::ok || row.seconds <= 0) {
      sums.failed += row.outcome != Outcome::ok && row.outcome != Outcome::local;
      sums.unmeasured += row.outcome == Outcome::local;
    } else if (row.flow.kind == FlowKind::ping) {
      ++sums.pings;
      sums.ping_mean += row.times.mean;
      sums.ping_median += row.times.median;
      sums.ping_p99 += row.times.p99;
    } else if (row.flow.kind == FlowKind::bulk) {
      const double rate = static_cast<double>(row.messages) * static_cast<double>(bytes) / row.seconds;
      if (sums.bulks == 0 || rate < sums.slowest)
        sums.slowest = rate, sums.slowest_from = row.flow.from, sums.slowest_to = row.flow.to;
      sums.fastest = std::max(sums.fastest, rate);
      sums.total += rate;
      ++sums.bulks;
    }
  }
  if (sums.bulks) sums.mean = sums.total / sums.bulks;
  for (double* time : {&sums.ping_mean, &sums.ping_median, &sums.ping_p99})
    *time /= sums.pings;  // NaN without any
  if (!rows.empty() && rows.front().flow.carries_requests()) sum_requests(sums, rows);
  return sums;
}

std::vector<std::string> lines_of_flows(const Scene& scene, std::size_t bytes,
                                        const std::vector<FlowRow>& rows, const NameOfRank& name) {
  std::vector<std::string> lines;
  const std::string head = fmt::format("  {}, {}", text_of_size(bytes), scene.point);
  if (!rows.empty() && rows.front().flow.carries_requests()) {
    for (const bool asks : {true, false})
      for (const auto& [rank, party] : asks ? clients_of(rows) : servers_of(rows))
        lines.push_back(fmt::format(
            "{}, {} {}: {} in {}, {}, {} {} (p99 {}){}", head, asks ? "client" : "server", name(rank),
            text_of_count(party.requests, "request"), text_of_seconds(party.end),
            rate_text(static_cast<double>(party.requests), bytes, party.end), asks ? "latency" : "service",
            text_of_seconds(party.mean()), text_of_seconds(pooled_quantile(share_of_p99, party.times)),
            party.is_well ? "" : ", FAILED"));
    return lines;
  }
  for (const auto& row : rows) {
    std::string text = fmt::format("{}, {} -> {}: ", head, name(row.flow.from), name(row.flow.to));
    if (row.outcome == Outcome::local)
      text += said_of(row.outcome);
    else if (row.outcome != Outcome::ok)
      text += fmt::format("FAILED, {}", said_of(row.outcome));
    else if (row.flow.kind == FlowKind::ping)
      text += text_of_seconds(row.times.mean);
    else
      text +=
          fmt::format("{}, {} per message", rate_text(static_cast<double>(row.messages), bytes, row.seconds),
                      text_of_seconds(row.messages ? row.seconds / static_cast<double>(row.messages) : 0));
    lines.push_back(text);
  }
  return lines;
}

std::string line_of(const Pattern& pattern, const SceneSums& s, bool several_sizes) {
  std::string text = several_sizes ? text_of_size(s.bytes) + ", " : "";
  text += fmt::format("{} {}", pattern.point, s.point);
  const auto variant = pattern.variants[s.variant];
  if (!variant.empty()) text += fmt::format(", {}", variant);
  text += ":";
  if (s.bulks)
    text +=
        fmt::format(" {} per flow ({} to {}), {} in all", text_of_bandwidth(s.mean),
                    text_of_bandwidth(s.slowest), text_of_bandwidth(s.fastest), text_of_bandwidth(s.total));
  if (s.pings)
    text += fmt::format("{} latency {} (median {}, p99 {})", s.bulks ? "," : "", text_of_seconds(s.ping_mean),
                        text_of_seconds(s.ping_median),
                        std::isnan(s.ping_p99) ? "not known" : text_of_seconds(s.ping_p99));
  if (const auto lost = text_of_lost(s.failed, s.unmeasured, s.flows, "flows"); !lost.empty())
    text += fmt::format("{} {}", s.bulks || s.pings ? "," : "", lost);
  return text;
}

}  // namespace everylink
