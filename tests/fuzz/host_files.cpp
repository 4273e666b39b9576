// Files of /sys and /proc with arbitrary contents: the number of a file, how long it is (2 bytes), its
// contents.
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz.hpp"
#include "host/gpus.hpp"
#include "host/host_reader.hpp"
#include "host/numa.hpp"

using namespace everylink;

namespace {

namespace fs = std::filesystem;

constexpr std::array paths{"proc/self/cgroup",
                           "proc/cpuinfo",
                           "proc/self/maps",
                           "proc/cmdline",
                           "proc/stat",
                           "proc/net/snmp",
                           "proc/net/netstat",
                           "proc/net/vlan/eth0",
                           "etc/os-release",
                           "sys/devices/system/cpu/online",
                           "sys/devices/system/cpu/cpu0/cache/index3/level",
                           "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list",
                           "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
                           "sys/devices/system/node/online",
                           "sys/devices/system/node/node0/cpulist",
                           "sys/devices/system/node/node0/distance",
                           "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
                           "sys/fs/cgroup/cpu.max",
                           "sys/fs/cgroup/memory.max",
                           "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
                           "sys/class/net/eth0/speed",
                           "sys/class/net/eth0/mtu",
                           "sys/class/net/eth0/statistics/rx_bytes",
                           "sys/class/net/eth0/device/numa_node",
                           "sys/class/net/eth0/device/config",
                           "sys/class/net/eth0/device/aer_dev_correctable",
                           "sys/class/net/eth0/device/current_link_speed",
                           "sys/class/net/eth1/device/uevent",
                           "sys/class/infiniband/mlx5_0/fw_ver",
                           "sys/class/infiniband/mlx5_0/ports/1/rate",
                           "sys/class/infiniband/mlx5_0/ports/1/gids/0",
                           "sys/class/infiniband/mlx5_0/ports/1/pkeys/0",
                           "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error",
                           "proc/loadavg",
                           "sys/class/cxi/cxi0/device/telemetry/hni_sts_rx",
                           "everylink/net/eth0/ip",
                           "everylink/net/eth0/ethtool",
                           "everylink/net/eth0/neighbour",
                           "everylink/gpu/0/gpu",
                           "everylink/gpu/0/nvlink",
                           "everylink/gpu/1/nvlink"};

// Of this process. The PCI function of eth0 is below a bridge.
class Tree {
 public:
  Tree() {
    std::string path = (fs::temp_directory_path() / "everylink-fuzz-XXXXXX").string();
    if (!::mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
    root_ = path;
    const fs::path function = root_ / "sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0";
    fs::create_directories(function);
    for (const char* file : paths)
      if (const auto folder = (root_ / file).parent_path(); !folder.string().ends_with("eth0/device"))
        fs::create_directories(folder);
    fs::create_symlink(function, root_ / "sys/class/net/eth0/device");
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  std::string root() const { return root_.string(); }
  void write(const std::string& file, View bytes) {
    written_.insert(file);
    std::ofstream(root_ / file, std::ios::binary) << fuzz::text_of(bytes);
  }
  void clear() {
    for (const auto& file : written_) fs::remove(root_ / file);
    written_.clear();
  }

 private:
  fs::path root_;
  std::set<std::string> written_;
};

}  // namespace

EVERYLINK_FUZZ_TARGET(host_files) {
  static Tree tree;
  tree.clear();
  for (fuzz::Pieces in(bytes); in.any();) {
    const char* file = paths[in.byte() % paths.size()];
    const std::size_t high = in.byte() % 4, low = in.byte();
    tree.write(file, in.bytes(high << 8 | low));
  }
  HostReader reader(tree.root(), "", true);
  reader.read(0, Moment::before);
  const fs::path sys = fs::path(tree.root()) / "sys";
  gpus_in(sys);
  numa_distance(0, "eth0, mlx5_0 port 1", sys);
  pci_path("0000:16:00.0", "eth0, mlx5_0", sys);
}
