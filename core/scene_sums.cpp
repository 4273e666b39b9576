// What a scene amounted to.
#include "scene_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "units.hpp"

namespace everylink {

SceneSums sums_of(const Scene& scene, std::size_t bytes, const std::vector<FlowRow>& rows) {
  SceneSums sums;
  sums.bytes = bytes;
  sums.point = scene.point;
  sums.variant = scene.variant;
  for (const auto& row : rows) {
    ++sums.flows;
    if (row.outcome != Outcome::ok || row.seconds <= 0) {
      sums.failed += row.outcome != Outcome::ok;
    } else if (row.flow.kind == FlowKind::ping) {
      ++sums.pings;
      sums.ping_mean += row.one_way.mean;
      sums.ping_median += row.one_way.median;
      sums.ping_p99 += row.one_way.p99;
    } else {
      const double rate = static_cast<double>(row.messages) * static_cast<double>(bytes) / row.seconds;
      sums.slowest = sums.bulks ? std::min(sums.slowest, rate) : rate;
      sums.fastest = std::max(sums.fastest, rate);
      sums.total += rate;
      ++sums.bulks;
    }
  }
  if (sums.bulks) sums.mean = sums.total / sums.bulks;
  for (double* time : {&sums.ping_mean, &sums.ping_median, &sums.ping_p99})
    *time /= sums.pings;  // NaN without any
  return sums;
}

std::string line_of(const Pattern& pattern, const SceneSums& s, bool several_sizes) {
  std::string text = several_sizes ? text_of_bytes(static_cast<double>(s.bytes)) + ", " : "";
  text += fmt::format("{} {}", pattern.point, s.point);
  const auto variant = pattern.variants[s.variant];
  if (!variant.empty()) text += fmt::format(", {}", variant);
  text += ":";
  if (s.bulks)
    text +=
        fmt::format(" {} a flow ({} to {}), {} in all", text_of_bandwidth(s.mean),
                    text_of_bandwidth(s.slowest), text_of_bandwidth(s.fastest), text_of_bandwidth(s.total));
  if (s.pings)
    text += fmt::format("{} latency {} (median {}, p99 {})", s.bulks ? "," : "", text_of_seconds(s.ping_mean),
                        text_of_seconds(s.ping_median),
                        std::isnan(s.ping_p99) ? "not known" : text_of_seconds(s.ping_p99));
  if (s.failed)
    text += fmt::format("{} {} of {} flows FAILED", s.bulks || s.pings ? "," : "", s.failed, s.flows);
  return text;
}

}  // namespace everylink
