// Network interfaces.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "host/inventory/ethtool.hpp"
#include "host/inventory/lldp.hpp"
#include "host/inventory/parts.hpp"

namespace everylink::inventory {
namespace {

const std::string all_interfaces = "sys/class/net/";

// The addresses of this process's network: one line per address, "eth0 10.0.0.1/24".
Answer addresses_here() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, ::freeifaddrs);
  std::string lines;
  for (const ifaddrs* one = first; one; one = one->ifa_next) {
    if (!one->ifa_addr || !one->ifa_netmask) continue;
    const auto bits = [](const void* bytes, std::size_t size) {
      int set = 0;
      for (std::size_t i = 0; i < size; ++i)
        set += std::popcount(static_cast<const unsigned char*>(bytes)[i]);
      return set;
    };
    char text[INET6_ADDRSTRLEN] = "";
    if (one->ifa_addr->sa_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      const auto* mask = reinterpret_cast<const sockaddr_in*>(one->ifa_netmask);
      ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
      lines += fmt::format("{} {}/{}\n", one->ifa_name, text, bits(&mask->sin_addr, sizeof mask->sin_addr));
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      const auto* mask = reinterpret_cast<const sockaddr_in6*>(one->ifa_netmask);
      if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) continue;
      ::inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof text);
      lines += fmt::format("{} {}/{}\n", one->ifa_name, text, bits(&mask->sin6_addr, sizeof mask->sin6_addr));
    }
  }
  return lines;
}

std::vector<std::string> addresses_of(const Files& files, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& line : split(files.ask("addresses/here", addresses_here).value_or(""), '\n'))
    if (line.starts_with(name + " ")) found.push_back(line.substr(name.size() + 1));
  return found;
}

void note_statistics(Notes& notes, const std::string& part,
                     const std::vector<std::pair<std::string, std::string>>& statistics) {
  std::size_t left = most_counters;
  for (const auto& [name, value] : statistics) {
    if (left == 0 || is_of_one_queue(name) || value == "0") continue;
    notes.counter(part, "ethtool/" + name, value);
    --left;
  }
  if (!statistics.empty()) notes.fact(part, "ethtool_statistics", std::to_string(statistics.size()));
}

// "name: value" per line, as `ethtool -S` prints it.
std::vector<std::pair<std::string, std::string>> statistics_in(const Answer& text) {
  std::vector<std::pair<std::string, std::string>> statistics;
  for (const auto& line : split(text.value_or(""), '\n')) {
    const auto colon = line.rfind(':');
    if (colon == std::string::npos) continue;
    const auto name = plain(line.substr(0, colon)), value = plain(line.substr(colon + 1));
    if (name && value && count_in(*value)) statistics.emplace_back(*name, *value);
  }
  return statistics;
}

// What only this system can be asked. Each question is remembered as text.
void ask_system(const Files& files, Notes& notes, const std::string& part, const std::string& name) {
  notes.list(part, "ip", addresses_of(files, name));
  const auto driver = files.ask("ethtool/" + name + "/driver", [&]() -> Answer {
    const auto said = ethtool_driver(name);
    if (!said) return {};
    return said->name + "\n" + said->version + "\n" + said->firmware;
  });
  if (const auto said = split(driver.value_or(""), '\n'); driver && said.size() == 3) {
    const auto note = [&](const char* fact, const std::string& value) {
      const auto text = plain(value);
      if (text && *text != "N/A") notes.fact(part, fact, text);
    };
    note("driver", said[0]);
    note("driver_version", said[1]);
    note("fw_version", said[2]);
  }
  const auto statistics = files.ask("ethtool/" + name + "/statistics", [&]() -> Answer {
    std::string lines;
    for (const auto& [statistic, value] : ethtool_statistics(name))
      lines += fmt::format("{}: {}\n", statistic, value);
    return lines;
  });
  note_statistics(notes, part, statistics_in(statistics));
  if (const auto index = files.text(all_interfaces + name + "/ifindex"))
    if (const auto frames = files.bytes("run/systemd/netif/lldp/" + *index))
      notes.fact(part, "neighbour", neighbour_in(*frames));
}

// In a recorded tree, files of ours hold what the system was asked for.
void read_recorded(const Files& files, Notes& notes, const std::string& part, const std::string& name) {
  const std::string folder = "everylink/net/" + name + "/";
  std::vector<std::string> addresses;
  for (const auto& one : split(files.bytes(folder + "ip").value_or(""), '\n'))
    if (const auto address = plain(one); address && !address->empty()) addresses.push_back(*address);
  notes.list(part, "ip", addresses);
  read_facts(files, notes, part, folder, {"driver_version", "fw_version", "neighbour"});
  note_statistics(notes, part, statistics_in(files.bytes(folder + "ethtool")));
}

// "VID: 100" in the first line.
Answer vlan_of(const Files& files, const std::string& name) {
  const auto text = files.text("proc/net/vlan/" + name);
  constexpr std::string_view key = "VID: ";
  const auto at = text ? text->find(key) : std::string::npos;
  if (at == std::string::npos) return {};
  const auto number = text->substr(at + key.size());
  return number.substr(0, number.find_first_not_of("0123456789"));
}

void read_interface(const Files& files, Notes& notes, const std::string& name) {
  const std::string part = "net/" + name, folder = all_interfaces + name;
  read_facts(files, notes, part, folder,
             {"address", "mtu", "operstate", "carrier", "duplex", "type", "phys_port_name"});
  if (const auto speed = files.text(folder + "/speed"); speed && !speed->starts_with('-'))
    notes.fact(part, "speed", speed);
  notes.fact(part, "master", files.target(folder + "/master"));
  notes.fact(part, "vlan", vlan_of(files, name));
  std::vector<std::string> lower;
  for (const auto& entry : files.names(folder))
    if (constexpr std::string_view prefix = "lower_"; entry.starts_with(prefix))
      lower.push_back(entry.substr(prefix.size()));
  notes.list(part, "lower", lower);
  read_pci_path(files, notes, part, folder + "/device");
  read_device(files, notes, part, folder + "/device");
  read_counters(files, notes, part, folder + "/statistics", "statistics/");
  notes.counter(part, "carrier_changes", files.text(folder + "/carrier_changes"));
  if (files.is_system())
    ask_system(files, notes, part, name);
  else
    read_recorded(files, notes, part, name);
}

// Files of another network namespace than ours describe other interfaces, perhaps of the same names.
bool is_ours(const Files& files, const std::string& name) {
  if (!files.is_system()) return true;
  const auto index = files.text(all_interfaces + name + "/ifindex");
  return index && *index == std::to_string(::if_nametoindex(name.c_str()));
}

}  // namespace

// "rx12_packets", "tx_queue_3_bytes", "queue_0_tx_cnt", "[4]: rx_ucast_packets", "ch5_events",
// "rx-0.packets", "rx_drops[0]"
bool is_of_one_queue(std::string_view statistic) {
  const auto digit_at = [&](std::size_t at) {
    return at < statistic.size() && std::isdigit(static_cast<unsigned char>(statistic[at]));
  };
  if (const auto at = statistic.find('['); at != statistic.npos && digit_at(at + 1)) return true;
  for (const std::string_view front :
       {"rx", "tx", "ch", "xdp", "rx-", "tx-", "rx_", "tx_", "rq", "sq", "cq", "q", "xq"})
    if (statistic.starts_with(front) && digit_at(front.size())) {
      std::size_t end = front.size();
      while (digit_at(end)) ++end;
      const bool is_range =
          statistic.substr(end).starts_with("_to_") || statistic.find("_bytes_phy") != statistic.npos;
      return !is_range;
    }
  for (const std::string_view part : {"queue_", "queue", "ring_", "_q", "xdp_tx", "xsk"})
    if (const auto at = statistic.find(part); at != statistic.npos && digit_at(at + part.size())) return true;
  return false;
}

// Interfaces of devices first: a host of many containers has hundreds of others.
void read_interfaces(const Files& files, Notes& notes) {
  std::vector<std::string> names, others;
  for (const auto& name : files.names("sys/class/net")) {
    if (!is_ours(files, name)) continue;
    (files.real(all_interfaces + name + "/device") ? names : others).push_back(name);
  }
  names.insert(names.end(), others.begin(), others.end());
  if (names.size() > most_interfaces) names.resize(most_interfaces);
  for (const auto& name : names) read_interface(files, notes, name);
}

}  // namespace everylink::inventory
