// PCI functions: an adapter and the bridges between it and the root complex.
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "base/units.hpp"
#include "host/inventory/parts.hpp"

namespace everylink::inventory {
namespace {

// "0000:17:00.0"
bool is_address(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon < 4 || text.size() != colon + 8) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char must = i == colon || i == colon + 3 ? ':' : i == colon + 6 ? '.' : '\0';
    if (must ? text[i] != must : !std::isxdigit(static_cast<unsigned char>(text[i]))) return false;
  }
  return true;
}

// PCI configuration space, of which a user who is not root sees the first 64 bytes.
class ConfigSpace {
 public:
  explicit ConfigSpace(std::string bytes) : bytes_(std::move(bytes)) {}

  // "4096"
  Answer max_read_request() const {
    constexpr std::size_t pci_express = 0x10, device_control = 8, shift = 12, mask = 7, reserved = 6;
    const auto at = capability(pci_express);
    if (at == 0 || !holds(at + device_control, 2)) return {};
    const auto code = number(at + device_control, 2) >> shift & mask;
    if (code >= reserved) return {};
    return std::to_string(std::size_t{128} << code);
  }

  // "0x1d", what Access Control Services are turned on.
  Answer acs() const {
    constexpr std::size_t access_control = 0x0d, control = 6;
    const auto at = extended_capability(access_control);
    if (at == 0 || !holds(at + control, 2)) return {};
    return fmt::format("{:#x}", number(at + control, 2));
  }

 private:
  static constexpr std::size_t most_capabilities = 64;
  bool holds(std::size_t at, std::size_t size) const { return at + size <= bytes_.size(); }
  std::size_t number(std::size_t at, std::size_t size) const {
    std::size_t value = 0;
    for (std::size_t i = size; i > 0; --i)
      value = value << 8 | static_cast<unsigned char>(bytes_[at + i - 1]);
    return value;
  }
  std::size_t capability(std::size_t wanted) const {
    constexpr std::size_t first = 0x34, standard = 0x100;
    std::size_t at = holds(first, 1) ? number(first, 1) & ~std::size_t{3} : 0;
    for (std::size_t i = 0; i < most_capabilities && at > 0 && at < standard && holds(at, 2); ++i) {
      if (number(at, 1) == wanted) return at;
      at = number(at + 1, 1) & ~std::size_t{3};
    }
    return 0;
  }
  std::size_t extended_capability(std::size_t wanted) const {
    constexpr std::size_t next = 20;
    std::size_t at = 0x100;
    for (std::size_t i = 0; i < most_capabilities && at >= 0x100 && holds(at, 4); ++i) {
      const auto head = number(at, 4);
      if ((head & 0xffff) == wanted) return at;
      at = head >> next;
    }
    return 0;
  }

  std::string bytes_;
};

// "TOTAL_ERR_COR 3" in a file of one line per kind of error.
Answer total_in(const Answer& file, const std::string& name) {
  for (const auto& line : split(file.value_or(""), '\n'))
    if (line.starts_with(name + " ")) return plain(line.substr(name.size()));
  return {};
}

void read_function(const Files& files, Notes& notes, const std::string& address, const std::string& folder,
                   const std::string& parent) {
  const std::string part = "pci/" + address;
  if (notes.folders.contains(part) || notes.folders.size() >= most_functions) return;
  notes.folders[part] = folder;
  read_facts(files, notes, part, folder,
             {"current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "vendor",
              "device", "subsystem_vendor", "subsystem_device"});
  notes.fact(part, "parent", parent);
  read_device(files, notes, part, folder);
  const ConfigSpace config(files.bytes(folder + "/config").value_or(""));
  notes.fact(part, "max_read_request", config.max_read_request());
  notes.fact(part, "acs", config.acs());
  for (const auto& [name, file, total] :
       {std::array{"aer_correctable", "aer_dev_correctable", "TOTAL_ERR_COR"},
        std::array{"aer_nonfatal", "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"},
        std::array{"aer_fatal", "aer_dev_fatal", "TOTAL_ERR_FATAL"}})
    notes.counter(part, name, total_in(files.bytes(folder + "/" + file), total));
}

// "32.0 GT/s PCIe" and "16" begin with a number.
double leading_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

}  // namespace

void read_device(const Files& files, Notes& notes, const std::string& part, const std::string& folder) {
  const auto node = files.text(folder + "/numa_node");
  if (node && !node->starts_with('-')) notes.fact(part, "numa_node", node);
  const auto driver = files.target(folder + "/driver");
  if (!driver || !is_component(*driver)) return;
  notes.fact(part, "driver", driver);
  const std::string module = "sys/module/" + *driver;
  const auto version = files.text(module + "/version");
  notes.fact("host", "driver/" + *driver, version ? version : files.text(module + "/srcversion"));
}

// A device is found below its bridges: sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0. In a
// tree that was copied without its symbolic links, the device itself says its address.
void read_pci_path(const Files& files, Notes& notes, const std::string& part, const std::string& folder) {
  std::string path, last;
  for (const auto& component : split(files.real(folder).value_or(""), '/')) {
    path += (path.empty() ? "" : "/") + component;
    if (!is_address(component)) continue;
    read_function(files, notes, component, path, last);
    last = component;
  }
  if (last.empty()) {
    for (const auto& line : split(files.bytes(folder + "/uevent").value_or(""), '\n'))
      if (const std::string name = "PCI_SLOT_NAME="; line.starts_with(name)) last = line.substr(name.size());
    if (!is_address(last)) return;
    read_function(files, notes, last, folder, "");
  }
  notes.fact(part, "pci", last);
}

void watch_links(const Files& files, Notes& notes) {
  for (const auto& [part, folder] : notes.folders)
    for (const char* name : {"current_link_speed", "current_link_width"}) {
      const auto now = files.text_now(folder + "/" + name);
      if (!now) continue;
      const auto before = notes.facts.find({part, name});
      if (before == notes.facts.end() || leading_number(*now) > leading_number(before->second))
        notes.fact(part, name, now);
    }
}

}  // namespace everylink::inventory
