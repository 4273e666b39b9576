// NVIDIA's management library, as far as a host has it. It is loaded when it is first asked, and never
// closed: a call that hangs may still be in it. Any call may take seconds, or never return.
#pragma once

#include <string>
#include <variant>

namespace everylink::inventory::nvml {

// How many GPUs there are, or what is wrong. Only then may anything else be asked.
std::variant<unsigned, std::string> begin();
void end();

// What is known of a GPU, as lines "name: value"; names of counters begin with "errors/". Of a GPU that does
// not answer "fault: ..." alone.
std::string gpu(unsigned index);
// The same of its NVLinks: "3/state: active".
std::string links(unsigned index);

// The NVLink domain of the GPU with this PCI address: the cluster's UUID and the clique, "5a1c...00/1". Asks
// the driver itself, with begin and end. "": not known.
std::string domain_of(const std::string& pci);
inline constexpr const char* no_domain = "none";  // it is in none that hosts share

}  // namespace everylink::inventory::nvml
