// The distance between a rank and its network device, from the kernel's table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace everylink {

// The kernel's NUMA distance (10: the same node) between node `numa` and the nearest of `devices`, a list
// such as "mlx5_0 port 1, eth0". -1: not known, as when `numa` is -1 or no device has a node (lo).
int numa_distance(int numa, const std::string& devices, const std::filesystem::path& sys = "/sys");
// The same between two nodes.
int distance_of_nodes(int from, int to, const std::filesystem::path& sys = "/sys");
// The names in such a list, without ports; those that could leave a folder of /sys are left out.
std::vector<std::string> device_names(const std::string& devices);

}  // namespace everylink
