// What is read of each kind of part. docs/results-file.md lists the names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/inventory/files.hpp"
#include "host/inventory/notes.hpp"

namespace everylink::inventory {

// Limits, so that no tree of files makes a reading endless.
inline constexpr std::size_t most_interfaces = 64, most_adapters_read = 64, most_ports = 16,
                             most_functions = 256, most_counters = 512, most_cgroups = 64;

// Whether a statistic is of one of many queues; their sums have names of their own.
bool is_of_one_queue(std::string_view statistic);

void read_identity(const Files&, Notes&);
void read_cores(const Files&, Notes&);
void read_host_counters(const Files&, Notes&);
void read_interfaces(const Files&, Notes&);
void read_rdma(const Files&, Notes&);
void read_cxi(const Files&, Notes&);
// After adapters. `carry`: messages lie in their memory. Without, the present speed of their PCIe links is
// not kept: a GPU that does nothing lowers it, and messages in memory of the host do not wake it.
void read_gpus(const Files&, Notes&, bool carry);
// Of the system, whatever the root of the files is.
void ask_nvml(const Files&, Notes&);

// The PCI address of the device in `folder` ("sys/class/net/eth0/device"), as the fact `pci` of `part`; its
// functions up to the root complex become parts of their own.
void read_pci_path(const Files&, Notes&, const std::string& part, const std::string& folder);
// Facts that a device of a part has: driver, NUMA node. The versions of drivers are facts of the host.
void read_device(const Files&, Notes&, const std::string& part, const std::string& folder);
// Speed and width of the PCI functions that `notes` knows, which idle links lower: keeps the highest of
// several calls.
void watch_links(const Files&, Notes&);

// Each file of a folder is a counter.
void read_counters(const Files&, Notes&, const std::string& part, const std::string& folder,
                   const std::string& prefix);
// Each file of a folder is a fact.
void read_facts(const Files&, Notes&, const std::string& part, const std::string& folder,
                const std::vector<std::string>& names);

// Whether `name` may be a component of a path: a tree or a system may hold any.
bool is_component(const std::string& name);

}  // namespace everylink::inventory
