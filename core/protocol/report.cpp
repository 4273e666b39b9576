// What a report may contain.
#include "protocol/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/outcome.hpp"

namespace everylink {

namespace {

constexpr Seconds longest_time = 1e9;

}  // namespace

// Only processes with the key of the run send reports, but a broken one must not damage the file.
void Report::check(int from, int ranks, std::size_t sizes) const {
  const auto is_time = [](Seconds t) { return t >= 0 && t <= longest_time; };
  bool good = rank == from && peer >= no_rank && peer < ranks && peer != rank;
  good &= is_time(busy) && is_time(took) && is_time(began) && is_time(now) && is_time(warmup) &&
          is_time(orders_took);
  good &= fault.empty() || fault_exit == exit_machine || fault_exit == exit_usage;
  good &= led.samples.empty() || (peer != no_rank && led.samples.size() == sizes);
  good &= host.size() <= 1;
  for (const auto& one : retransmits) good &= one.to >= 0 && one.to < ranks && one.to != rank;
  good &= led.laps.size() <= sizes && notes.size() <= sizes && needs.size() <= sizes;
  for (std::size_t i = 0; good && i < led.samples.size(); ++i)
    good = led.samples[i].from == static_cast<std::uint32_t>(rank) &&
           led.samples[i].to == static_cast<std::uint32_t>(peer) && led.samples[i].size == i;
  if (!good) throw MachineError(fmt::format("rank {} sent a report that is impossible in this run", from));
}

bool Report::is_whole() const {
  return !abandoned && !interrupted && fault_of_link.empty() && !led.samples.empty() &&
         std::all_of(led.samples.begin(), led.samples.end(),
                     [](const Sample& sample) { return sample.outcome == Outcome::ok; });
}

}  // namespace everylink
