#include "memory/cuda/sharing.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "base/errors.hpp"

namespace everylink::cuda {
namespace {

constexpr Status no_peer_access = 217, not_permitted = 800, not_supported = 801;
constexpr unsigned enables_peer_access = 1;  // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
constexpr int fabric_is_supported = 128;     // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED
constexpr int by_fabric = 8;                 // CU_MEM_HANDLE_TYPE_FABRIC
constexpr int on_device = 1,
              stays_in_place = 1;  // CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int recommended = 1;     // CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
constexpr int read_and_write = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE

// Memory that has no addresses. It lives as long as this or a mapping of it does, in any process.
class Unmapped {
 public:
  Unmapped(const Device& device, Physical of) : device_(device), of_(of) {}
  ~Unmapped() { device_.driver().release_created(of_); }
  Unmapped(const Unmapped&) = delete;
  Unmapped& operator=(const Unmapped&) = delete;
  Physical physical() const { return of_; }

 private:
  const Device& device_;
  const Physical of_;
};

// Of calls that the service nvidia-imex has a part in.
void check_fabric(const Device& device, Status status, const char* call) {
  if (status != not_permitted && status != not_supported) return device.check(status, call);
  const auto why = fmt::format(
      "GPU {}: {}: {}; fabric handles take hosts of one NVLink domain that run nvidia-imex and share a "
      "channel "
      "in /dev/nvidia-caps-imex-channels",
      device.ordinal(), call, text_of(status));
  throw LocalFault(why, why);
}

// New memory with a fabric handle, and that handle.
std::pair<std::unique_ptr<Mapping>, Shared> create(const Device& device, std::size_t bytes) {
  const auto& driver = device.driver();
  const PropertiesOfMemory properties{.kind = stays_in_place,
                                      .handles = by_fabric,
                                      .location = {on_device, device.ordinal()},
                                      .of_windows = nullptr,
                                      .flags = {}};
  std::size_t block = granularity;
  device.check(driver.granularity(&block, &properties, recommended), "cuMemGetAllocationGranularity");
  const std::size_t whole = (bytes + block - 1) / block * block;
  Physical made = 0;
  check_fabric(device, driver.create(&made, whole, &properties, 0), "cuMemCreate");
  const Unmapped memory(device, made);
  Shared shared{.handle = {}, .fabric_bytes = whole};
  check_fabric(device, driver.export_handle(&shared.handle, memory.physical(), by_fabric, 0),
               "cuMemExportToShareableHandle");
  return {std::make_unique<Mapping>(device, memory.physical(), whole), shared};
}

std::string find_out_why_no_fabric(const Device& device) {
  const auto& driver = device.driver();
  if (!driver.granularity || !driver.create || !driver.release_created || !driver.export_handle ||
      !driver.import_handle || !driver.reserve || !driver.unreserve || !driver.map || !driver.unmap ||
      !driver.set_access)
    return "the NVIDIA driver here is too old for fabric handles";
  if (!device.attribute(fabric_is_supported))
    return fmt::format("memory of GPU {} cannot have fabric handles", device.ordinal());
  const auto fault = local_fault_of([&] { create(device, 1); });
  return fault ? fault->cause : "";
}

}  // namespace

const std::string& why_no_fabric(const Device& device) {
  static std::map<int, std::string> known;
  const auto found = known.find(device.ordinal());
  if (found != known.end()) return found->second;
  return known[device.ordinal()] = find_out_why_no_fabric(device);
}

Mapping::Mapping(const Device& device, Physical memory, std::size_t bytes) : device_(device), bytes_(bytes) {
  const auto& driver = device.driver();
  const AccessToMemory access{.location = {on_device, device.ordinal()}, .allowed = read_and_write};
  device.check(driver.reserve(&at_, bytes, 0, 0, 0), "cuMemAddressReserve");
  Status status = driver.map(at_, bytes, 0, memory, 0);
  is_mapped_ = status == success;
  const char* const call = is_mapped_ ? "cuMemSetAccess" : "cuMemMap";
  if (is_mapped_) status = driver.set_access(at_, bytes, &access, 1);
  if (status == success) return;
  undo();
  device.check(status, call);
}

Mapping::~Mapping() { undo(); }

void Mapping::undo() {
  if (!device_.may_free()) return;
  if (is_mapped_) device_.driver().unmap(at_, bytes_);
  device_.driver().unreserve(at_, bytes_);
}

Allocation::Allocation(const Device& device, std::size_t bytes, bool for_hosts) : device_(device) {
  if (for_hosts && why_no_fabric(device).empty())
    std::tie(mapping_, fabric_) = create(device, bytes);
  else
    device.check(device.driver().allocate(&at_, in_whole_blocks(bytes)), "cuMemAlloc");
}

Allocation::~Allocation() {
  if (at_ && device_.may_free()) device_.driver().release(at_);
}

Shared Allocation::share() const {
  if (is_fabric()) return fabric_;
  Shared shared;
  device_.check(device_.driver().share(&shared.handle, at_), "cuIpcGetMemHandle");
  return shared;
}

Opened::Opened(const Device& device, const Shared& what) : device_(device), what_(what) {
  const auto& driver = device.driver();
  if (what.is_fabric()) {
    Physical theirs = 0;
    SharedHandle handle = what.handle;
    check_fabric(device,
                 driver.import_handle ? driver.import_handle(&theirs, &handle, by_fabric) : not_supported,
                 "cuMemImportFromShareableHandle");
    const Unmapped memory(device, theirs);
    mapping_ = std::make_unique<Mapping>(device, memory.physical(), what.fabric_bytes);
    return;
  }
  const Status status = driver.open_shared(&at_, what.handle, enables_peer_access);
  if (status == no_peer_access) {
    const auto why = fmt::format("GPU {} cannot access the memory of the peer's GPU: {}", device.ordinal(),
                                 text_of(status));
    throw LocalFault(why, why);
  }
  device.check(status, "cuIpcOpenMemHandle");
}

Opened::~Opened() {
  if (at_ && device_.may_free()) device_.driver().close_shared(at_);
}

}  // namespace everylink::cuda
