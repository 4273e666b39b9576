// Reads /sys/class/infiniband.
#include "host/adapters.hpp"

#include <set>

#include "host/sys_file.hpp"

namespace everylink {

namespace fs = std::filesystem;

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
