// A Place from what Slurm sets in the environment of its tasks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "bootstrap/place.hpp"

namespace everylink {
namespace {

constexpr const char* nodes = "SLURM_STEP_NODELIST";

// Both ends of "08-11" or "15". Throws UsageError unless there is a number between them.
std::pair<long long, long long> ends_of(const std::string& range) {
  constexpr std::size_t most_digits = 18;  // of a number that fits
  const std::string low = range.substr(0, range.find('-'));
  const std::string high = range.substr(std::min(range.size(), low.size() + 1));
  const auto from = parse_integer(low, nodes), to = high.empty() ? from : parse_integer(high, nodes);
  if (from < 0 || to < from || std::max(low.size(), high.size()) > most_digits)
    throw UsageError(fmt::format("{}: '{}' is not a range of nodes", nodes, range));
  return {from, to};
}

// Appends the hosts of a list, "n[08-11,15]-ib,m3", to `hosts` until there are `most`. `brackets`: how many
// of them one name may have; Slurm allows five.
void expand(std::string_view list, std::size_t most, std::vector<std::string>& hosts, int brackets = 5) {
  const auto comma_outside = [&] {
    int depth = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      depth += (list[i] == '[') - (list[i] == ']');
      if (list[i] == ',' && depth == 0) return i;
    }
    return list.size();
  };
  for (; !list.empty() && hosts.size() < most;
       list.remove_prefix(std::min(list.size(), comma_outside() + 1))) {
    const std::string name(list.substr(0, comma_outside()));
    const auto open = name.find('['), close = name.find(']');
    if (open == name.npos || close == name.npos || close < open) {
      hosts.push_back(name);
      continue;
    }
    if (brackets == 0) throw UsageError(fmt::format("{}: a name has too many brackets", nodes));
    for (const auto& range : split(name.substr(open + 1, close - open - 1), ',')) {
      const auto [from, to] = ends_of(range);
      const auto width = std::min(range.find('-'), range.size());
      for (auto number = from; number <= to && hosts.size() < most; ++number)
        expand(fmt::format("{}{:0{}}{}", name.substr(0, open), number, width, name.substr(close + 1)), most,
               hosts, brackets - 1);
    }
  }
}

std::string first_host(const std::string& list) {
  std::vector<std::string> hosts;
  expand(list, 1, hosts);
  return hosts.empty() ? "" : hosts.front();
}

// The host of each rank: the tasks of "2(x3),1" fill the hosts in their order, as they do unless srun is
// asked for another distribution. Empty: not known.
std::vector<std::string> hosts_by_rank(int size) {
  if (const auto how = variable("SLURM_DISTRIBUTION"); !how.empty() && !how.starts_with("block")) return {};
  const auto most = static_cast<std::size_t>(size);
  std::vector<std::string> hosts, by_rank;
  expand(variable(nodes), most, hosts);
  auto host = hosts.begin();
  for (const auto& part : split(variable("SLURM_STEP_TASKS_PER_NODE"), ',')) {
    int tasks = 0, times = 1;
    if (std::sscanf(part.c_str(), "%d(x%d)", &tasks, &times) < 1) return {};
    for (; times > 0 && host != hosts.end() && by_rank.size() < most; --times, ++host)
      by_rank.insert(by_rank.end(), static_cast<std::size_t>(std::clamp(tasks, 0, size)), *host);
  }
  return by_rank.size() == most ? by_rank : std::vector<std::string>();
}

// A port that is neither well known nor assigned by the kernel; another run on the host has another step.
int port_of_step() {
  if (const auto reserved = variable("SLURM_STEP_RESV_PORTS"); !reserved.empty())
    return static_cast<int>(
        parse_integer(reserved.substr(0, reserved.find_first_of("-,")), "SLURM_STEP_RESV_PORTS"));
  const auto number = [](const char* name) { return static_cast<std::uint64_t>(number_in(name)); };
  constexpr std::uint64_t lowest = 20000, ports = 12000;
  return static_cast<int>(lowest + mix(number("SLURM_JOB_ID"), number("SLURM_STEP_ID")) % ports);
}

}  // namespace

bool slurm_is_here() { return launcher_hint().name == "Slurm"; }

Place place_from_slurm(const std::string& interface) {
  must_be_set(
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST"},
      "--bootstrap slurm", "srun");
  Place place{.rank = number_in("SLURM_PROCID"),
              .size = number_in("SLURM_STEP_NUM_TASKS"),
              .bootstrap = "slurm",
              .ends_together = true};
  if (place.rank >= place.size)
    throw MachineError(
        fmt::format("SLURM_PROCID={} is out of range: SLURM_STEP_NUM_TASKS={}", place.rank, place.size));
  place.own = address_of(interface);
  const bool is_given = !variable("EVERYLINK_RENDEZVOUS").empty();
  const std::string meeting = is_given ? variable("EVERYLINK_RENDEZVOUS")
                                       : fmt::format("{}:{}", first_host(variable(nodes)), port_of_step());
  place.key = key_from_variables();
  must_share_a_key(place.key, "rank 0 of this step");
  if (place.rank > 0 || is_given)
    place.rendezvous = parse_addresses(meeting, is_given ? "EVERYLINK_RENDEZVOUS" : "SLURM_STEP_NODELIST");
  if (place.rank > 0) return place;
  place.hosts = hosts_by_rank(place.size);
  place.listener = is_given ? listener_at(place.rendezvous) : listener_of_rank_0(place.own, port_of_step());
  place.rendezvous = place.listener->addresses();
  return place;
}

}  // namespace everylink
