// Reads /sys/class/infiniband.
#include "host/adapters.hpp"

#include <fstream>
#include <set>

namespace everylink {
namespace {

namespace fs = std::filesystem;

std::string line_in(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::vector<ActivePort> active_ports(const fs::path& sys) {
  std::vector<ActivePort> ports;
  std::error_code none;
  for (const auto& device : fs::directory_iterator(sys / "class/infiniband", none))
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none))
      if (line_in(port.path() / "state").ends_with("ACTIVE"))
        ports.push_back({device.path().filename().string(), port.path().filename().string(),
                         line_in(port.path() / "link_layer") == "Ethernet"});
  return ports;
}

int active_adapters(const fs::path& sys) {
  std::set<std::string> fabric, ethernet;  // a host on a fabric may also have RoCE for storage
  for (const auto& port : active_ports(sys)) (port.ethernet ? ethernet : fabric).insert(port.device);
  return static_cast<int>((fabric.empty() ? ethernet : fabric).size());
}

}  // namespace everylink
