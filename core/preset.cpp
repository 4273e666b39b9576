// The rule of the JUPITER Benchmark Suite for LinkTest: the bandwidth of a bisection, both ways at once.
#include "preset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "errors.hpp"
#include "units.hpp"

namespace everylink {
namespace {

constexpr int least_messages = 25, least_warmups = 3;
constexpr std::size_t message_bytes = std::size_t{16} << 20;
constexpr std::size_t most_names = 8;

void must(bool keeps, const char* option, const std::string& text, const std::string& wanted) {
  if (!keeps) throw UsageError(fmt::format("{} {}: --preset jupiter wants {}", option, text, wanted));
}

struct Host {
  std::string name;
  int ranks = 0, adapters = 0;
  bool below = false, above = false;  // has ranks in the lower, the upper half
};

std::vector<Host> hosts_with(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  std::vector<Host> hosts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto index = static_cast<std::size_t>(host_of[rank]);
    if (index >= hosts.size()) hosts.resize(index + 1);
    Host& host = hosts[index];
    host.name = ranks[rank].host;
    host.adapters = ranks[rank].adapters;
    ++host.ranks;
    (rank < ranks.size() / 2 ? host.below : host.above) = true;
  }
  return hosts;
}

std::string names_of(const std::vector<const Host*>& hosts) {
  std::vector<std::string> names;
  for (const auto* host : hosts)
    if (names.size() < most_names) names.push_back(host->name);
  const auto more = hosts.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more ? fmt::format(" and {} more", more) : "");
}

// One sentence for all hosts that are alike. Of an odd number of adapters one goes without a rank.
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
    sentences.push_back(fmt::format("not a rank for each adapter: {} rank(s) and {} adapter(s) on {}",
                                    numbers.first, numbers.second, names_of(of)));
  return sentences;
}

}  // namespace

void begin_with_preset(Options& o) {
  if (o.preset.empty()) return;
  if (o.preset != "jupiter") throw UsageError(fmt::format("--preset: '{}' is not one of jupiter", o.preset));
  o.mode = "mpi";
  o.messages = least_messages;
  o.warmups = least_warmups;
  o.sizes = {message_bytes};
  o.kernel = "bidirectional";
  o.schedule = "bisection";
}

void check_preset(const Options& o) {
  if (o.preset.empty()) return;
  must(o.messages >= least_messages, "-n/--num-messages", fmt::to_string(o.messages), "25 or more");
  must(o.warmups >= least_warmups, "-w/--num-warmup-messages", fmt::to_string(o.warmups), "3 or more");
  must(o.sizes == std::vector{message_bytes}, "-s/--size-messages",
       fmt::format("{}", fmt::join(o.sizes, ",")), "messages of 16 MiB, and of no other size");
  if (o.kernel != "bidirectional")
    throw UsageError(fmt::format("--{}: --preset jupiter wants --bidirectional", o.kernel));
  must(o.schedule == "bisection", "--schedule", o.schedule_text(), "bisection");
  if (o.serial)
    throw UsageError("--serial-tests: --preset jupiter wants all pairs of a step at the same time");
  if (o.resume && !o.confirms())
    throw UsageError("--resume: the table of --preset jupiter is that of one whole run");
}

std::vector<std::string> doubts_of_preset(const Options& o, const std::vector<RankFacts>& ranks,
                                          const std::vector<int>& host_of) {
  if (o.preset.empty() || o.confirms()) return {};
  const auto hosts = hosts_with(ranks, host_of);
  auto doubts = wrong_numbers(hosts);
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
             "mode {}, {} ranks on {} host(s)\n",
             o.messages, o.warmups, o.mode, ranks, hosts) +
         lines.bisection_table();
}

}  // namespace everylink
