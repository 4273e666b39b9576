// What all campaigns share.
#include "coordinator/campaign.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "base/version.hpp"

namespace everylink {

void RunLog::remark_fault(const Report& report) {
  if (report.fault_of_link.empty()) return;
  if (report.fault_is_local) {
    if (local_faults.add(report.rank, report.fault_of_link))
      recorder.local_fault(report.rank, report.fault_of_link);
    return;
  }
  if (report.peer == no_rank) return;
  remarks.add(fmt::format("link {} -> {}: {}", failures.name(report.rank), failures.name(report.peer),
                          report.fault_of_link));
}

std::string RunLog::unmeasured() const {
  const auto count = failures.unmeasured();
  const auto why = local_faults.text(hosts());
  if (count == 0) return why.empty() ? "" : "Some measurements could not be made: " + why;
  return fmt::format("{} of {} could not be measured{}", count,
                     text_of_count(failures.links() + count, "link"), why.empty() ? "" : ": " + why);
}

std::vector<std::string> RunLog::hosts() const {
  std::vector<std::string> hosts;
  for (const auto& rank : ranks) hosts.push_back(rank.host);
  return hosts;
}

std::vector<Carrier> RunLog::carriers() const {
  std::vector<Carrier> all;
  for (const auto& rank : ranks) all.push_back(rank.carrier);
  return all;
}

std::string RunLog::heading(const Facts& facts) const {
  const Options& o = facts.options;
  return fmt::format("Everylink {}: {} ranks on {} by {}, mode {}{}{}, memory {}", version, ranks.size(),
                     text_of_count(failures.hosts(), "host"), facts.bootstrap, o.mode,
                     o.mode_options.empty() ? "" : ":", o.mode_options, o.memory);
}

std::string RunLog::crowd(const Facts& facts) const {
  if (facts.options.program != Program::everylink_measure) return "";
  std::vector<int> crowded;
  for (std::size_t rank = 0; rank < facts.crowded.size(); ++rank)
    if (facts.crowded[rank]) crowded.push_back(static_cast<int>(rank));
  if (crowded.empty()) return "";
  return fmt::format("\nMore ranks than cores on {}: times there include waiting for a core",
                     named_hosts(crowded, hosts()));
}

int exit_code_of(bool is_complete, std::int64_t failed, std::int64_t unmeasured) {
  if (!is_complete) return exit_machine;
  if (failed > 0) return exit_links_failed;
  return unmeasured > 0 ? exit_not_measured : exit_ok;
}

}  // namespace everylink
