// A stand-in for NVIDIA's management library: 2 GPUs with 4 NVLinks each, and planted faults. NVML_STAND_IN
// names them: "down" (link 3 of GPU 1), "replay" (link 2 of GPU 0 repeats more from call to call), "hang" (in
// nvmlInit), "hang-late" (at GPU 1), "no-driver", "lost" (GPU 1), "old" (without what newer drivers know).
// NVML_STAND_IN_DOMAIN names the NVLink domain of both, in up to 16 letters; "none": they are in none; not
// set: not supported.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr unsigned gpus = 2, links = 4;
constexpr int success = 0, uninitialized = 1, invalid = 2, not_supported = 3, too_small = 7, no_driver = 9,
              lost = 15;
int begun = 0;
unsigned long long repeated = 0;

bool planted(const char* fault) {
  const char* all = std::getenv("NVML_STAND_IN");
  return all && std::string(all) == fault;
}
[[noreturn]] void hang() {
  for (;;) ::pause();
}

// A device is its index + 1.
unsigned index_of(const void* device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

int put(char* text, unsigned size, const std::string& value) {
  if (value.size() >= size) return too_small;
  std::memcpy(text, value.c_str(), value.size() + 1);
  return success;
}

}  // namespace

extern "C" {

struct Pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char text[32];
};
struct Field {
  unsigned field, scope;
  long long timestamp, latency;
  int type, status;
  unsigned long long value;
};

int nvmlInit_v2() {
  if (planted("hang")) hang();
  if (planted("no-driver")) return no_driver;
  ++begun;
  return success;
}
int nvmlShutdown() { return begun-- > 0 ? success : uninitialized; }

const char* nvmlErrorString(int status) {
  return status == no_driver ? "Driver Not Loaded" : status == lost ? "GPU is lost" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = gpus;
  return begun > 0 ? success : uninitialized;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= gpus || begun <= 0) return invalid;
  if (index == 1 && planted("hang-late")) hang();
  if (index == 1 && planted("lost")) return lost;
  *device = reinterpret_cast<void*>(std::uintptr_t{index} + 1);
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  const std::string text = address;  // "0000:18:00.0", as that of nvmlDeviceGetPciInfo_v3
  for (unsigned i = 0; i < gpus; ++i)
    if (text == "0000:1" + std::to_string(8 + i) + ":00.0") return nvmlDeviceGetHandleByIndex_v2(i, device);
  return invalid;
}

struct Fabric {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
int nvmlDeviceGetGpuFabricInfoV(void*, Fabric* info) {
  const char* domain = std::getenv("NVML_STAND_IN_DOMAIN");
  if (!domain || info->version != 0x02000024) return not_supported;
  *info = {};
  info->state = 3;
  info->clique = 7;
  const std::string name = domain;
  if (name != "none") std::memcpy(info->cluster, name.data(), std::min(name.size(), sizeof info->cluster));
  return success;
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) { return put(text, size, "550.54.15"); }
int nvmlDeviceGetName(void*, char* text, unsigned size) { return put(text, size, "NVIDIA H100 80GB HBM3"); }
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return put(text, size, "GPU-0000-" + std::to_string(index_of(device)));
}
int nvmlDeviceGetPciInfo_v3(void* device, Pci* info) {
  *info = {};
  info->bus = 0x18 + index_of(device);
  std::snprintf(info->text, sizeof info->text, "00000000:%02X:00.0", info->bus);
  return success;
}
int nvmlDeviceGetEccMode(void*, int* now, int* pending) {
  *now = *pending = 1;
  return success;
}
int nvmlDeviceGetTotalEccErrors(void*, int kind, int since, unsigned long long* count) {
  if (kind != 1) return not_supported;
  *count = since == 1 ? 5 : 0;
  return success;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0x44;
  return success;
}

int nvmlDeviceGetNvLinkState(void* device, unsigned link, int* state) {
  if (link >= links) return invalid;
  *state = !(planted("down") && index_of(device) == 1 && link == 3);
  return success;
}
int nvmlDeviceGetNvLinkVersion(void*, unsigned link, unsigned* version) {
  *version = 6;
  return link < links ? success : invalid;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, Pci* info) {
  *info = {};
  info->bus = 0xc0 + link;
  int state = 0;
  return nvmlDeviceGetNvLinkState(device, link, &state) == success && state ? success : not_supported;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned link, int* type) {
  constexpr int to_a_switch = 2;
  *type = to_a_switch;
  return link < links && !planted("old") ? success : not_supported;
}
int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned link, int kind, unsigned long long* count) {
  if (link >= links || kind > 4) return invalid;
  const bool grows = planted("replay") && kind == 0 && link == 2 && index_of(device) == 0;
  *count = grows ? repeated += 7 : 0;
  return success;
}
int nvmlDeviceGetFieldValues(void*, int count, Field* fields) {
  for (int i = 0; i < count; ++i) {
    const bool is_speed = fields[i].field == 164 && fields[i].scope < links && !planted("old");
    fields[i].status = is_speed ? success : not_supported;
    fields[i].type = 1;
    fields[i].value = 26562;
  }
  return success;
}
}
