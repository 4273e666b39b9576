// The switch of each host, by which the schedule `screen` spreads its pairs.
#pragma once

#include <string>
#include <vector>

#include "base/rank_facts.hpp"

namespace everylink {

// The number of the switch of each host, from 0 on, in the order of the hosts; a host of which none is known
// has a number of its own. Empty where no two switches are known. `host_of`: the host of each rank.

// By the addresses that Slurm told the ranks.
std::vector<int> switches_told(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of);
// By lines `HOST SWITCH`. Names match without a domain, too, unless that would confuse two of the file.
// Throws UsageError that begins with `asked_by`.
std::vector<int> switches_in(const std::string& text, const std::string& asked_by,
                             const std::vector<RankFacts>& ranks, const std::vector<int>& host_of);

}  // namespace everylink
