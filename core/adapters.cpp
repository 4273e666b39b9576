// Reads /sys/class/infiniband.
#include "adapters.hpp"

#include <fstream>
#include <string>

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

int active_adapters(const fs::path& sys) {
  int fabric = 0, ethernet = 0;  // a host of a fabric may have RoCE for its storage besides
  std::error_code none;
  for (const auto& device : fs::directory_iterator(sys / "class/infiniband", none)) {
    bool of_fabric = false, of_ethernet = false;
    for (const auto& port : fs::directory_iterator(device.path() / "ports", none)) {
      if (!line_in(port.path() / "state").ends_with("ACTIVE")) continue;
      (line_in(port.path() / "link_layer") == "Ethernet" ? of_ethernet : of_fabric) = true;
    }
    fabric += of_fabric;
    ethernet += of_ethernet;
  }
  return fabric > 0 ? fabric : ethernet;
}

}  // namespace everylink
