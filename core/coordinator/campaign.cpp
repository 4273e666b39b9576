// What all campaigns share.
#include "coordinator/campaign.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "base/version.hpp"

namespace everylink {

void RunLog::remark_fault(const Report& report) {
  if (report.fault_of_link.empty() || report.peer == no_rank) return;
  remarks.add(fmt::format("link {} -> {}: {}", failures.name(report.rank), failures.name(report.peer),
                          report.fault_of_link));
}

std::vector<std::string> RunLog::lanes() const {
  std::vector<std::string> lanes;
  for (const auto& rank : ranks) lanes.push_back(rank.carrier.lanes);
  return lanes;
}

std::string RunLog::heading(const Facts& facts) const {
  const Options& o = facts.options;
  return fmt::format("Everylink {}: {} ranks on {} by {}, mode {}{}{}, memory {}", version, ranks.size(),
                     text_of_count(failures.hosts(), "host"), facts.bootstrap, o.mode,
                     o.mode_options.empty() ? "" : ":", o.mode_options, o.memory);
}

}  // namespace everylink
