// Reads the node of a device, and the distances between nodes, from /sys.
#include "host/numa.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/folder.hpp"
#include "base/units.hpp"
#include "host/sys_file.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;

std::vector<int> numbers_in(const fs::path& file) {
  std::ifstream in(file);
  return {std::istream_iterator<int>(in), {}};
}

// -1: not known.
int node_of(const std::string& device, const fs::path& sys) {
  for (const char* kind : {"infiniband", "net"})
    if (const int node = number_in(sys / "class" / kind / device / "device/numa_node"); node >= 0)
      return node;
  return -1;
}

// The existing nodes, ascending: the order of the columns of every node's distances.
std::vector<int> nodes_of(const fs::path& folder) {
  std::vector<int> nodes;
  for (const auto& name : names_in(folder)) {
    const bool is_node = name.starts_with("node") && name.size() > 4 && name.size() < 12 &&
                         name.find_first_not_of("0123456789", 4) == std::string::npos;
    if (is_node) nodes.push_back(std::stoi(name.substr(4)));
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

std::vector<std::string> device_names(const std::string& devices) {
  std::vector<std::string> names;
  for (const auto& device : split(devices, ',')) {
    const auto begin = device.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const auto name =
        device.substr(begin, device.find_first_of(" :", begin) - begin);  // "mlx5_0:1" is one of its ports
    if (name.find('/') == std::string::npos && !name.starts_with('.')) names.push_back(name);
  }
  return names;
}

int distance_of_nodes(int from, int to, const fs::path& sys) {
  if (from < 0) return -1;
  const fs::path folder = sys / "devices/system/node";
  const auto nodes = nodes_of(folder);
  const auto distances = numbers_in(folder / ("node" + std::to_string(from)) / "distance");
  if (distances.size() != nodes.size()) return -1;
  const auto column = std::find(nodes.begin(), nodes.end(), to) - nodes.begin();
  return column < static_cast<std::ptrdiff_t>(nodes.size()) ? distances[static_cast<std::size_t>(column)]
                                                            : -1;
}

int numa_distance(int numa, const std::string& devices, const fs::path& sys) {
  int nearest = -1;
  for (const auto& name : device_names(devices)) {
    const int distance = distance_of_nodes(numa, node_of(name, sys), sys);
    if (distance >= 0 && (nearest < 0 || distance < nearest)) nearest = distance;
  }
  return nearest;
}

}  // namespace everylink
