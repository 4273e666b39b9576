// RDMA devices (InfiniBand, RoCE, Omni-Path, EFA) and Slingshot's.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/inventory/parts.hpp"

namespace everylink::inventory {
namespace {

// Entries of a table of GIDs or PKeys that are in use. They come first, perhaps with gaps.
std::vector<std::string> entries(const Files& files, const std::string& folder,
                                 bool (*is_unused)(const std::string&)) {
  constexpr int most = 128, longest_gap = 8;
  std::vector<std::string> used;
  for (int i = 0, gap = 0; i < most && gap < longest_gap; ++i) {
    const auto entry = files.text(fmt::format("{}/{}", folder, i));
    const bool in_use = entry && !entry->empty() && !is_unused(*entry);
    gap = in_use ? 0 : gap + 1;
    if (in_use) used.push_back(*entry);
  }
  return used;
}

bool is_zero(const std::string& text) {
  return text.find_first_not_of(text.starts_with("0x") ? "0x" : "0:") == std::string::npos;
}
// Every port has the GID of its subnet's prefix without a number while its table is empty.
bool is_unused_gid(const std::string& gid) {
  constexpr std::size_t prefix = 20;  // "fe80:0000:0000:0000:"
  return is_zero(gid) || (gid.size() > prefix && is_zero(gid.substr(prefix)));
}

void read_port(const Files& files, Notes& notes, const std::string& device, const std::string& number) {
  const std::string part = "ib/" + device + "/" + number,
                    folder = "sys/class/infiniband/" + device + "/ports/" + number;
  read_facts(files, notes, part, folder, {"state", "phys_state", "rate", "link_layer", "lid", "sm_lid"});
  notes.list(part, "gid", entries(files, folder + "/gids", is_unused_gid));
  notes.list(part, "pkey", entries(files, folder + "/pkeys", is_zero));
  notes.fact(part, "netdev", files.text(folder + "/gid_attrs/ndevs/0"));
  for (const char* kind : {"counters", "counters_ext", "hw_counters"})
    read_counters(files, notes, part, folder + "/" + kind, fmt::format("{}/", kind));
  const std::string lifespan = "hw_counters/lifespan";
  notes.counters.erase({part, lifespan});
  notes.fact(part, lifespan, files.text(folder + "/" + lifespan));
}

}  // namespace

void read_rdma(const Files& files, Notes& notes) {
  const std::string all = "sys/class/infiniband";
  std::size_t left = most_adapters_read;
  for (const auto& device : files.names(all)) {
    if (left-- == 0) return;
    const std::string part = "ib/" + device, folder = all + "/" + device;
    read_facts(files, notes, part, folder,
               {"hca_type", "board_id", "fw_ver", "hw_rev", "node_type", "node_guid", "sys_image_guid",
                "node_desc"});
    read_pci_path(files, notes, part, folder + "/device");
    read_device(files, notes, part, folder + "/device");
    read_counters(files, notes, part, folder + "/hw_counters", "hw_counters/");
    notes.counters.erase({part, "hw_counters/lifespan"});
    std::size_t ports = most_ports;
    for (const auto& number : files.names(folder + "/ports"))
      if (ports-- > 0)
        read_port(files, notes, device, number);
      else
        break;
    const auto interfaces = files.names(folder + "/device/net");
    notes.list(part, "netdev", interfaces);
  }
}

// Telemetry has more than a thousand items, most of which are 0.
void read_cxi(const Files& files, Notes& notes) {
  const std::string all = "sys/class/cxi";
  std::size_t left = most_adapters_read;
  for (const auto& device : files.names(all)) {
    if (left-- == 0) return;
    const std::string part = "cxi/" + device, folder = all + "/" + device + "/device";
    read_pci_path(files, notes, part, folder);
    read_device(files, notes, part, folder);
    notes.fact(part, "uc/version", files.text(folder + "/uc/version"));
    for (const std::string kind : {"port", "fru", "link_restarts"})
      for (const auto& name : files.names(folder + "/" + kind))
        notes.fact(part, kind + "/" + name, files.text(folder + "/" + kind + "/" + name));
    for (const char* name : {"pcie_corr_err", "pcie_uncorr_err"})
      notes.counter(part, name, files.text(folder + "/properties/" + name));
    std::size_t items = most_counters;
    for (const auto& name : files.names(folder + "/telemetry")) {
      if (!name.starts_with("hni_") && !name.starts_with("pct_")) continue;
      if (items-- == 0) break;
      const auto text = files.text(folder + "/telemetry/" + name);  // "17@1700000000.000000000"
      if (text && !text->starts_with("0@"))
        notes.counter(part, "telemetry/" + name, text->substr(0, text->find('@')));
    }
  }
}

}  // namespace everylink::inventory
