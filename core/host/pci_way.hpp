// What lies between two PCI functions, as nvidia-smi names it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everylink {

// The root complex and each function below it, of a path without symbolic links such as
// "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0". Empty: it is none of a PCI function.
std::vector<std::string> pci_way(std::string_view path);

// PIX (one PCIe switch at most), PXB (several), PHB (the host bridge), NODE (several host bridges of a NUMA
// node), SYS (NUMA nodes): from near to far. "": a way is not known.
std::string_view name_of_way(const std::vector<std::string>& one, const std::vector<std::string>& other,
                             bool one_node);
// A larger number is further away; the largest for "".
int distance_of_way(std::string_view name);

}  // namespace everylink
