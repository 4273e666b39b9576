// Reads /sys/class/infiniband.
#include "host/adapters.hpp"

#include <set>

#include "base/folder.hpp"
#include "host/sys_file.hpp"

namespace everylink {

namespace fs = std::filesystem;

std::vector<ActivePort> active_ports(const fs::path& sys) {
  std::vector<ActivePort> ports;
  for (const auto& device : names_in(sys / "class/infiniband")) {
    const fs::path of_device = sys / "class/infiniband" / device / "ports";
    for (const auto& port : names_in(of_device))
      if (line_in(of_device / port / "state").ends_with("ACTIVE"))
        ports.push_back({device, port, line_in(of_device / port / "link_layer") == "Ethernet"});
  }
  return ports;
}

int active_adapters(const fs::path& sys) {
  std::set<std::string> fabric, ethernet;  // a host on a fabric may also have RoCE for storage
  for (const auto& port : active_ports(sys)) (port.ethernet ? ethernet : fabric).insert(port.device);
  return static_cast<int>((fabric.empty() ? ethernet : fabric).size());
}

}  // namespace everylink
