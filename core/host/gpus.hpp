// --gpus: the ranks of a host take its GPUs in turn; and where a GPU is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/carrier.hpp"

namespace everylink {

// Throws UsageError unless it is "auto" or a list of numbers.
void check_gpus(const std::string& wanted);

// The ordinal of the GPU of this rank. `wanted`: "auto", or the ordinals to take in turn. With `auto` a rank
// that is bound to a NUMA node takes the GPUs near that node first. `numa_of`: by rank, -1: not known. Throws
// MachineError if this machine has no such GPU.
int gpu_of_rank(const std::string& wanted, const std::vector<std::int32_t>& host_of,
                const std::vector<std::int32_t>& numa_of, int rank);

// By rank the PCI address of the GPU of each rank on the host of `rank`; "" of all others.
std::vector<std::string> gpus_of_host(const std::string& wanted, const std::vector<std::int32_t>& host_of,
                                      const std::vector<std::int32_t>& numa_of, int rank);

// What is known of it. `devices`: what carries the rank's messages, as "mlx5_0 port 1, eth0".
GpuOfRank facts_of_gpu(int ordinal, const std::string& devices);

// The PCI addresses of the GPUs of NVIDIA on this host, in order.
std::vector<std::string> gpus_in(const std::filesystem::path& sys = "/sys");
// The place of a PCI function among `all` of them; -1: it is none of them.
int number_of_gpu(const std::string& pci, const std::vector<std::string>& all);

// What lies between a PCI function and the nearest of `devices`, as nvidia-smi names it: PIX (one PCIe switch
// at most), PXB (several), PHB (the host bridge), NODE (several host bridges of a NUMA node), SYS (NUMA
// nodes). "": not known, or no device is a PCI function.
std::string pci_path(const std::string& pci, const std::string& devices,
                     const std::filesystem::path& sys = "/sys");

// Those of `devices` that are nearest to a PCI function by pci_path; all where that is not known of any.
std::vector<std::string> nearest_devices(const std::vector<std::string>& devices, const std::string& pci,
                                         const std::filesystem::path& sys = "/sys");

}  // namespace everylink
