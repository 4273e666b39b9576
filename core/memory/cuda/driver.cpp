#include "memory/cuda/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/seconds.hpp"
#include "functions_ptx.hpp"  // made by CMake from functions.ptx

namespace everylink::cuda {
namespace {

constexpr Status out_of_memory = 2, not_ready = 600;
constexpr unsigned non_blocking = 1;  // CU_STREAM_NON_BLOCKING
constexpr Seconds longest_work = 10;  // the largest memory is filled in less than a second

struct Loaded {
  Driver functions{};
  int count = 0;
  std::string why;
};

struct Symbol {
  void* address;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

std::string described(const Driver& driver, Status status) {
  const char *name = nullptr, *text = nullptr;
  if (driver.error_name) driver.error_name(status, &name);
  if (driver.error_text) driver.error_text(status, &text);
  if (!name) return fmt::format("CUDA error {}", status);
  return text ? fmt::format("{}, {}", name, text) : name;
}

Loaded load() {
  Loaded loaded;
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return loaded.why = "no NVIDIA driver here (libcuda.so.1 was not found)", loaded;
  std::string lacks;
  const auto symbol = [&](const char* name) {
    void* const address = ::dlsym(library, name);
    if (!address) lacks = name;
    return Symbol{address};
  };
  const auto optional = [&](const char* name) { return Symbol{::dlsym(library, name)}; };
  loaded.functions = {.init = symbol("cuInit"),
                      .error_name = symbol("cuGetErrorName"),
                      .error_text = symbol("cuGetErrorString"),
                      .version = symbol("cuDriverGetVersion"),
                      .count = symbol("cuDeviceGetCount"),
                      .device = symbol("cuDeviceGet"),
                      .name = symbol("cuDeviceGetName"),
                      .uuid = symbol("cuDeviceGetUuid_v2"),
                      .pci = symbol("cuDeviceGetPCIBusId"),
                      .attribute = symbol("cuDeviceGetAttribute"),
                      .retain = symbol("cuDevicePrimaryCtxRetain"),
                      .set_current = symbol("cuCtxSetCurrent"),
                      .allocate = symbol("cuMemAlloc_v2"),
                      .release = symbol("cuMemFree_v2"),
                      .allocate_managed = symbol("cuMemAllocManaged"),
                      .allocate_pinned = symbol("cuMemHostAlloc"),
                      .release_pinned = symbol("cuMemFreeHost"),
                      .copy = symbol("cuMemcpyAsync"),
                      .export_range = optional("cuMemGetHandleForAddressRange"),
                      .fill_words = symbol("cuMemsetD32Async"),
                      .share = symbol("cuIpcGetMemHandle"),
                      .open_shared = symbol("cuIpcOpenMemHandle_v2"),
                      .close_shared = symbol("cuIpcCloseMemHandle"),
                      .wait_for_word = symbol("cuStreamWaitValue32_v2"),
                      .write_word = symbol("cuStreamWriteValue32_v2"),
                      .make_event = symbol("cuEventCreate"),
                      .destroy_event = symbol("cuEventDestroy_v2"),
                      .record = symbol("cuEventRecord"),
                      .query_event = symbol("cuEventQuery"),
                      .make_stream = symbol("cuStreamCreate"),
                      .destroy_stream = symbol("cuStreamDestroy_v2"),
                      .query = symbol("cuStreamQuery"),
                      .load = symbol("cuModuleLoadData"),
                      .function = symbol("cuModuleGetFunction"),
                      .launch = symbol("cuLaunchKernel"),
                      .granularity = optional("cuMemGetAllocationGranularity"),
                      .create = optional("cuMemCreate"),
                      .release_created = optional("cuMemRelease"),
                      .export_handle = optional("cuMemExportToShareableHandle"),
                      .import_handle = optional("cuMemImportFromShareableHandle"),
                      .reserve = optional("cuMemAddressReserve"),
                      .unreserve = optional("cuMemAddressFree"),
                      .map = optional("cuMemMap"),
                      .unmap = optional("cuMemUnmap"),
                      .set_access = optional("cuMemSetAccess")};
  if (!lacks.empty())
    return loaded.why = fmt::format("the NVIDIA driver here is too old: it lacks {}", lacks), loaded;
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);    // both are read by cuInit
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // streams that wait for a peer must not hold up others
  for (const auto& [call, status] : {std::pair("cuInit", loaded.functions.init(0)),
                                     std::pair("cuDeviceGetCount", loaded.functions.count(&loaded.count))})
    if (status != success)
      return loaded.why =
                 fmt::format("no usable NVIDIA GPU here ({}: {})", call, described(loaded.functions, status)),
             loaded;
  if (loaded.count == 0) loaded.why = "no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides all";
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

const Driver& usable_driver() {
  const auto& [functions, count, why] = loaded();
  if (!why.empty()) throw LocalFault(why, why);
  return functions;
}

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

std::vector<Gpu> found_gpus() {
  std::vector<Gpu> all;
  const auto* known = loaded().why.empty() ? &loaded().functions : nullptr;
  for (int i = 0; known && i < loaded().count; ++i) {
    int device = 0;
    if (known->device(&device, i) != success) continue;
    Gpu gpu{.ordinal = i, .name = {}, .pci = {}, .uuid = {}};
    std::array<char, 96> text{};
    const int size = static_cast<int>(text.size());
    if (known->name(text.data(), size, device) == success) gpu.name = text.data();
    if (known->pci(text.data(), size, device) == success) gpu.pci = text.data();
    std::transform(gpu.pci.begin(), gpu.pci.end(), gpu.pci.begin(), [](char c) {
      return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;  // as in /sys
    });
    if (std::array<std::uint8_t, 16> uuid{}; known->uuid(uuid.data(), device) == success)
      gpu.uuid = uuid_text(uuid);
    all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace

std::string why_unusable() { return loaded().why; }

std::string version_of_cuda() {
  int version = 0;
  if (loaded().functions.version) loaded().functions.version(&version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string text_of(Status status) { return described(loaded().functions, status); }

const std::vector<Gpu>& gpus() {
  static const std::vector<Gpu> all = found_gpus();
  return all;
}

Device::Device(int ordinal) : driver_(usable_driver()), ordinal_(ordinal) {
  check(driver_.device(&device_, ordinal), "cuDeviceGet");
  constexpr int multiprocessor_count = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  check(driver_.attribute(&multiprocessors_, multiprocessor_count, device_), "cuDeviceGetAttribute");
  check(driver_.retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  use();
  check(driver_.make_stream(&stream_, non_blocking), "cuStreamCreate");
  check(driver_.allocate(&word_, sizeof(std::uint32_t)), "cuMemAlloc");
  Handle module = nullptr;
  check(driver_.load(&module, functions_ptx), "cuModuleLoadData");
  for (const auto& [function, name] : {std::pair(&functions_.fill, "everylink_fill"),
                                       std::pair(&functions_.count_wrong, "everylink_count_wrong"),
                                       std::pair(&functions_.copy, "everylink_copy")})
    check(driver_.function(function, module, name), "cuModuleGetFunction");
}

int Device::attribute(int number) const {
  int value = 0;
  return driver_.attribute(&value, number, device_) == success ? value : 0;
}

void Device::check(Status status, const char* call) const {
  if (status == success) return;
  const auto what = fmt::format("GPU {}: {}: {}", ordinal_, call, described(driver_, status));
  throw LocalFault(
      what, status == out_of_memory ? fmt::format("GPU {} has not enough free memory", ordinal_) : what);
}

void Device::use() const { check(driver_.set_current(context_), "cuCtxSetCurrent"); }

bool Device::is_done(Status query, const char* what) const {
  if (query != not_ready) check(query, what);
  return query != not_ready;
}

void Device::finish(const char* what) const {
  const Seconds until = steady_now() + (is_stuck_ ? 0 : longest_work);
  for (;;) {
    if (is_done(driver_.query(stream_), what)) return;
    if (steady_now() > until) {
      is_stuck_ = true;
      may_free_ = false;
      const auto late = fmt::format("GPU {}: {} has not ended after {} s", ordinal_, what, longest_work);
      throw LocalFault(late, late);
    }
    ::sched_yield();
  }
}

// Not a copy from ordinary memory of the host, in which the driver itself would wait.
void Device::try_it() const {
  check(driver_.fill_words(word_, 0, 1, stream_), "cuMemsetD32Async");
  finish("writing 4 bytes");
}

const Device& device_of(int ordinal) {
  static std::map<int, std::unique_ptr<const Device>> made;
  auto& device = made[ordinal];
  if (!device) device = std::make_unique<const Device>(ordinal);
  device->use();
  return *device;
}

std::string why_stuck(int ordinal) {
  const auto fault = local_fault_of([ordinal] { device_of(ordinal).try_it(); });
  return fault ? fault->cause : "";
}

int dma_buf_of(const Region& region) {
  constexpr int dma_buf = 1;  // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
  const Device& device = device_of(region.gpu);
  if (!device.driver().export_range) return -1;
  int fd = -1;
  const Status status = device.driver().export_range(&fd, reinterpret_cast<Pointer>(region.at),
                                                     in_whole_blocks(region.bytes), dma_buf, 0);
  return status == success ? fd : -1;
}

}  // namespace everylink::cuda
