// Types, constants and signatures as the NVML API Reference Guide (docs.nvidia.com/deploy/nvml-api) has them.
#include "host/inventory/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace everylink::inventory::nvml {
namespace {

using Device = struct nvmlDevice_st*;
using Status = int;  // nvmlReturn_t; 0: success

struct PciInfo {  // nvmlPciInfo_t
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char text[32];
};

struct FieldValue {  // nvmlFieldValue_t
  unsigned field, scope;
  long long timestamp, latency;
  int type;
  Status status;
  union {
    double real;
    std::uint64_t number;
  };
};

struct FabricInfo {  // nvmlGpuFabricInfo_v2_t
  unsigned version;
  std::array<unsigned char, 16> cluster;
  Status status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
constexpr unsigned fabric_info_version = sizeof(FabricInfo) | 2u << 24;  // nvmlGpuFabricInfo_v2
constexpr unsigned char fabric_is_complete = 3;                          // NVML_GPU_FABRIC_STATE_COMPLETED

constexpr unsigned most_links = 36;                      // NVML_NVLINK_MAX_LINKS
constexpr unsigned speed_of_link = 164;                  // NVML_FI_DEV_NVLINK_GET_SPEED, in MB/s
constexpr int unsigned_int = 1, unsigned_long_long = 3;  // NVML_VALUE_TYPE_...

struct Symbol {
  void* address;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

class Library {
 public:
  bool is_there() const { return handle_; }
  Symbol symbol(const char* name) const { return {handle_ ? ::dlsym(handle_, name) : nullptr}; }

 private:
  void* const handle_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
};

struct Functions {
  Library library = {};
  Status (*init)() = library.symbol("nvmlInit_v2");
  Status (*shutdown)() = library.symbol("nvmlShutdown");
  const char* (*error_text)(Status) = library.symbol("nvmlErrorString");
  Status (*count)(unsigned*) = library.symbol("nvmlDeviceGetCount_v2");
  Status (*handle)(unsigned, Device*) = library.symbol("nvmlDeviceGetHandleByIndex_v2");
  Status (*handle_at)(const char*, Device*) = library.symbol("nvmlDeviceGetHandleByPciBusId_v2");
  Status (*fabric)(Device, FabricInfo*) = library.symbol("nvmlDeviceGetGpuFabricInfoV");
  Status (*driver)(char*, unsigned) = library.symbol("nvmlSystemGetDriverVersion");
  Status (*name)(Device, char*, unsigned) = library.symbol("nvmlDeviceGetName");
  Status (*uuid)(Device, char*, unsigned) = library.symbol("nvmlDeviceGetUUID");
  Status (*pci)(Device, PciInfo*) = library.symbol("nvmlDeviceGetPciInfo_v3");
  Status (*ecc_mode)(Device, int*, int*) = library.symbol("nvmlDeviceGetEccMode");
  Status (*ecc_errors)(Device, int, int, unsigned long long*) = library.symbol("nvmlDeviceGetTotalEccErrors");
  Status (*throttle)(Device,
                     unsigned long long*) = library.symbol("nvmlDeviceGetCurrentClocksThrottleReasons");
  Status (*link_state)(Device, unsigned, int*) = library.symbol("nvmlDeviceGetNvLinkState");
  Status (*link_version)(Device, unsigned, unsigned*) = library.symbol("nvmlDeviceGetNvLinkVersion");
  Status (*link_remote)(Device, unsigned, PciInfo*) = library.symbol("nvmlDeviceGetNvLinkRemotePciInfo_v2");
  Status (*link_end)(Device, unsigned, int*) = library.symbol("nvmlDeviceGetNvLinkRemoteDeviceType");
  Status (*link_errors)(Device, unsigned, int,
                        unsigned long long*) = library.symbol("nvmlDeviceGetNvLinkErrorCounter");
  Status (*fields)(Device, int, FieldValue*) = library.symbol("nvmlDeviceGetFieldValues");
};

const Functions& known() {
  static const Functions functions;
  return functions;
}

// Whether the library has the function, and it has given its answer.
template <class Function, class... Arguments>
bool answers(Function* function, Arguments... arguments) {
  return function && function(arguments...) == 0;
}

std::string text_of_status(Status status) {
  const char* text = known().error_text ? known().error_text(status) : nullptr;
  return text ? text : fmt::format("NVML error {}", status);
}

std::string address_of(const PciInfo& info) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
}

// As `nvidia-smi --query-gpu` names them.
std::string reasons_in(unsigned long long bits) {
  constexpr std::array names{"gpu_idle",
                             "applications_clocks_setting",
                             "sw_power_cap",
                             "hw_slowdown",
                             "sync_boost",
                             "sw_thermal_slowdown",
                             "hw_thermal_slowdown",
                             "hw_power_brake_slowdown",
                             "display_clock_setting"};
  std::string all;
  for (std::size_t bit = 0; bit < names.size(); ++bit)
    if (bits >> bit & 1) all += fmt::format("{}{}", all.empty() ? "" : ", ", names[bit]);
  return all.empty() ? "none" : all;
}

std::string version_of_link(unsigned code) {
  constexpr std::array versions{"1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0", "6.0"};
  return code > 0 && code <= versions.size() ? versions[code - 1] : fmt::format("code {}", code);
}

// Of nvmlIntNvLinkDeviceType_t.
std::string_view kind_of_end(int code) {
  constexpr std::array<std::string_view, 3> kinds{"gpu", "cpu", "switch"};
  return code >= 0 && code < static_cast<int>(kinds.size()) ? kinds[static_cast<std::size_t>(code)] : "";
}

// 0: not known.
std::uint64_t speed_of(Device device, unsigned link) {
  FieldValue value{};
  value.field = speed_of_link;
  value.scope = link;
  const bool is_known = answers(known().fields, device, 1, &value) && value.status == 0;
  return is_known && value.type >= unsigned_int && value.type <= unsigned_long_long ? value.number : 0;
}

void add_link(std::string& lines, Device device, unsigned link) {
  int is_active = 0;
  if (!answers(known().link_state, device, link, &is_active)) return;
  const auto add = [&](const char* name, const auto& value) {
    lines += fmt::format("{}/{}: {}\n", link, name, value);
  };
  add("state", is_active ? "active" : "inactive");
  if (unsigned code = 0; answers(known().link_version, device, link, &code))
    add("version", version_of_link(code));
  if (const auto rate = is_active ? speed_of(device, link) : 0; rate > 0) add("speed", rate);
  if (PciInfo remote{}; answers(known().link_remote, device, link, &remote))
    add("remote_pci", address_of(remote));
  if (int kind = 0; answers(known().link_end, device, link, &kind))
    if (const auto name = kind_of_end(kind); !name.empty()) add("remote", name);
  constexpr std::array errors{"errors/replay", "errors/recovery", "errors/crc_flit", "errors/crc_data",
                              "errors/ecc_data"};  // nvmlNvLinkErrorCounter_t
  for (int kind = 0; kind < static_cast<int>(errors.size()); ++kind)
    if (unsigned long long count = 0; answers(known().link_errors, device, link, kind, &count))
      add(errors[static_cast<std::size_t>(kind)], count);
}

}  // namespace

std::variant<unsigned, std::string> begin() {
  if (!known().library.is_there()) return "libnvidia-ml.so.1 is missing";
  if (!known().init || !known().count) return "libnvidia-ml.so.1 lacks functions";
  if (const Status status = known().init(); status != 0) return text_of_status(status);
  unsigned count = 0;
  if (const Status status = known().count(&count); status != 0) return text_of_status(status);
  return count;
}

void end() {
  if (known().shutdown) known().shutdown();
}

std::string gpu(unsigned index) {
  Device device = nullptr;
  if (const Status status = known().handle ? known().handle(index, &device) : 1; status != 0)
    return fmt::format("fault: {}\n", text_of_status(status));
  std::string lines;
  const auto add = [&](const char* name, const auto& value) {
    lines += fmt::format("{}: {}\n", name, value);
  };
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size());
  if (answers(known().name, device, text.data(), size)) add("name", text.data());
  if (answers(known().uuid, device, text.data(), size)) add("uuid", text.data());
  if (answers(known().driver, text.data(), size)) add("driver_version", text.data());
  if (PciInfo own{}; answers(known().pci, device, &own)) add("pci", address_of(own));
  if (int now = 0, pending = 0; answers(known().ecc_mode, device, &now, &pending))
    add("ecc_mode", now ? "enabled" : "disabled");
  if (unsigned long long bits = 0; answers(known().throttle, device, &bits))
    add("throttle_reasons", reasons_in(bits));
  constexpr int uncorrected = 1, since_driver_start = 0, ever = 1;
  unsigned long long count = 0;
  if (answers(known().ecc_errors, device, uncorrected, since_driver_start, &count))
    add("errors/ecc_volatile_uncorrected", count);
  if (answers(known().ecc_errors, device, uncorrected, ever, &count))
    add("errors/ecc_aggregate_uncorrected", count);
  return lines;
}

std::string links(unsigned index) {
  Device device = nullptr;
  std::string lines;
  if (!answers(known().handle, index, &device)) return lines;
  for (unsigned link = 0; link < most_links; ++link) add_link(lines, device, link);
  return lines;
}

std::string domain_of(const std::string& pci) {
  if (std::holds_alternative<std::string>(begin())) return "";
  Device device = nullptr;
  FabricInfo info{};
  info.version = fabric_info_version;
  const bool is_known =
      answers(known().handle_at, pci.c_str(), &device) && answers(known().fabric, device, &info);
  end();
  if (!is_known) return "";
  // A host whose NVSwitches reach no other one has a cluster of zeros.
  const bool is_in_one =
      info.state == fabric_is_complete && info.status == 0 &&
      std::any_of(info.cluster.begin(), info.cluster.end(), [](auto byte) { return byte != 0; });
  if (!is_in_one) return no_domain;
  std::string text;
  for (const auto byte : info.cluster) text += fmt::format("{:02x}", byte);
  return fmt::format("{}/{}", text, info.clique);
}

}  // namespace everylink::inventory::nvml
