// Asks hwloc, /proc and the environment.
#include "host/facts.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "host/adapters.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

// Cores and NUMA nodes alone: hwloc would open dozens of files for each core to learn the rest.
class Topology {
 public:
  Topology() {
    check_errno(hwloc_topology_init(&topology_), "hwloc_topology_init");
    hwloc_topology_set_cache_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_icache_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
#if HWLOC_API_VERSION >= 0x00020800
    hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                            HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
    if (hwloc_topology_load(topology_) < 0) throw MachineError("hwloc_topology_load failed");
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  operator hwloc_topology_t() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
};

// Of this machine, as the process sees it: read once.
const Topology& topology() {
  static const Topology once;
  return once;
}

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;
Bitmap make_bitmap() {
  Bitmap made(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (!made) throw std::bad_alloc();
  return made;
}

Bitmap allowed_cores() {
  auto set = make_bitmap();
  if (hwloc_get_cpubind(topology(), set.get(), HWLOC_CPUBIND_PROCESS) < 0)
    hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(topology()));
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_allowed_cpuset(topology()));
  return set;
}

std::string host_name(const std::string& node_name) {
  if (!node_name.empty()) return node_name;
  const std::string slurm = variable("SLURMD_NODENAME");
  if (!slurm.empty() && slurm.size() <= longest_host_name) return slurm;
  char name[longest_host_name + 1] = "";
  check_errno(::gethostname(name, sizeof name - 1), "gethostname");
  return name;
}

// In the file, every rank's address takes as much space as the longest one.
constexpr std::size_t longest_address = 1024;

std::string address_in(const char* name) {
  const std::string text = variable(name);
  return text.size() <= longest_address ? text : "";
}

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  return 0;
}

}  // namespace

bool pin_to_core(int rank, int ranks) {
  const auto allowed = allowed_cores();
  std::vector<hwloc_obj_t> cores;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology(), HWLOC_OBJ_CORE, core));)
    if (hwloc_bitmap_intersects(core->cpuset, allowed.get())) cores.push_back(core);
  if (static_cast<int>(cores.size()) < ranks) return false;
  return hwloc_set_cpubind(topology(), cores[static_cast<std::size_t>(rank)]->cpuset,
                           HWLOC_CPUBIND_PROCESS) == 0;
}

RankFacts own_facts(const std::string& host, const std::string& node_name) {
  const auto cores = allowed_cores();
  auto nodes = make_bitmap();
  hwloc_cpuset_to_nodeset(topology(), cores.get(), nodes.get());
  RankFacts facts;
  facts.host = host.empty() ? host_name(node_name) : host;
  facts.machine = boot_id();
  facts.network = network_namespace();
  const bool is_simulated = !host.empty() || !hwloc_topology_is_thissystem(topology());
  char* text = nullptr;
  if (!is_simulated && hwloc_bitmap_list_asprintf(&text, cores.get()) >= 0) facts.cores = text;
  std::free(text);
  facts.numa = hwloc_bitmap_weight(nodes.get()) == 1 ? hwloc_bitmap_first(nodes.get()) : -1;
  facts.free_memory = available_memory();
  if (host.empty()) {
    facts.adapters = std::min(active_adapters(), most_adapters);
    facts.topology_address = address_in("SLURM_TOPOLOGY_ADDR");
    facts.topology_pattern = address_in("SLURM_TOPOLOGY_ADDR_PATTERN");
  }
  return facts;
}

}  // namespace everylink
