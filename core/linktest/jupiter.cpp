// The JUPITER Benchmark Suite's rule for LinkTest: how a run departs from it, and its table.
#include "linktest/jupiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/ranks.hpp"
#include "base/units.hpp"
#include "linktest/lines.hpp"

namespace everylink {
namespace {

constexpr std::size_t most_names = 8;

struct Host {
  std::string name;
  int ranks = 0, adapters = 0, gpus = 0;
  std::set<int> used;                 // GPUs whose memory holds messages
  bool below = false, above = false;  // has ranks in the lower half, in the upper half
};

std::vector<Host> hosts_with(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  std::vector<Host> hosts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto index = static_cast<std::size_t>(host_of[rank]);
    if (index >= hosts.size()) hosts.resize(index + 1);
    Host& host = hosts[index];
    host.name = ranks[rank].host;
    host.adapters = ranks[rank].adapters;
    if (const auto& gpu = ranks[rank].carrier.gpu; gpu.number >= 0) {
      host.used.insert(gpu.number);
      host.gpus = std::max(host.gpus, gpu.of_host);
    }
    ++host.ranks;
    (rank < ranks.size() / 2 ? host.below : host.above) = true;
  }
  return hosts;
}

std::string names_of(const std::vector<const Host*>& hosts) {
  std::vector<std::string> names;
  for (const auto* host : hosts) names.push_back(host->name);
  return first_names(names, most_names);
}

// One sentence for all hosts that are alike. With an odd number of adapters, one has no rank.
std::vector<std::string> wrong_numbers(const std::vector<Host>& hosts) {
  int adapters = 0, ranks = 0;
  for (const auto& host : hosts) {
    adapters += host.adapters;
    ranks += host.ranks;
  }
  if (adapters == 0)
    return {
        "no host has an InfiniBand, Omni-Path or RoCE adapter with an active port: whether each has a rank "
        "cannot be told"};
  bool may_lack_one = adapters % 2 == 1 && ranks == adapters - 1;
  std::map<std::pair<int, int>, std::vector<const Host*>> wrong;
  for (const auto& host : hosts) {
    if (host.ranks == host.adapters) continue;
    if (host.ranks == host.adapters - 1 && std::exchange(may_lack_one, false)) continue;
    wrong[{host.ranks, host.adapters}].push_back(&host);
  }
  std::vector<std::string> sentences;
  for (const auto& [numbers, of] : wrong)
    sentences.push_back(fmt::format("not a rank for each adapter: {} and {} on {}",
                                    text_of_count(numbers.first, "rank"),
                                    text_of_count(numbers.second, "adapter"), names_of(of)));
  return sentences;
}

// With messages in memory of GPUs, each rank has one of its own, and each GPU a rank. Of an absent rank the
// GPU is not known.
std::vector<std::string> wrong_gpus(const std::vector<Host>& hosts) {
  std::vector<const Host*> shared;
  std::map<std::pair<int, int>, std::vector<const Host*>> unused;
  for (const auto& host : hosts) {
    const int used = static_cast<int>(host.used.size());
    if (used > 0 && used < host.ranks) shared.push_back(&host);
    if (used > 0 && used < host.gpus) unused[{used, host.gpus}].push_back(&host);
  }
  std::vector<std::string> sentences;
  if (!shared.empty())
    sentences.push_back(fmt::format("not a GPU for each rank: ranks share some on {}", names_of(shared)));
  for (const auto& [numbers, of] : unused)
    sentences.push_back(fmt::format("not a rank for each GPU: messages in memory of {} of {} GPUs on {}",
                                    numbers.first, numbers.second, names_of(of)));
  return sentences;
}

}  // namespace

std::vector<std::string> doubts_of_preset(const Options& o, const std::vector<RankFacts>& ranks,
                                          const std::vector<int>& host_of) {
  if (o.preset == Preset::none || o.confirms()) return {};
  const auto hosts = hosts_with(ranks, host_of);
  auto doubts = wrong_numbers(hosts);
  for (auto& doubt : wrong_gpus(hosts)) doubts.push_back(std::move(doubt));
  if (ranks.size() % 2 == 1)
    doubts.push_back(fmt::format(
        "{} ranks: of an odd number one idles in each step, so of an odd number of adapters the rule leaves "
        "one out",
        ranks.size()));
  std::vector<const Host*> torn;
  for (const auto& host : hosts)
    if (host.below && host.above) torn.push_back(&host);
  if (!torn.empty())
    doubts.push_back(fmt::format("the bisection goes through hosts: {} {} ranks in both halves",
                                 names_of(torn), torn.size() == 1 ? "has" : "have"));
  if (o.mode != "mpi") doubts.push_back(fmt::format("mode {}: the rule is mpi", o.mode));
  if (o.check) doubts.emplace_back("--check: laps begin together, so times are others than without");
  for (auto& doubt : doubts) doubt = "--preset jupiter: " + doubt;
  return doubts;
}

std::string table_of_preset(const Options& o, std::size_t ranks, int hosts, const Lines& lines) {
  return fmt::format(
             "JUPITER Benchmark Suite, LinkTest: {} messages of 16 MiB, {} warm-ups, bidirectional, "
             "bisection, "
             "mode {}, {} ranks on {}\n",
             o.most_messages(), o.warmups, o.mode, ranks, text_of_count(hosts, "host")) +
         lines.bisection_table();
}

}  // namespace everylink
