// Chooses a device, its port and its address.
#include "transport/ibverbs/ibverbs_port.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/openfabrics-verbs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

struct FreeList {
  void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};
using DeviceList = std::unique_ptr<ibv_device*[], FreeList>;

// iWARP requires the connection manager, and other transport types have no reliable queue pairs.
std::vector<ibv_device*> usable_in(const DeviceList& list, int count) {
  std::vector<ibv_device*> usable;
  for (int i = 0; i < count; ++i)
    if (list[static_cast<std::size_t>(i)]->transport_type == IBV_TRANSPORT_IB)
      usable.push_back(list[static_cast<std::size_t>(i)]);
  return usable;
}

struct FreeHwloc {
  void operator()(hwloc_topology* it) const { hwloc_topology_destroy(it); }
  void operator()(hwloc_bitmap_s* it) const { hwloc_bitmap_free(it); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeHwloc>;

class Nearness {
 public:
  Nearness() {
    hwloc_topology* made = nullptr;
    if (hwloc_topology_init(&made) < 0) throw MachineError("hwloc_topology_init failed");
    topology_.reset(made);
    if (hwloc_topology_load(made) < 0) throw MachineError("hwloc_topology_load failed");
    if (hwloc_get_cpubind(made, ours_.get(), HWLOC_CPUBIND_PROCESS) < 0)
      hwloc_bitmap_copy(ours_.get(), hwloc_topology_get_allowed_cpuset(made));
  }

  // The number of processors in the smallest part of the machine that contains both this rank and the device.
  int distance(ibv_device* device) const {
    const Bitmap both = near(device);
    hwloc_bitmap_or(both.get(), both.get(), ours_.get());
    const auto* object = hwloc_get_obj_covering_cpuset(topology_.get(), both.get());
    return object ? hwloc_bitmap_weight(object->cpuset) : std::numeric_limits<int>::max();
  }

  // -1: not known, or the machine has only one node.
  int numa_node(ibv_device* device) const {
    const Bitmap cores = near(device), nodes(hwloc_bitmap_alloc());
    hwloc_cpuset_to_nodeset(topology_.get(), cores.get(), nodes.get());
    const bool several = hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_NUMANODE) > 1;
    return several && hwloc_bitmap_weight(nodes.get()) == 1 ? hwloc_bitmap_first(nodes.get()) : -1;
  }

 private:
  Bitmap near(ibv_device* device) const {
    Bitmap cores(hwloc_bitmap_alloc());
    hwloc_ibv_get_device_cpuset(topology_.get(), device, cores.get());
    return cores;
  }
  std::unique_ptr<hwloc_topology, FreeHwloc> topology_;
  Bitmap ours_{hwloc_bitmap_alloc()};
};

struct Candidate {
  ibv_device* device;
  Verbs<ibv_context> context;
  ibv_port_attr attributes;
  int port, distance;
  auto rank() const { return std::pair(attributes.state != IBV_PORT_ACTIVE, distance); }
};

// The requested port, otherwise the first active one, otherwise the first one.
void add_port(std::vector<Candidate>& all, ibv_device* device, const VerbsOptions& options, int distance) {
  Verbs<ibv_context> context(ibv_open_device(device));
  ibv_device_attr attributes{};
  if (!context || ibv_query_device(context.get(), &attributes) != 0) return;
  const int first = options.port < 0 ? 1 : options.port;
  const int last = options.port < 0 ? attributes.phys_port_cnt : options.port;
  int chosen = 0;
  ibv_port_attr of_chosen{}, port{};
  for (int number = first; number <= last; ++number)
    if (ibv_query_port(context.get(), static_cast<std::uint8_t>(number), &port) == 0 &&
        (chosen == 0 || (port.state == IBV_PORT_ACTIVE && of_chosen.state != IBV_PORT_ACTIVE))) {
      chosen = number;
      of_chosen = port;
    }
  if (chosen > 0)
    all.push_back({.device = device,
                   .context = std::move(context),
                   .attributes = of_chosen,
                   .port = chosen,
                   .distance = distance});
}

Candidate chosen_by(const VerbsOptions& options, const std::vector<ibv_device*>& devices, int rank,
                    const Nearness& nearness) {
  std::vector<std::string> wanted;
  if (!options.devices.empty()) wanted = split(options.devices, ';');
  std::string known;
  std::vector<Candidate> all;
  for (auto* device : devices) {
    const std::string name = ibv_get_device_name(device);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end())
      add_port(all, device, options, nearness.distance(device));
  }
  if (all.empty())
    throw UsageError(
        fmt::format("--mode ibverbs: no such device or port here, or it cannot be opened; available "
                    "devices: {}",
                    known.empty() ? "none" : known));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank() < b.rank(); });
  const auto worse = [&](const auto& one) { return one.rank() != all.front().rank(); };
  const auto equal = std::find_if(all.begin(), all.end(), worse) - all.begin();
  return std::move(all[static_cast<std::size_t>(rank % equal)]);
}

// Higher is better: RoCE version 2 over an IPv4 address, then other addresses of version 2, then the rest.
int worth(const ibv_gid_entry& entry) {
  constexpr unsigned char ipv4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool link_local = entry.gid.raw[0] == 0xfe;
  if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) return 0;
  return std::memcmp(entry.gid.raw, ipv4, sizeof ipv4) == 0 ? 3 : link_local ? 1 : 2;
}

// On Ethernet a GID is the only address; on InfiniBand it is used only on request.
const ibv_gid_entry* gid_of(const std::vector<ibv_gid_entry>& entries, const VerbsOptions& options, int port,
                            bool ethernet) {
  const ibv_gid_entry* best = nullptr;
  for (const auto& entry : entries) {
    if (entry.port_num != static_cast<std::uint32_t>(port)) continue;
    if (options.gid >= 0 ? entry.gid_index == static_cast<std::uint32_t>(options.gid)
                         : ethernet && (!best || worth(entry) > worth(*best)))
      best = &entry;
  }
  return best;
}

double gigabits(const ibv_port_attr& port) {
  constexpr int lanes[] = {1, 4, 8, 12, 2};
  constexpr double of_lane[] = {2.5, 5, 10, 10, 14, 25, 50, 100};
  const auto width = std::countr_zero(port.active_width), speed = std::countr_zero(port.active_speed);
  return width < 5 && speed < 8 ? lanes[width] * of_lane[speed] : 0;
}

// The file that the dynamic linker loaded; its name has the version.
std::string library_name() {
  Dl_info info{};
  std::error_code error;
  if (!::dladdr(reinterpret_cast<void*>(&ibv_get_device_list), &info)) return "libibverbs";
  return std::filesystem::canonical(info.dli_fname, error).filename().string();
}

int number_in(const Settings& settings, const char* key, int low, int high, int otherwise) {
  const auto text = setting(settings, key);
  if (text.empty()) return otherwise;
  const auto name = fmt::format("--mode ibverbs:{}", key);
  const auto number = parse_integer(text, name);
  if (number < low || number > high) throw UsageError(fmt::format("{} must be {} to {}", name, low, high));
  return static_cast<int>(number);
}

// True if the option is the second of the two words.
bool choice_of(const Settings& settings, const char* key, const char* one, const char* other,
               bool otherwise) {
  const auto text = setting(settings, key);
  if (text.empty()) return otherwise;
  if (text != one && text != other)
    throw UsageError(fmt::format("--mode ibverbs:{} must be {} or {}", key, one, other));
  return text == other;
}

}  // namespace

VerbsOptions VerbsOptions::parsed(const Settings& settings, bool one_way) {
  refuse_unknown_options(settings, "ibverbs",
                         {"device", "port", "gid", "sl", "mtu", "qps", "inline", "verb", "completion"});
  VerbsOptions options;
  options.devices = setting(settings, "device");
  options.port = number_in(settings, "port", 1, 255, -1);
  options.gid = number_in(settings, "gid", 0, 65535, -1);
  options.service_level = number_in(settings, "sl", 0, 15, 0);
  options.mtu = number_in(settings, "mtu", 256, 4096, -1);
  if (options.mtu >= 0 && (options.mtu & (options.mtu - 1)) != 0)
    throw UsageError("--mode ibverbs:mtu must be 256, 512, 1024, 2048 or 4096");
  options.queue_pairs = number_in(settings, "qps", 1, 64, 1);
  options.most_inline = number_in(settings, "inline", 0, 4096, -1);
  options.write = choice_of(settings, "verb", "send", "write", one_way);
  options.events = choice_of(settings, "completion", "poll", "event", false);
  return options;
}

void check_verbs(int rc, const char* call) {
  if (rc != 0) throw MachineError(fmt::format("{}: {}", call, std::strerror(rc)));
}

std::string why_no_verbs() {
  int count = 0;
  errno = 0;
  const DeviceList list(ibv_get_device_list(&count));
  if (!list) return fmt::format("no RDMA device here: ibv_get_device_list: {}", std::strerror(errno));
  return usable_in(list, count).empty() ? "no InfiniBand or RoCE device here" : "";
}

VerbsPort::VerbsPort(const VerbsOptions& options, int rank) {
  int count = 0;
  const DeviceList list(check_verbs(ibv_get_device_list(&count), "ibv_get_device_list"));
  const Nearness nearness;
  Candidate chosen = chosen_by(options, usable_in(list, count), rank, nearness);
  context = std::move(chosen.context);
  attributes = chosen.attributes;
  number = static_cast<std::uint8_t>(chosen.port);
  check_verbs(ibv_query_device(context.get(), &device), "ibv_query_device");

  const std::string name = ibv_get_device_name(chosen.device);
  const bool ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
  std::vector<ibv_gid_entry> entries(static_cast<std::size_t>(std::max(attributes.gid_tbl_len, 1)) *
                                     device.phys_port_cnt);
  const auto found = ibv_query_gid_table(context.get(), entries.data(), entries.size(), 0);
  entries.resize(found < 0 ? 0 : static_cast<std::size_t>(found));
  if (const auto* entry = gid_of(entries, options, number, ethernet)) {
    gid_index = static_cast<int>(entry->gid_index);
    gid = entry->gid;
  } else if ((ethernet && is_active()) || options.gid >= 0) {
    throw UsageError(fmt::format("--mode ibverbs:gid: port {} of {} has no GID{}", number, name,
                                 options.gid < 0 ? "" : fmt::format(" {}", options.gid)));
  }
  if (options.mtu > 128 << attributes.active_mtu)
    throw UsageError(fmt::format("--mode ibverbs:mtu: port {} of {} carries at most {}", number, name,
                                 128 << attributes.active_mtu));
  mtu = options.mtu < 0 ? attributes.active_mtu
                        : static_cast<ibv_mtu>(std::bit_width(unsigned(options.mtu) / 256));
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  const int node = nearness.numa_node(chosen.device);
  carrier.device =
      fmt::format("{} port {}{}", name, number, node < 0 ? "" : fmt::format(", NUMA node {}", node));
  carrier.address = gid_index < 0 ? fmt::format("LID {}", attributes.lid) : text;
  carrier.lanes = fmt::format("{}, {}, {:g} Gbit/s, MTU {}, {}", ethernet ? "Ethernet" : "InfiniBand",
                              ibv_port_state_str(attributes.state), gigabits(attributes), 128 << mtu,
                              options.write ? "RDMA write with immediate" : "send");
  carrier.libraries = library_name();
}

std::string VerbsPort::state() const {
  return fmt::format("{} is {}", carrier.device, ibv_port_state_str(attributes.state));
}

}  // namespace everylink
