// Chooses the GPU of a rank, and reads what lies between it and the network device from /sys.
#include "host/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "host/numa.hpp"
#include "host/sys_file.hpp"
#include "memory/cuda/driver.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;

constexpr int most_gpus = 1024;  // of a host

// "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0": the root and each function below it. Empty: unknown.
std::vector<std::string> way_to(const fs::path& device) {
  std::error_code none;
  const auto whole = fs::canonical(device, none);
  std::vector<std::string> way;
  for (const auto& part : none ? fs::path() : whole) {
    const std::string name = part.string();
    const bool is_root = name.starts_with("pci") && name.find(':') != std::string::npos;
    if (is_root) way.clear();
    const bool is_function = !way.empty() && std::count(name.begin(), name.end(), ':') == 2;
    if (is_root || is_function)
      way.push_back(name);
    else if (!way.empty())
      break;
  }
  return way;
}

constexpr std::array names_of_paths{"PIX", "PXB", "PHB", "NODE", "SYS"};

// An index into these names.
std::size_t kind_of_path(const std::vector<std::string>& one, const std::vector<std::string>& other,
                         bool one_node) {
  const auto [a, b] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto shared = a - one.begin();
  if (shared == 0) return one_node ? 3 : 4;
  if (shared == 1) return 2;
  constexpr auto through_a_switch = 2;  // its port, and the function
  return one.end() - a <= through_a_switch && other.end() - b <= through_a_switch ? 0 : 1;
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
    const int number = number_of_gpu(gpu.pci);
    facts = {.number = number < 0 ? ordinal : number, .name = gpu.name, .pci = gpu.pci, .uuid = gpu.uuid};
    facts.to_device = pci_path(gpu.pci, devices);
  }
  return facts;
}

int number_of_gpu(const std::string& pci, const fs::path& sys) {
  std::vector<std::string> all;
  std::error_code none;
  for (const auto& device : fs::directory_iterator(sys / "bus/pci/devices", none))
    if (line_in(device.path() / "vendor") == "0x10de" && line_in(device.path() / "class").starts_with("0x03"))
      all.push_back(device.path().filename().string());
  std::sort(all.begin(), all.end());
  const auto found = std::find(all.begin(), all.end(), pci);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

std::string pci_path(const std::string& pci, const std::string& devices, const fs::path& sys) {
  const auto own = sys / "bus/pci/devices" / pci;
  const auto from = way_to(own);
  std::size_t nearest = names_of_paths.size();
  for (const auto& name : device_names(devices))
    for (const char* kind : {"infiniband", "net"}) {
      const auto device = sys / "class" / kind / name / "device";
      const auto to = way_to(device);
      if (from.empty() || to.empty()) continue;
      const int node = number_in(own / "numa_node");
      const bool one_node = node >= 0 && node == number_in(device / "numa_node");
      nearest = std::min(nearest, kind_of_path(from, to, one_node));
    }
  return nearest < names_of_paths.size() ? names_of_paths[nearest] : "";
}

}  // namespace everylink
