// Chooses the GPU of a rank, and reads what lies between it and the network device from /sys.
#include "host/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "base/folder.hpp"
#include "base/units.hpp"
#include "host/numa.hpp"
#include "host/pci_way.hpp"
#include "host/sys_file.hpp"
#include "memory/cuda/driver.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;

constexpr int most_gpus = 1024;  // of a host

std::vector<std::string> way_to(const fs::path& device) {
  std::error_code none;
  const auto whole = fs::canonical(device, none);
  return none ? std::vector<std::string>() : pci_way(whole.string());
}

}  // namespace

void check_gpus(const std::string& wanted) {
  if (wanted == "auto") return;
  for (const auto& one : split(wanted, ',')) {
    const auto number = parse_integer(one, "--gpus");
    if (number < 0 || number >= most_gpus)
      throw UsageError(fmt::format("--gpus: {} is no number of a GPU; use auto, or numbers as in 0,2", one));
  }
}

int gpu_of_rank(const std::string& wanted, const std::vector<std::int32_t>& host_of,
                const std::vector<std::int32_t>& numa_of, int rank) {
  std::vector<cuda::Gpu> all = cuda::gpus();
  if (all.empty()) throw MachineError(fmt::format("no GPU can be used: {}", cuda::why_unusable()));
  const auto own = static_cast<std::size_t>(rank);
  const int numa = own < numa_of.size() ? numa_of[own] : -1;
  std::size_t turn = 0;
  for (std::size_t other = 0; other < own; ++other) {
    const bool is_alike = wanted != "auto" || (other < numa_of.size() ? numa_of[other] : -1) == numa;
    turn += host_of[other] == host_of[own] && is_alike;
  }
  if (wanted == "auto") {
    const auto distance = [&](const cuda::Gpu& gpu) {
      const int node = number_in(fs::path("/sys/bus/pci/devices") / gpu.pci / "numa_node");
      return numa < 0 || node < 0 ? 0 : distance_of_nodes(numa, node);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    return all[turn % all.size()].ordinal;
  }
  const auto ordinals = split(wanted, ',');
  const auto ordinal = parse_integer(ordinals[turn % ordinals.size()], "--gpus");
  if (std::none_of(all.begin(), all.end(), [&](const auto& gpu) { return gpu.ordinal == ordinal; }))
    throw MachineError(
        fmt::format("--gpus {}: there is no GPU {} here; it has {}", wanted, ordinal,
                    all.size() == 1 ? "GPU 0 only" : fmt::format("GPUs 0 to {}", all.size() - 1)));
  return static_cast<int>(ordinal);
}

GpuOfRank facts_of_gpu(int ordinal, const std::string& devices) {
  GpuOfRank facts;
  for (const auto& gpu : cuda::gpus()) {
    if (gpu.ordinal != ordinal) continue;
    const auto all = gpus_in();
    const int number = number_of_gpu(gpu.pci, all);
    facts = {.number = number < 0 ? ordinal : number,
             .of_host = static_cast<int>(std::max(all.size(), cuda::gpus().size())),
             .name = gpu.name,
             .pci = gpu.pci,
             .uuid = gpu.uuid};
    facts.to_device = pci_path(gpu.pci, devices);
  }
  return facts;
}

std::vector<std::string> gpus_in(const fs::path& sys) {
  std::vector<std::string> all;
  const fs::path devices = sys / "bus/pci/devices";
  for (const auto& name : names_in(devices))
    if (line_in(devices / name / "vendor") == "0x10de" &&
        line_in(devices / name / "class").starts_with("0x03"))
      all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

int number_of_gpu(const std::string& pci, const std::vector<std::string>& all) {
  const auto found = std::find(all.begin(), all.end(), pci);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

std::string pci_path(const std::string& pci, const std::string& devices, const fs::path& sys) {
  const auto own = sys / "bus/pci/devices" / pci;
  const auto from = way_to(own);
  const int node = number_in(own / "numa_node");
  std::string_view nearest;
  for (const auto& name : device_names(devices))
    for (const char* kind : {"infiniband", "net"}) {
      const auto device = sys / "class" / kind / name / "device";
      const bool one_node = node >= 0 && node == number_in(device / "numa_node");
      const auto path = name_of_way(from, way_to(device), one_node);
      if (distance_of_way(path) < distance_of_way(nearest)) nearest = path;
    }
  return std::string(nearest);
}

std::vector<std::string> nearest_devices(const std::vector<std::string>& devices, const std::string& pci,
                                         const fs::path& sys) {
  std::map<int, std::vector<std::string>> by_distance;
  for (const auto& device : devices)
    by_distance[distance_of_way(pci_path(pci, device, sys))].push_back(device);
  return by_distance.empty() ? devices : by_distance.begin()->second;
}

std::vector<std::string> gpus_of_host(const std::string& wanted, const std::vector<std::int32_t>& host_of,
                                      const std::vector<std::int32_t>& numa_of, int rank) {
  std::vector<std::string> addresses(host_of.size());
  for (std::size_t other = 0; other < host_of.size(); ++other) {
    if (host_of[other] != host_of[static_cast<std::size_t>(rank)]) continue;
    const int ordinal = gpu_of_rank(wanted, host_of, numa_of, static_cast<int>(other));
    for (const auto& gpu : cuda::gpus())
      if (gpu.ordinal == ordinal) addresses[other] = gpu.pci;
  }
  return addresses;
}

}  // namespace everylink
