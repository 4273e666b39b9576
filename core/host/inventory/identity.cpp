// The host itself: its system, its cores, what it counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "base/version.hpp"
#include "host/inventory/parts.hpp"

namespace everylink::inventory {
namespace {

const std::string host = "host";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text + " ")
    if (letter != ' ' && letter != '\t')
      word += letter;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  return words;
}

std::vector<std::string> lines_of(const Answer& file) { return split(file.value_or(""), '\n'); }

// The value behind "KEY", white space and `between`: of "model name : X" and PRETTY_NAME="X".
Answer value_in(const Answer& file, std::string_view key, char between) {
  for (const auto& line : lines_of(file)) {
    const auto end = line.find(between);
    if (end == std::string::npos || plain(line.substr(0, end)) != std::string(key)) continue;
    std::string value = line.substr(end + 1);
    std::erase(value, '"');
    return plain(value);
  }
  return {};
}

// "0-3,8" as numbers.
std::vector<int> numbers_in(const Answer& list) {
  constexpr int most = 1 << 14;
  std::vector<int> numbers;
  for (const auto& range : split(list.value_or(""), ',')) {
    const auto ends = split(range, '-');
    const auto first = count_in(ends.front()), last = count_in(ends.back());
    if (!first || !last || *last >= most) return {};
    for (auto number = *first; number <= *last; ++number) numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

const std::string cpus = "sys/devices/system/cpu/";

// The sets into which `list_of(cpu)` divides the processors, each told once: "0-7,64-71".
template <class ListOf>
std::vector<std::string> sets_of(const Files& files, ListOf list_of) {
  std::vector<std::string> sets;
  std::set<int> seen;
  for (const int cpu : numbers_in(files.text(cpus + "online"))) {
    if (seen.contains(cpu)) continue;
    const Answer set = list_of(fmt::format("{}cpu{}/", cpus, cpu));
    if (!set || set->empty()) return {};
    for (const int other : numbers_in(set)) seen.insert(other);
    sets.push_back(*set);
  }
  return sets;
}

Answer last_level_cache(const Files& files, const std::string& cpu) {
  Answer set;
  std::uint64_t highest = 0;
  for (const auto& cache : files.names(cpu + "cache")) {
    if (!cache.starts_with("index")) continue;
    const auto level = count_in(files.text(cpu + "cache/" + cache + "/level").value_or(""));
    if (!level || *level < highest) continue;
    highest = *level;
    set = files.text(cpu + "cache/" + cache + "/shared_cpu_list");
  }
  return set;
}

void read_nodes(const Files& files, Notes& notes) {
  const std::string folder = "sys/devices/system/node/";
  std::vector<std::string> sets, distances;
  for (const int node : numbers_in(files.text(folder + "online"))) {
    const auto of_node = fmt::format("{}node{}/", folder, node);
    sets.push_back(files.text(of_node + "cpulist").value_or(""));
    distances.push_back(files.text(of_node + "distance").value_or(""));
  }
  notes.list(host, "numa_cpus", sets, "; ");
  notes.list(host, "numa_distances", distances, "; ");
}

Answer governors(const Files& files) {
  const std::string folder = cpus + "cpufreq";
  std::set<std::string> all;
  for (const auto& policy : files.names(folder))
    if (policy.starts_with("policy"))
      if (const auto one = files.text(folder + "/" + policy + "/scaling_governor")) all.insert(*one);
  return fmt::format("{}", fmt::join(all, ", "));
}

Answer huge_pages(const Files& files) {
  const std::string folder = "sys/kernel/mm/hugepages", prefix = "hugepages-";
  std::vector<std::string> all;
  for (const auto& size : files.names(folder))
    if (const auto count = files.text(folder + "/" + size + "/nr_hugepages");
        count && size.starts_with(prefix))
      all.push_back(size.substr(prefix.size()) + ":" + *count);
  return fmt::format("{}", fmt::join(all, " "));
}

Answer iommu_options(const Files& files) {
  std::string options;
  for (const auto& word : words_of(files.text("proc/cmdline").value_or("")))
    for (const char* option : {"intel_iommu=", "amd_iommu=", "iommu=", "iommu.passthrough=", "iommu.strict="})
      if (word.starts_with(option)) options += (options.empty() ? "" : " ") + word;
  return options;
}

// The folders of the cgroup of this process and of those above it, which all limit it: in the hierarchy of
// one controller (version 1) and in the unified one (version 2).
std::vector<std::string> cgroups_of(const Files& files, const std::string& controller) {
  const std::string unified = "sys/fs/cgroup", own = unified + "/" + controller;
  std::map<std::string, std::string> paths{{unified, ""}, {own, ""}};   // a container may see the top only
  for (const auto& line : lines_of(files.bytes("proc/self/cgroup"))) {  // NUMBER:CONTROLLERS:PATH
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.find("..") != std::string::npos)
      continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty())
      paths[unified] = line.substr(second + 1);
    else if (const auto all = split(controllers, ',');
             std::find(all.begin(), all.end(), controller) != all.end())
      paths[own] = line.substr(second + 1);
  }
  std::vector<std::string> folders;
  for (auto& [top, path] : paths) {
    if (path.ends_with('/')) path.pop_back();
    folders.push_back(top + path);
    for (; path.find('/') != std::string::npos && folders.size() < most_cgroups;
         folders.push_back(top + path))
      path.erase(path.rfind('/'));
  }
  return folders;
}

Answer memory_limit(const Files& files) {
  constexpr std::uint64_t none = 1ULL << 62;  // version 1 has nearly 2^63 for it
  Answer limit;
  auto least = none;
  for (const auto& group : cgroups_of(files, "memory"))
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"}) {
      const auto text = files.text(group + file).value_or("");
      const auto bytes = count_in(text);
      if (!bytes && text != "max") continue;
      least = std::min(least, bytes.value_or(none));
      limit = least == none ? "max" : std::to_string(least);
    }
  return limit;
}

// "200000 100000": microseconds of processor time in each period, as in cpu.max; "max 100000" without a
// limit.
Answer processor_limit(const Files& files) {
  Answer limit;
  double least = 0;
  for (const auto& group : cgroups_of(files, "cpu")) {
    auto words = words_of(files.text(group + "/cpu.max").value_or(""));
    if (words.empty())
      for (const char* file : {"/cpu.cfs_quota_us", "/cpu.cfs_period_us"})
        words.push_back(files.text(group + file).value_or(""));
    if (words.size() != 2) continue;
    const auto quota = count_in(words[0]), period = count_in(words[1]);
    if (!period || *period == 0 || (!quota && words[0] != "max" && words[0] != "-1")) continue;
    const auto processors = quota ? static_cast<double>(*quota) / static_cast<double>(*period)
                                  : std::numeric_limits<double>::infinity();
    if (limit && processors >= least) continue;
    least = processors;
    limit = (quota ? words[0] : "max") + " " + words[1];
  }
  return limit;
}

// Of shared objects that this process has mapped: "libfabric.so.1.18.1" is version 1.18.1.
void read_libraries(const Files& files, Notes& notes) {
  constexpr std::array<std::array<std::string_view, 2>, 4> libraries{{{"ucx", "/libucp.so."},
                                                                      {"libfabric", "/libfabric.so."},
                                                                      {"ibverbs", "/libibverbs.so."},
                                                                      {"mpi", "/libmpi.so."}}};
  constexpr std::size_t most = 1 << 22;
  for (const auto& line : lines_of(files.bytes("proc/self/maps", most)))
    for (const auto& [name, file] : libraries)
      if (const auto at = line.find(file); at != std::string::npos)
        notes.fact(host, fmt::format("library/{}", name), plain(line.substr(at + file.size())));
}

// A table of /proc/net: a line of names and a line of numbers.
void read_table(const Files& files, Notes& notes, const std::string& file, const std::string& protocol,
                const std::vector<std::string>& wanted) {
  const auto lines = lines_of(files.bytes(file));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (!lines[i].starts_with(protocol + ":") || !lines[i + 1].starts_with(protocol + ":")) continue;
    const auto names = words_of(lines[i]), numbers = words_of(lines[i + 1]);
    for (std::size_t k = 1; k < std::min(names.size(), numbers.size()); ++k)
      if (std::find(wanted.begin(), wanted.end(), names[k]) != wanted.end())
        notes.counter(host, protocol + "." + names[k], numbers[k]);
    return;
  }
}

}  // namespace

bool is_component(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && !name.starts_with('.');
}

void read_counters(const Files& files, Notes& notes, const std::string& part, const std::string& folder,
                   const std::string& prefix) {
  std::size_t left = most_counters;
  for (const auto& name : files.names(folder))
    if (left-- > 0)
      notes.counter(part, prefix + name, files.text(folder + "/" + name));
    else
      return;
}

void read_facts(const Files& files, Notes& notes, const std::string& part, const std::string& folder,
                const std::vector<std::string>& names) {
  for (const auto& name : names) notes.fact(part, name, files.text(folder + "/" + name));
}

void read_identity(const Files& files, Notes& notes) {
  notes.fact(host, "kernel", files.text("proc/sys/kernel/osrelease"));
  notes.fact(host, "name", files.text("proc/sys/kernel/hostname"));
  notes.fact(host, "boot_id", files.text("proc/sys/kernel/random/boot_id"));
  notes.fact(host, "distribution", value_in(files.bytes("etc/os-release"), "PRETTY_NAME", '='));
  constexpr std::size_t first_processor = 4096;
  notes.fact(host, "cpu_model", value_in(files.bytes("proc/cpuinfo", first_processor), "model name", ':'));
  notes.fact(host, "governor", governors(files));
  notes.fact(host, "smt", files.text(cpus + "smt/control"));
  notes.fact(host, "hugepages", huge_pages(files));
  notes.fact(host, "iommu", iommu_options(files));
  notes.fact(host, "cgroup_cpus", processor_limit(files));
  notes.fact(host, "cgroup_memory", memory_limit(files));
  notes.fact(host, "everylink", std::string(version));
  if (files.is_system()) read_libraries(files, notes);
}

void read_cores(const Files& files, Notes& notes) {
  if (const auto count = numbers_in(files.text(cpus + "online")).size(); count > 0)
    notes.fact(host, "processors", std::to_string(count));
  const auto packages = sets_of(files, [&](const std::string& cpu) {
    const auto set = files.text(cpu + "topology/package_cpus_list");
    return set ? set : files.text(cpu + "topology/core_siblings_list");
  });
  if (!packages.empty()) notes.fact(host, "packages", std::to_string(packages.size()));
  notes.list(host, "packages_of", packages, "; ");
  notes.list(
      host, "smt_siblings",
      sets_of(files,
              [&](const std::string& cpu) { return files.text(cpu + "topology/thread_siblings_list"); }),
      "; ");
  notes.list(host, "last_level_caches",
             sets_of(files, [&](const std::string& cpu) { return last_level_cache(files, cpu); }), "; ");
  read_nodes(files, notes);
}

void read_host_counters(const Files& files, Notes& notes) {
  if (const auto load = words_of(files.text("proc/loadavg").value_or("")); !load.empty())
    notes.fact(host, "load", load.front());
  constexpr std::size_t first_line = 512, columns = 8, steal = 7;
  const auto times = words_of(lines_of(files.bytes("proc/stat", first_line)).front());
  if (times.size() > columns && times.front() == "cpu") {
    std::uint64_t all = 0;
    for (std::size_t i = 1; i <= columns; ++i) all += count_in(times[i]).value_or(0);
    notes.counter(host, "cpu_steal", times[1 + steal]);
    notes.counter(host, "cpu_total", std::to_string(all));
  }
  read_table(files, notes, "proc/net/snmp", "Tcp",
             {"ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets", "InSegs", "OutSegs",
              "RetransSegs", "InErrs", "OutRsts", "InCsumErrors"});
  read_table(
      files, notes, "proc/net/netstat", "TcpExt",
      {"ListenOverflows",   "ListenDrops",        "PruneCalled",         "TCPRcvCollapsed", "TCPSackRecovery",
       "TCPLostRetransmit", "TCPFastRetrans",     "TCPSlowStartRetrans", "TCPTimeouts",     "TCPSpuriousRTOs",
       "TCPAbortOnTimeout", "TCPMemoryPressures", "TCPBacklogDrop",      "TCPOFOQueue",     "TCPOFODrop",
       "TCPSynRetrans",     "TCPReqQFullDrop",    "TCPZeroWindowDrop",   "TCPRcvQDrop",     "TCPSACKReorder",
       "TCPTSReorder"});
}

}  // namespace everylink::inventory
