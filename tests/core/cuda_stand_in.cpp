// A stand-in for NVIDIA's driver library (libcuda.so.1, CUDA 12) for machines without a GPU. It does what the
// "CUDA Driver API" reference says, and where the reference leaves a choice, what is harder for the caller.
//
// Memory of a GPU is a memfd, mapped twice: without any access at the address that is given out, so that a
// processor that touches it gets SIGSEGV, and once more for the library. New memory is not zero. Other
// processes of the same user open it by a handle. One thread for each process does the work of all streams in
// it.
//
// Memory of cuMemCreate is such a file, too, without addresses until it is mapped. Processes of one domain
// open it by a fabric handle; they may be in other namespaces of process ids, if they see the same /proc.
//
// CUDA_STAND_IN_GPUS=N         N GPUs (0 to 16, else 2); CUDA_VISIBLE_DEVICES (numbers) hides and orders them
// CUDA_STAND_IN_MEMORY=bytes   of each GPU, for each process on its own (else 1 GiB)
// CUDA_STAND_IN_FABRIC=DOMAIN  memory of GPUs can have fabric handles, valid in this domain (else it cannot)
// CUDA_STAND_IN=FAULT,...      read by cuInit; FAULT@N: only where GPU N of the machine takes part
//   no-driver      cuInit: CUDA_ERROR_NO_DEVICE
//   hang-init      cuInit never returns
//   out-of-memory  every cuMemAlloc and cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY
//   no-peer        no GPU reaches another, and no memory is opened: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
//   zeros          copies of more than 64 bytes to memory of a GPU bring zeros
//   swapped        copies of more than 64 bytes to memory of a GPU swap neighbouring bytes
//   error:N        the N-th call after cuInit and all later ones: CUDA_ERROR_LAUNCH_FAILED (@N: calls while
//                  that GPU is current); the calls that tell names of errors and the version neither fail
//                  nor count
//   hang           from the first copy on, no work ends on its GPU
//   hang:N         from the N-th piece of work on, no work ends on its GPU
//   refused:CALL   every CALL, one of those for memory without addresses: CUDA_ERROR_NOT_PERMITTED
//   free-at-once   no fault: what frees memory does not wait for the work of its GPU (the driver "may")
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using CUresult = int;
using CUdevice = int;
using CUdevice_attribute = int;
using CUpointer_attribute = int;
using CUmemRangeHandleType = int;
using CUmemAllocationHandleType = int;
using CUmemAllocationGranularity_flags = int;
using CUmemGenericAllocationHandle = unsigned long long;
using CUdeviceptr = unsigned long long;
using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
struct CUuuid {
  char bytes[16];
};
struct CUipcMemHandle {
  char reserved[64];
};
struct CUmemLocation {
  int type, id;
};
struct CUmemAllocationProp {
  int type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};
struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

namespace {

using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;
using Work = std::function<void()>;

constexpr CUresult success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                   invalid_device = 101, invalid_context = 201, map_failed = 205,
                   peer_access_unsupported = 217, invalid_ptx = 218, operating_system = 304,
                   invalid_handle = 400, not_found = 500, not_ready = 600, illegal_address = 700,
                   peer_access_already_enabled = 704, context_is_destroyed = 709,
                   host_memory_already_registered = 712, host_memory_not_registered = 713,
                   misaligned_address = 716, launch_failed = 719, not_permitted = 800, not_supported = 801;

struct NameOfError {
  CUresult status;
  const char *name, *text;
};
constexpr NameOfError names_of_errors[] = {
    {success, "CUDA_SUCCESS", "no error"},
    {invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {not_initialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {invalid_device, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {map_failed, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed"},
    {peer_access_unsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {invalid_ptx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {operating_system, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {not_ready, "CUDA_ERROR_NOT_READY", "device not ready"},
    {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {peer_access_already_enabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {context_is_destroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {host_memory_already_registered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {host_memory_not_registered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {misaligned_address, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {launch_failed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {not_permitted, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {not_supported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

// What a call throws to answer anything but success.
struct Refused {
  CUresult status;
};
void require(bool holds, CUresult otherwise = invalid_value) {
  if (!holds) throw Refused{otherwise};
}

// ---- Faults

struct Fault {
  std::string name;
  std::uint64_t number = 0;  // "error:7": 7
  std::string call = {};     // "refused:cuMemMap": cuMemMap
  int gpu = -1;              // all of them
  std::uint64_t seen = 0;

  bool is_of(int which) const { return gpu < 0 || gpu == which; }
};

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

// A name that is not known would test nothing, so it ends the process.
std::vector<Fault> planted_faults() {
  const std::set<std::string> known{"no-driver", "hang-init", "out-of-memory", "no-peer",      "zeros",
                                    "swapped",   "error",     "hang",          "free-at-once", "refused"};
  const std::set<std::string> calls{"cuMemGetAllocationGranularity",
                                    "cuMemCreate",
                                    "cuMemExportToShareableHandle",
                                    "cuMemImportFromShareableHandle",
                                    "cuMemAddressReserve",
                                    "cuMemMap",
                                    "cuMemSetAccess",
                                    "cuMemUnmap",
                                    "cuMemAddressFree",
                                    "cuMemRelease"};
  std::vector<Fault> faults;
  const char* all = std::getenv("CUDA_STAND_IN");
  for (const auto& text : parts_of(all ? all : "", ',')) {
    if (text.empty()) continue;
    Fault fault;
    const auto at_gpu = parts_of(text, '@');
    const auto with_number = parts_of(at_gpu[0], ':');
    fault.name = with_number[0];
    bool valid = known.count(fault.name) > 0 && at_gpu.size() <= 2 && with_number.size() <= 2;
    if (valid && at_gpu.size() == 2) {
      valid = is_number(at_gpu[1]);
      if (valid) fault.gpu = std::stoi(at_gpu[1]);
    }
    if (fault.name == "refused") {
      valid = valid && with_number.size() == 2 && calls.count(with_number[1]) > 0;
      if (valid) fault.call = with_number[1];
    } else if (valid && with_number.size() == 2) {
      valid = (fault.name == "error" || fault.name == "hang") && is_number(with_number[1]);
      if (valid) fault.number = std::stoul(with_number[1]);
      valid = valid && fault.number > 0;
    }
    if (!valid || (fault.name == "error" && fault.number == 0)) {
      std::fprintf(stderr, "CUDA_STAND_IN: there is no fault \"%s\"\n", text.c_str());
      std::abort();
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

// Which GPUs of the machine this process sees, in its order. As the driver does: what follows a name that is
// not valid is hidden, and a GPU that is named twice hides all.
std::vector<int> visible_gpus() {
  const int count = static_cast<int>(std::min<std::uint64_t>(number_from("CUDA_STAND_IN_GPUS", 2), 16));
  std::vector<int> gpus;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (int i = 0; i < count; ++i) gpus.push_back(i);
    return gpus;
  }
  for (const auto& text : parts_of(list, ',')) {
    if (!is_number(text) || std::stoi(text) >= count) break;
    if (std::count(gpus.begin(), gpus.end(), std::stoi(text))) return {};
    gpus.push_back(std::stoi(text));
  }
  return gpus;
}

// ---- Memory

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

enum class Kind {
  device,      // cuMemAlloc
  opened,      // memory of a GPU that another process has allocated
  mapped,      // cuMemMap
  managed,     // cuMemAllocManaged
  pinned,      // cuMemHostAlloc
  registered,  // cuMemHostRegister
};

// Memory of cuMemCreate, or of another process by cuMemImportFromShareableHandle. It goes with the last
// handle and mapping.
struct Physical {
  std::size_t bytes = 0;
  int gpu = -1;             // of the machine
  CUcontext own = nullptr;  // of the GPU, if this process has created it
  CUmemAllocationHandleType handle_types = 0;
  int file = -1;
  std::uint64_t generation = 0;
  int handles = 1, mappings = 0;

  Physical() = default;
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical() {
    if (file >= 0) ::close(file);
  }
};

// What the driver knows about a range of addresses.
struct Region {
  Kind kind{};
  CUdeviceptr at = 0;
  std::size_t bytes = 0;
  CUcontext context = nullptr;
  int gpu = -1;               // of the machine
  std::byte* work = nullptr;  // where this library reads and writes it
  int file = -1;
  std::uint64_t generation = 0;
  int openings = 1;
  std::uint64_t number = 0;            // of all regions of this process
  std::shared_ptr<Physical> physical;  // what is mapped here, at addresses that stay reserved
  std::set<CUcontext> allowed;         // ... and whose GPU may use it

  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    const std::size_t mapped = whole_pages(bytes);
    if (kind != Kind::registered && kind != Kind::mapped && at) ::munmap(reinterpret_cast<void*>(at), mapped);
    if (is_hidden() && work) ::munmap(work, mapped);
    if (file >= 0) ::close(file);
  }
  bool is_hidden() const { return kind == Kind::device || kind == Kind::opened || kind == Kind::mapped; }
  bool is_host() const { return kind == Kind::pinned || kind == Kind::registered; }
};
using SharedRegion = std::shared_ptr<Region>;

// Part of a region; without a region: pageable memory of the host.
struct Place {
  SharedRegion region;
  std::byte* at = nullptr;

  bool is_hidden() const { return region && region->is_hidden(); }
  bool is_host() const { return !region || region->is_host(); }
};

// What a handle for other processes holds.
struct Ticket {
  char magic[8];
  pid_t owner;
  int file, gpu;
  std::uint64_t generation, bytes;
  std::uint64_t domain;  // of a fabric handle
};
static_assert(sizeof(Ticket) <= sizeof(CUipcMemHandle) && std::is_trivially_copyable_v<Ticket>);
constexpr char magic[8] = {'s', 't', 'a', 'n', 'd', '-', 'i', 'n'};
constexpr char magic_of_fabric[8] = {'f', 'a', 'b', 'r', 'i', 'c', '-', 's'};
constexpr int fabric = 8;                            // CU_MEM_HANDLE_TYPE_FABRIC
constexpr std::size_t block = std::size_t{2} << 20;  // of memory of cuMemCreate

std::string name_of_file(std::uint64_t generation) {
  char text[40];
  std::snprintf(text, sizeof text, "cuda_stand_in.%016llx", static_cast<unsigned long long>(generation));
  return text;
}

// ---- Streams

struct Piece {
  std::uint64_t number = 0;       // of all pieces of work of this process
  std::function<bool()> ready{};  // none: at once
  bool polls = false;             // others than this library may make it ready
  Work run{};
};

// Of an event: the last time it was recorded.
struct Mark {
  std::atomic<bool> done{false};
  Clock::time_point when;
};

enum class Order { legacy, blocking, non_blocking };
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

}  // namespace

struct CUstream_st {
  CUcontext context;
  Order order;
  std::deque<Piece> pieces;  // a piece stays until it has ended
  bool destroyed = false;

  // The first that has not ended.
  std::uint64_t first() const { return pieces.empty() ? never : pieces.front().number; }
};

// The primary context of a GPU: there are no others.
struct CUctx_st {
  int ordinal, gpu;  // for this process, of the machine
  unsigned retained = 0, flags = 0;
  std::uint64_t id = 0;  // another one each time it becomes active
  CUresult failed = success;
  std::uint64_t hangs_from = never;  // the number of a piece of work
  std::size_t used = 0;
  std::set<CUcontext> peers;  // whose memory it may use
  std::shared_ptr<CUstream_st> legacy;
};

struct CUevent_st {
  CUcontext context;
  unsigned flags;
  std::shared_ptr<Mark> mark;
};

namespace {

class Launch;
struct Kernel {
  const char* name;
  std::function<void(Launch&)> (*bind)(void** arguments);
};

}  // namespace

struct CUfunc_st {
  CUcontext context;
  const Kernel* kernel;
};
struct CUmod_st {
  CUcontext context;
  std::string text;
  std::map<std::string, CUfunc_st> functions;
};

namespace {

struct Driver {
  const pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable more, ended;  // work
  std::vector<Fault> faults;
  std::size_t memory = 0;  // of each GPU
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  std::map<CUdeviceptr, SharedRegion> regions;
  std::map<CUdeviceptr, std::size_t> reserved;
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Physical>> physical;
  std::uint64_t domain = 0;  // of fabric handles; 0: GPUs have none
  std::vector<std::shared_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::uint64_t pieces = 0, made = 0;
  bool is_serving = false;

  void refuse(const char* call, int gpu) const {
    for (const auto& fault : faults)
      if (fault.name == "refused" && fault.call == call && fault.is_of(gpu)) throw Refused{not_permitted};
  }
  bool planted(const char* name, int gpu) const {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const Fault& fault) { return fault.name == name && fault.is_of(gpu); });
  }
};

// Never freed: the thread that does the work may outlive main.
std::atomic<Driver*> begun{nullptr};
Driver& driver() { return *begun.load(); }
thread_local CUcontext current_context = nullptr;
thread_local std::vector<CUcontext> contexts_below;  // the rest of the stack, whose top is current

void pop_context() {
  current_context = contexts_below.empty() ? nullptr : contexts_below.back();
  if (current_context) contexts_below.pop_back();
}

// Counts a call, which is about this GPU.
void count_call(int gpu) {
  for (auto& fault : driver().faults)
    if (fault.name == "error" && fault.is_of(gpu) && ++fault.seen >= fault.number)
      throw Refused{launch_failed};
}

// Runs the body of a call under the lock, which it may ask for. What it throws becomes the answer.
template <class Body>
CUresult answer_for(std::function<int()> gpu, Body body) noexcept {
  const auto* const known = begun.load();
  if (!known || known->process != ::getpid()) return not_initialized;
  Lock lock(driver().mutex);
  try {
    count_call(gpu());
    if constexpr (std::is_invocable_v<Body, Lock&>)
      body(lock);
    else
      body();
    return success;
  } catch (const Refused& refused) {
    return refused.status;
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  } catch (...) {
    return operating_system;
  }
}
template <class Body>
CUresult answer(Body body) {
  return answer_for([] { return current_context ? current_context->gpu : -1; }, std::move(body));
}

CUctx_st& context_of(CUdevice device) {
  require(device >= 0 && static_cast<std::size_t>(device) < driver().contexts.size(), invalid_device);
  return *driver().contexts[static_cast<std::size_t>(device)];
}
bool is_active(CUcontext context) {
  const auto& all = driver().contexts;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.get() == context && one->retained > 0; });
}
template <class Body>
CUresult answer(CUdevice device, Body body) {
  return answer_for([device] { return context_of(device).gpu; }, [&] { body(context_of(device)); });
}

CUctx_st& current() {
  require(current_context, invalid_context);
  require(current_context->retained > 0, context_is_destroyed);
  require(current_context->failed == success, current_context->failed);
  return *current_context;
}

// ---- Work

constexpr std::chrono::microseconds shortest_pause{20}, longest_pause{500};  // between looks at a value

// The legacy stream and the streams that block with it wait for each other.
bool may_start(const CUstream_st& stream) {
  const auto first = stream.first();
  if (first >= stream.context->hangs_from) return false;
  if (stream.order == Order::blocking) return first < stream.context->legacy->first();
  if (stream.order == Order::non_blocking) return true;
  const auto& all = driver().streams;
  return std::all_of(all.begin(), all.end(), [&](const auto& other) {
    return other->context != stream.context || other->order != Order::blocking || first < other->first();
  });
}

void fail(CUctx_st& context, CUresult status) {
  context.failed = status;
  for (auto& stream : driver().streams)
    if (stream->context == &context) stream->pieces.clear();
}

[[noreturn]] void serve() {
  auto& all = driver();
  Lock lock(all.mutex);
  for (auto pause = shortest_pause;;) {
    bool polls = false, some_ended = false;
    const auto streams = all.streams;
    for (const auto& stream : streams) {
      if (stream->pieces.empty() || !may_start(*stream)) continue;
      auto& piece = stream->pieces.front();  // stays where it is while others are added
      if (piece.ready && !piece.ready()) {
        polls = polls || piece.polls;
        continue;
      }
      CUresult status = success;
      lock.unlock();
      try {
        if (piece.run) piece.run();
      } catch (const Refused& refused) {
        status = refused.status;
      }
      lock.lock();
      if (status == success)
        stream->pieces.pop_front();
      else
        fail(*stream->context, status);
      some_ended = true;
      all.ended.notify_all();
    }
    std::erase_if(all.streams,
                  [](const auto& stream) { return stream->destroyed && stream->pieces.empty(); });
    if (some_ended) {
      pause = shortest_pause;
    } else if (polls) {
      all.more.wait_for(lock, pause);
      pause = std::min(2 * pause, longest_pause);
    } else {
      all.more.wait(lock);
    }
  }
}

void start_to_serve() {
  sigset_t every, before;
  ::sigfillset(&every);
  ::pthread_sigmask(SIG_SETMASK, &every, &before);  // signals are for the threads of the program
  std::exception_ptr thrown;
  try {
    std::thread(serve).detach();
  } catch (...) {
    thrown = std::current_exception();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (thrown) std::rethrow_exception(thrown);
  driver().is_serving = true;
}

std::uint64_t enqueue(CUstream_st& stream, Piece piece, bool is_copy = false) {
  auto& all = driver();
  if (!all.is_serving) start_to_serve();
  auto& context = *stream.context;
  const std::uint64_t number = piece.number = ++all.pieces;
  for (auto& fault : all.faults)
    if (fault.name == "hang" && fault.is_of(context.gpu))
      if (fault.number > 0 ? ++fault.seen == fault.number : is_copy)
        context.hangs_from = std::min(context.hangs_from, number);
  stream.pieces.push_back(std::move(piece));
  all.more.notify_one();
  return number;
}

template <class Predicate>
void wait(Lock& lock, const CUctx_st& context, Predicate ended) {
  driver().ended.wait(lock, [&] { return context.failed != success || ended(); });
  require(context.failed == success, context.failed);
}

// Until all that is now in the streams of this GPU has ended: before memory goes away.
void wait_before_free(Lock& lock, const CUctx_st& context) {
  if (driver().planted("free-at-once", context.gpu)) return;
  wait(lock, context, [&context, last = driver().pieces] {
    const auto& all = driver().streams;
    return std::all_of(all.begin(), all.end(), [&](const auto& stream) {
      return stream->context != &context || stream->first() > last;
    });
  });
}

std::shared_ptr<CUstream_st> stream_of(CUstream handle) {
  auto& context = current();
  if (!handle || reinterpret_cast<std::uintptr_t>(handle) == 1) return context.legacy;  // CU_STREAM_LEGACY
  for (const auto& stream : driver().streams) {
    if (stream.get() != handle || stream->destroyed) continue;
    require(stream->context->failed == success, stream->context->failed);
    return stream;
  }
  throw Refused{invalid_handle};
}

template <class All, class Handle>
auto position_of(All& all, Handle handle) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.get() == handle; });
  require(found != all.end(), invalid_handle);
  return found;
}

// ---- Addresses

SharedRegion region_at(CUdeviceptr address) {
  const auto& regions = driver().regions;
  auto found = regions.upper_bound(address);
  if (found == regions.begin()) return nullptr;
  const auto& region = (--found)->second;
  return address - region->at < region->bytes ? region : nullptr;
}

bool overlaps_regions(CUdeviceptr address, std::size_t bytes) {
  const auto next = driver().regions.lower_bound(address);
  return region_at(address) || (next != driver().regions.end() && next->first - address < bytes);
}

bool is_mapped(CUdeviceptr address, std::size_t bytes) {
  const CUdeviceptr start = address / page() * page();
  return address != 0 && address + bytes > address &&
         ::msync(reinterpret_cast<void*>(start), address + bytes - start, MS_ASYNC) == 0;
}

// What lies at these addresses, for a copy. Memory that the driver does not know is pageable memory of the
// host.
Place place_of(const CUctx_st& context, CUdeviceptr address, std::size_t bytes) {
  if (const auto region = region_at(address)) {
    require(bytes <= region->at + region->bytes - address);
    require(region->kind != Kind::mapped || region->allowed.count(const_cast<CUcontext>(&context)) > 0);
    return {region, region->work + (address - region->at)};
  }
  require(!overlaps_regions(address, bytes) && is_mapped(address, bytes));
  return {nullptr, reinterpret_cast<std::byte*>(address)};
}

bool may_reach(int gpu, int other) {
  return !driver().planted("no-peer", gpu) && !driver().planted("no-peer", other);
}

// What a GPU may use without a copy.
bool reaches(const CUctx_st& context, const Region& region) {
  if (region.kind == Kind::mapped) return region.allowed.count(const_cast<CUcontext>(&context)) > 0;
  if (!region.is_hidden() || region.context == &context) return true;
  return region.kind == Kind::device && context.peers.count(region.context) > 0;
}

void add(SharedRegion region) {
  region->number = ++driver().made;
  const auto at = region->at;
  driver().regions[at] = std::move(region);
}

SharedRegion owned(CUdeviceptr address, std::initializer_list<Kind> kinds,
                   CUresult otherwise = invalid_value) {
  const auto found = driver().regions.find(address);
  require(found != driver().regions.end(), otherwise);
  require(std::find(kinds.begin(), kinds.end(), found->second->kind) != kinds.end(), otherwise);
  return found->second;
}

void release(Lock& lock, CUdeviceptr address, std::initializer_list<Kind> kinds,
             CUresult otherwise = invalid_value) {
  current();
  wait_before_free(lock, *owned(address, kinds, otherwise)->context);
  const auto region = owned(address, kinds, otherwise);  // another thread may have released it meanwhile
  if (region->kind == Kind::device) region->context->used -= region->bytes;
  driver().regions.erase(address);
}

void* map(std::size_t bytes, int access, int flags, int file, CUresult otherwise) {
  void* const at = ::mmap(nullptr, whole_pages(bytes), access, flags, file, 0);
  require(at != MAP_FAILED, otherwise);
  return at;
}

std::uint64_t new_generation() {
  const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  return mix(now ^ mix(static_cast<std::uint64_t>(driver().process) << 32 ^ ++driver().made));
}

int new_file(std::uint64_t generation, std::size_t bytes) {
  const int file = ::memfd_create(name_of_file(generation).c_str(), MFD_CLOEXEC);
  require(file >= 0, out_of_memory);
  if (::ftruncate(file, static_cast<off_t>(whole_pages(bytes))) == 0) return file;
  ::close(file);
  throw Refused{out_of_memory};
}

void make_dirty(std::byte* at, std::size_t bytes) {
  constexpr std::size_t most_written = 1 << 16;
  std::memset(at, 0xe5, std::min(bytes, most_written));
}

// Memory of a GPU: the region owns the file.
SharedRegion hidden(Kind kind, int file, std::size_t bytes, CUresult otherwise) {
  auto region = std::make_shared<Region>();
  region->kind = kind;
  region->file = file;
  region->bytes = bytes;
  region->work = static_cast<std::byte*>(map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, otherwise));
  region->at = reinterpret_cast<CUdeviceptr>(map(bytes, PROT_NONE, MAP_SHARED, file, otherwise));
  return region;
}

SharedRegion visible(Kind kind, CUcontext context, std::size_t bytes) {
  require(bytes > 0 && bytes <= std::numeric_limits<std::size_t>::max() / 2,
          bytes ? out_of_memory : invalid_value);
  auto region = std::make_shared<Region>();
  region->kind = kind;
  region->bytes = bytes;
  region->context = context;
  region->gpu = context->gpu;
  void* const at = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, out_of_memory);
  region->work = static_cast<std::byte*>(at);
  region->at = reinterpret_cast<CUdeviceptr>(at);
  return region;
}

CUctx_st& gpu_of(const CUmemLocation& location) {
  constexpr int device = 1;
  require(location.type == device);
  return context_of(location.id);
}

std::shared_ptr<Physical> physical_of(CUmemGenericAllocationHandle handle) {
  const auto found = driver().physical.find(handle);
  require(found != driver().physical.end());
  return found->second;
}

void forget_unused(Physical& memory) {
  if (memory.own && memory.handles == 0 && memory.mappings == 0) memory.own->used -= memory.bytes;
}

std::string target_of(const std::string& link) {
  char text[256];
  const auto size = ::readlink(link.c_str(), text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// As /proc numbers it, which may be that of an outer namespace.
pid_t number_of_this_process() {
  const auto number = target_of("/proc/self");
  require(!number.empty(), operating_system);
  return static_cast<pid_t>(std::stol(number));
}

// The memory of another process: -1 if that process has ended or has freed it, even if the numbers are in use
// again.
int file_of(const Ticket& ticket) {
  const auto owned_file = "/proc/" + std::to_string(ticket.owner) + "/fd/" + std::to_string(ticket.file);
  const int seen = ::open(owned_file.c_str(), O_PATH | O_CLOEXEC);  // has no effect on what it may be by now
  if (seen < 0) return -1;
  const auto same_file = "/proc/self/fd/" + std::to_string(seen);
  int file = -1;
  if (target_of(same_file) == "/memfd:" + name_of_file(ticket.generation) + " (deleted)")
    file = ::open(same_file.c_str(), O_RDWR | O_CLOEXEC);
  ::close(seen);
  struct stat about {};
  if (file < 0 || (::fstat(file, &about) == 0 && static_cast<std::uint64_t>(about.st_size) >= ticket.bytes))
    return file;
  ::close(file);
  return -1;
}

// ---- Copies

enum class Side { any, host, device };
enum class Bytes { same, zeros, swapped };

void require_side(const Place& place, Side side) {
  if (side == Side::host) require(!place.is_hidden());
  if (side == Side::device) require(place.region != nullptr);
}

void move_bytes(std::byte* to, const std::byte* from, std::size_t count, Bytes how) {
  if (how == Bytes::same) {
    std::memmove(to, from, count);
  } else if (how == Bytes::zeros) {
    std::memset(to, 0, count);
  } else {
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      const std::byte first = from[i], second = from[i + 1];
      to[i] = second, to[i + 1] = first;
    }
    if (count % 2) to[count - 1] = from[count - 1];
  }
}

// The driver may let callers wait where pageable memory takes part, and says that it does between host and
// host: here it always does. A copy that is not asynchronous waits, except between GPUs: these wait only
// where the context says so.
void copy(Lock& lock, CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream handle,
          bool is_asynchronous, Side side_to = Side::any, Side side_from = Side::any) {
  constexpr std::size_t longest_flag = 64;
  constexpr unsigned sync_memops = 0x80;
  const auto stream = stream_of(handle);
  if (bytes == 0) return;
  const auto& context = *stream->context;
  const Place target = place_of(context, to, bytes), source = place_of(context, from, bytes);
  require_side(target, side_to);
  require_side(source, side_from);
  auto how = Bytes::same;
  if (target.region && !target.is_host() && bytes > longest_flag) {
    if (driver().planted("zeros", target.region->gpu)) how = Bytes::zeros;
    if (driver().planted("swapped", target.region->gpu)) how = Bytes::swapped;
  }
  const auto number = enqueue(*stream, {.run = [=] { move_bytes(target.at, source.at, bytes, how); }}, true);
  const bool is_pageable = !target.region || !source.region, is_host = target.is_host() && source.is_host();
  const bool is_device = target.is_hidden() && source.is_hidden();
  const bool must_wait = !is_device || (stream->context->flags & sync_memops);
  if (is_asynchronous ? is_pageable || is_host : must_wait)
    wait(lock, *stream->context, [&] { return stream->first() > number; });
}

CUdeviceptr address_of(const void* at) { return reinterpret_cast<CUdeviceptr>(at); }

// ---- Values that a stream waits for or writes

template <class Word>
Place place_of_value(const CUstream_st& stream, CUdeviceptr address) {
  const auto region = region_at(address);
  require(region && region->kind != Kind::managed && reaches(*stream.context, *region));
  require(address % sizeof(Word) == 0);
  return place_of(*stream.context, address, sizeof(Word));
}
template <class Word>
auto value_at(const Place& place) {
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(place.at));
}

template <class Word>
CUresult wait_for_value(CUstream handle, CUdeviceptr address, Word value, unsigned flags) {
  constexpr unsigned equal = 1, common_bits = 2, nor = 3, flush = 1u << 30;
  return answer([&] {
    const auto stream = stream_of(handle);
    require(!(flags & flush), not_supported);
    require(flags <= nor);
    const Place place = place_of_value<Word>(*stream, address);
    const auto ready = [=] {
      const Word now = value_at<Word>(place).load(std::memory_order_acquire);
      if (flags == equal) return now == value;
      if (flags == common_bits) return (now & value) != 0;
      if (flags == nor) return static_cast<Word>(~(now | value)) != 0;
      return static_cast<std::make_signed_t<Word>>(now - value) >= 0;
    };
    enqueue(*stream, {.ready = ready, .polls = true});
  });
}

template <class Word>
CUresult write_value(CUstream handle, CUdeviceptr address, Word value, unsigned flags) {
  return answer([&] {
    const auto stream = stream_of(handle);
    require(flags == 0);
    const Place place = place_of_value<Word>(*stream, address);
    const auto run = [=] { value_at<Word>(place).store(value, std::memory_order_release); };
    enqueue(*stream, {.run = run});
  });
}

// ---- Kernels

// What a kernel sees of the GPU that runs it.
class Launch {
 public:
  explicit Launch(const CUctx_st& context) : context_(context) {}

  // Throws what ends the context where the GPU may not go.
  std::byte* at(CUdeviceptr address, std::size_t bytes, std::size_t alignment = 1) {
    if (bytes == 0) return nullptr;
    require(address % alignment == 0, misaligned_address);
    const Lock lock(driver().mutex);
    const auto region = region_at(address);
    require(region && bytes <= region->at + region->bytes - address && reaches(context_, *region),
            illegal_address);
    used_.push_back(region);
    return region->work + (address - region->at);
  }

 private:
  const CUctx_st& context_;
  std::vector<SharedRegion> used_;
};

void fill(Launch& launch, CUdeviceptr at, std::uint64_t bytes, std::uint64_t key) {
  std::byte* const to = launch.at(at, bytes);
  for (std::uint64_t offset = 0; offset < bytes; offset += 8) {
    const std::uint64_t word = mix(key ^ offset);  // the lowest byte first, as this processor has it
    std::memcpy(to + offset, &word, std::min<std::uint64_t>(8, bytes - offset));
  }
}

void count_wrong(Launch& launch, CUdeviceptr at, std::uint64_t bytes, std::uint64_t key,
                 CUdeviceptr counter) {
  const std::byte* const from = launch.at(at, bytes);
  std::uint64_t wrong = 0;
  for (std::uint64_t offset = 0; offset < bytes; offset += 8) {
    const std::uint64_t word = mix(key ^ offset);
    wrong += std::memcmp(from + offset, &word, std::min<std::uint64_t>(8, bytes - offset)) != 0;
  }
  if (wrong == 0) return;
  auto* const sum = reinterpret_cast<std::uint64_t*>(launch.at(counter, sizeof wrong, sizeof wrong));
  std::atomic_ref<std::uint64_t>(*sum).fetch_add(wrong);
}

void copy_bytes(Launch& launch, CUdeviceptr to, CUdeviceptr from, std::uint64_t bytes) {
  std::memmove(launch.at(to, bytes), launch.at(from, bytes), bytes);
}

// The arguments are read at once, each as large as the function's parameter.
template <class... Parameters>
std::function<void(Launch&)> bound(void (*function)(Launch&, Parameters...), void** arguments) {
  std::tuple<Parameters...> values;
  std::apply(
      [&](auto&... value) {
        std::size_t i = 0;
        ((std::memcpy(&value, arguments[i++], sizeof value)), ...);
      },
      values);
  return
      [=](Launch& launch) { std::apply([&](const auto&... value) { function(launch, value...); }, values); };
}
template <auto function>
std::function<void(Launch&)> bind(void** arguments) {
  return bound(function, arguments);
}

constexpr Kernel kernels[] = {
    {"everylink_fill", bind<fill>},
    {"everylink_count_wrong", bind<count_wrong>},
    {"everylink_copy", bind<copy_bytes>},
};

// ---- What is known of a GPU

struct Attribute {
  int number, value;
};
constexpr Attribute attributes[] = {
    {1, 1024},  // threads of a block
    {2, 1024},        {3, 1024},
    {4, 64},                       // along x, y, z
    {5, 2147483647},               // blocks of a grid along x
    {6, 65535},       {7, 65535},  // along y, z
    {8, 49152},                    // shared memory of a block
    {9, 65536},                    // constant memory
    {10, 32},                      // threads of a warp
    {11, 2147483647},              // pitch
    {12, 65536},                   // registers of a block
    {13, 1980000},                 // kHz
    {14, 512},                     // alignment of textures
    {15, 1},                       // copies beside kernels
    {16, 132},                     // multiprocessors
    {19, 1},                       // mapped memory of the host
    {31, 1},                       // concurrent kernels
    {32, 1},                       // ECC
    {33, 0x18},                    // PCI bus of GPU 0
    {36, 2619000},                 // kHz of the memory
    {37, 5120},                    // bits of the bus of the memory
    {38, 52428800},                // L2 cache
    {39, 2048},                    // threads of a multiprocessor
    {40, 3},                       // copy engines
    {41, 1},                       // unified addressing
    {75, 9},                       // compute capability, major
    {78, 1},                       // priorities of streams
    {81, 233472},                  // shared memory of a multiprocessor
    {82, 65536},                   // registers of a multiprocessor
    {83, 1},                       // managed memory
    {89, 1},                       // managed memory, while the processor uses it
    {90, 1},                       // preemption
    {91, 1},                       // registered memory has the address that the host uses
    {92, 1},          {93, 1},
    {94, 1},                     // values that streams wait for and write: 32 bits, 64 bits, NOR (v1)
    {97, 232448},                // shared memory of a block that asks for it
    {99, 1},                     // cuMemHostRegister
    {102, 1},                    // memory without addresses
    {106, 32},                   // blocks of a multiprocessor
    {122, 1},         {123, 1},  // values: 64 bits, NOR (v2)
};

// Whatever is not listed is 0: no dma-buf, no GPUDirect RDMA, no access to pageable memory.
int attribute_of(const CUctx_st& context, int number) {
  constexpr int pci_bus = 33, fabric_handles = 128;
  if (number == fabric_handles) return driver().domain != 0;
  for (const auto& attribute : attributes)
    if (attribute.number == number) return attribute.value + (number == pci_bus ? context.gpu : 0);
  return 0;
}

void put(char* text, int size, const std::string& value) {
  require(text && size > 0);
  const std::size_t count = std::min(value.size(), static_cast<std::size_t>(size) - 1);
  std::memcpy(text, value.data(), count);
  text[count] = '\0';
}

}  // namespace

extern "C" {

// ---- The driver and its GPUs

CUresult cuInit(unsigned flags) {
  static std::mutex beginning;
  if (const auto* known = begun.load()) return known->process == ::getpid() ? success : not_initialized;
  if (flags != 0) return invalid_value;
  auto all = std::make_unique<Driver>();
  all->faults = planted_faults();
  all->memory = number_from("CUDA_STAND_IN_MEMORY", std::uint64_t{1} << 30);
  if (const char* domain = std::getenv("CUDA_STAND_IN_FABRIC"); domain && *domain)
    all->domain = std::hash<std::string>()(domain) | 1;
  const auto gpus = visible_gpus();
  const auto planted = [&](const char* name) {
    return std::any_of(all->faults.begin(), all->faults.end(), [&](const Fault& fault) {
      return fault.name == name && (fault.gpu < 0 || std::count(gpus.begin(), gpus.end(), fault.gpu));
    });
  };
  while (planted("hang-init")) ::pause();
  if (planted("no-driver") || gpus.empty()) return no_device;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    auto context = std::make_unique<CUctx_st>();
    context->ordinal = static_cast<int>(i);
    context->gpu = gpus[i];
    context->legacy = std::make_shared<CUstream_st>();
    context->legacy->context = context.get();
    context->legacy->order = Order::legacy;
    all->streams.push_back(context->legacy);
    all->contexts.push_back(std::move(context));
  }
  const Lock lock(beginning);
  if (!begun.load()) begun = all.release();
  return success;
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return invalid_value;
  *version = 12040;
  return success;
}

// Of a function with two versions, the second is what callers since CUDA 12 use.
CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags, int* status) {
  constexpr int oldest = 12000, found = 0, unknown = 1, too_old = 2;
  if (!name || !function || flags > 2) return invalid_value;
  *function = nullptr;
  Dl_info here;
  void* library = nullptr;
  if (::dladdr(&begun, &here)) library = ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return operating_system;
  for (const auto& versioned : {std::string(name) + "_v2", std::string(name)})
    if (!*function) *function = ::dlsym(library, versioned.c_str());
  ::dlclose(library);
  const int result = !*function ? unknown : version < oldest ? too_old : found;
  if (result != found) *function = nullptr;
  if (status) *status = result;
  return success;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (!name) return invalid_value;
  *name = nullptr;
  for (const auto& known : names_of_errors)
    if (known.status == error) *name = known.name;
  return *name ? success : invalid_value;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  if (!text) return invalid_value;
  *text = nullptr;
  for (const auto& known : names_of_errors)
    if (known.status == error) *text = known.text;
  return *text ? success : invalid_value;
}

CUresult cuDeviceGetCount(int* count) {
  return answer([&] {
    require(count);
    *count = static_cast<int>(driver().contexts.size());
  });
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer([&] {
    require(device);
    *device = context_of(ordinal).ordinal;
  });
}
CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return answer(device, [&](auto&) { put(name, size, "NVIDIA H100 80GB HBM3"); });
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return answer(device, [&](auto& context) {
    require(uuid);
    std::memcpy(uuid->bytes, "\x5a\x1c\x0f\x2e\x77\x31\x4b\x8d\x90\x6e\xc4\x52\xd8\x13\xaf\x00", 16);
    uuid->bytes[15] = static_cast<char>(context.gpu);
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }
CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  return answer(device, [&](auto& context) {
    char address[16];
    std::snprintf(address, sizeof address, "0000:%02X:00.0", static_cast<unsigned>(0x18 + context.gpu));
    require(size > static_cast<int>(std::strlen(address)));
    put(text, size, address);
  });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return answer(device, [&](auto& context) {
    require(value && attribute > 0);
    *value = attribute_of(context, attribute);
  });
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  return answer(device, [&](auto&) {
    require(bytes);
    *bytes = driver().memory;
  });
}

// ---- Contexts

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return answer(device, [&](auto& primary) {
    require(context);
    if (++primary.retained == 1) primary.id = ++driver().made;
    *context = &primary;
  });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* is_active) {
  return answer(device, [&](auto& primary) {
    require(flags && is_active);
    *flags = primary.flags;
    *is_active = primary.retained > 0;
  });
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return answer([&](Lock& lock) {
    auto& context = context_of(device);
    require(context.retained > 0, invalid_context);
    if (context.retained == 1 && context.failed == success) wait_before_free(lock, context);
    if (--context.retained > 0) return;
    const auto is_its = [&](const auto& one) { return one->context == &context; };
    auto& all = driver();
    std::erase_if(all.regions, [&](const auto& one) {
      const auto& region = *one.second;
      if (!is_its(one.second) || region.kind == Kind::mapped) return false;  // which belongs to no context
      if (region.kind == Kind::device) context.used -= region.bytes;
      return true;
    });
    std::erase_if(all.streams,
                  [&](const auto& stream) { return is_its(stream) && stream != context.legacy; });
    std::erase_if(all.events, is_its);
    std::erase_if(all.modules, is_its);
    for (auto& other : all.contexts) other->peers.erase(&context);
    context.peers.clear();
    context.flags = 0;
    context.failed = success;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return answer([&] {
    require(!context || is_active(context), invalid_context);
    if (context)
      current_context = context;
    else
      pop_context();
  });
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return answer([&] {
    require(is_active(context), invalid_context);
    if (current_context) contexts_below.push_back(current_context);
    current_context = context;
  });
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return answer([&] {
    require(current_context, invalid_context);
    if (context) *context = current_context;
    pop_context();
  });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return answer([&] {
    require(context);
    *context = current_context;
  });
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return answer([&] {
    require(device);
    *device = current().ordinal;
  });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return answer([&] {
    if (!context) context = &current();
    require(is_active(context), context_is_destroyed);
    require(id);
    *id = context->id;
  });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return answer([&] {
    auto& context = current();
    require(flags <= 0xff);
    context.flags = flags;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return answer(device, [&](auto& context) {
    require(can);
    const auto& other = context_of(peer);
    *can = &context != &other && may_reach(context.gpu, other.gpu);
  });
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return answer([&] {
    auto& context = current();
    require(flags == 0);
    require(peer != &context && is_active(peer), invalid_context);
    require(may_reach(context.gpu, peer->gpu), peer_access_unsupported);
    require(context.peers.insert(peer).second, peer_access_already_enabled);
  });
}

// ---- Memory

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return answer([&] {
    const auto& context = current();
    require(free && total);
    *total = driver().memory;
    *free = driver().memory - context.used;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return answer([&] {
    auto& context = current();
    require(address && bytes > 0);
    require(!driver().planted("out-of-memory", context.gpu), out_of_memory);
    require(bytes <= driver().memory - context.used, out_of_memory);
    const std::uint64_t generation = new_generation();
    const int file = new_file(generation, bytes);
    const auto region = hidden(Kind::device, file, bytes, out_of_memory);
    region->context = &context;
    region->gpu = context.gpu;
    region->generation = generation;
    make_dirty(region->work, bytes);
    context.used += bytes;
    add(region);
    *address = region->at;
  });
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return answer([&](Lock& lock) { release(lock, address, {Kind::device, Kind::managed}); });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return answer([&] {
    constexpr unsigned global = 1, host = 2;
    auto& context = current();
    require(address && (flags == global || flags == host));
    const auto region = visible(Kind::managed, &context, bytes);
    add(region);
    *address = region->at;
  });
}

CUresult cuMemHostAlloc(void** at, std::size_t bytes, unsigned flags) {
  return answer([&] {
    auto& context = current();
    require(at && flags <= 7);
    const auto region = visible(Kind::pinned, &context, bytes);
    add(region);
    *at = region->work;
  });
}
CUresult cuMemFreeHost(void* at) {
  return answer([&](Lock& lock) { release(lock, address_of(at), {Kind::pinned}); });
}

CUresult cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
  return answer([&] {
    constexpr unsigned portable_and_mapped = 3, io_memory = 4, read_only = 8;
    auto& context = current();
    require(at && bytes > 0 && flags <= (portable_and_mapped | io_memory | read_only));
    require(!(flags & (io_memory | read_only)), not_supported);
    require(!overlaps_regions(address_of(at), bytes), host_memory_already_registered);
    require(is_mapped(address_of(at), bytes));
    auto region = std::make_shared<Region>();
    region->kind = Kind::registered;
    region->at = address_of(at);
    region->bytes = bytes;
    region->context = &context;
    region->gpu = context.gpu;
    region->work = static_cast<std::byte*>(at);
    add(region);
  });
}
CUresult cuMemHostUnregister(void* at) {
  return answer(
      [&](Lock& lock) { release(lock, address_of(at), {Kind::registered}, host_memory_not_registered); });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* at, unsigned flags) {
  return answer([&] {
    current();
    const auto region = region_at(address_of(at));
    require(address && flags == 0 && region && region->is_host());
    *address = address_of(at);
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return answer([&] {
    current();
    const auto region = region_at(address);
    require(region != nullptr, not_found);
    if (base) *base = region->at;
    if (bytes) *bytes = region->bytes;
  });
}
// No advice was given, and nothing was prefetched: there are no functions for it here.
CUresult cuMemRangeGetAttribute(void* data, std::size_t size, int attribute, CUdeviceptr address,
                                std::size_t bytes) {
  return answer([&] {
    constexpr int read_mostly = 1, last_prefetch = 4, not_set = -2;
    current();
    const auto region = region_at(address);
    require(data && size == sizeof(int) && attribute >= read_mostly && attribute <= last_prefetch);
    require(region && region->kind == Kind::managed && bytes > 0);
    require(bytes <= region->at + region->bytes - address);
    const int value = attribute == read_mostly ? 0 : not_set;
    std::memcpy(data, &value, sizeof value);
  });
}
CUresult cuMemGetHandleForAddressRange(void*, CUdeviceptr, std::size_t, CUmemRangeHandleType,
                                       unsigned long long) {
  return answer([] { throw Refused{not_supported}; });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return answer([&] {
    current();
    const auto region = region_at(address);
    require(data && region);
    const auto write = [&](auto value) { std::memcpy(data, &value, sizeof value); };
    constexpr unsigned host = 1, device = 2;
    switch (attribute) {
      case 1: return write(region->context);
      case 2: return write(region->is_host() ? host : device);
      case 3: return write(address);
      case 4: require(!region->is_hidden()); return write(address);
      case 6: return write(1u);              // SYNC_MEMOPS
      case 7: return write(region->number);  // BUFFER_ID
      case 8: return write(unsigned{region->kind == Kind::managed});
      case 9: return write(region->context->ordinal);
      case 10: return write(unsigned{region->kind == Kind::device});  // may be opened by other processes
      case 11: return write(region->at);
      case 12: return write(region->bytes);
      case 13: return write(1u);  // MAPPED
      case 14:                    // ALLOWED_HANDLE_TYPES
        return write(static_cast<std::uint64_t>(region->physical ? region->physical->handle_types : 0));
      case 15: return write(0u);       // IS_GPU_DIRECT_RDMA_CAPABLE
      case 17: return write(nullptr);  // MEMPOOL_HANDLE
      default: throw Refused{invalid_value};
    }
  });
}
// Each attribute counts as a call. Where nothing is known of an address, all are null.
CUresult cuPointerGetAttributes(unsigned count, const CUpointer_attribute* wanted, void** data,
                                CUdeviceptr address) {
  if (count == 0 || !wanted || !data) return invalid_value;
  const std::set<CUpointer_attribute> pointers{1, 3, 4, 7, 11, 12, 14, 17};  // and what is as large
  for (unsigned i = 0; i < count; ++i) {
    const auto status = cuPointerGetAttribute(data[i], wanted[i], address);
    if (status == invalid_value && data[i])
      std::memset(data[i], 0, pointers.count(wanted[i]) ? sizeof(void*) : sizeof(int));
    else if (status != success)
      return status;
  }
  return success;
}
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return answer([&] {
    constexpr int sync_memops = 6;
    current();
    const auto region = region_at(address);
    require(value && attribute == sync_memops && region && region->is_hidden());
  });
}

// ---- Memory without addresses

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags which) {
  return answer([&] {
    require(bytes && properties && (which == 0 || which == 1));
    driver().refuse("cuMemGetAllocationGranularity", gpu_of(properties->location).gpu);
    *bytes = block;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return answer([&] {
    constexpr int pinned = 1;
    require(handle && properties && flags == 0 && bytes > 0 && bytes % block == 0);
    require(properties->type == pinned && !properties->win32HandleMetaData);
    auto& context = gpu_of(properties->location);
    driver().refuse("cuMemCreate", context.gpu);
    require((properties->requestedHandleTypes & ~fabric) == 0, not_supported);
    require(properties->requestedHandleTypes == 0 || driver().domain != 0, not_supported);
    require(!driver().planted("out-of-memory", context.gpu), out_of_memory);
    require(bytes <= driver().memory - context.used, out_of_memory);
    auto made = std::make_shared<Physical>();
    made->bytes = bytes;
    made->gpu = context.gpu;
    made->own = &context;
    made->handle_types = properties->requestedHandleTypes;
    made->generation = new_generation();
    made->file = new_file(made->generation, bytes);
    void* const work = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->file, out_of_memory);
    make_dirty(static_cast<std::byte*>(work), bytes);
    ::munmap(work, bytes);
    context.used += bytes;
    *handle = ++driver().made;
    driver().physical[*handle] = std::move(made);
  });
}
// One more handle of what is mapped at this address.
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* at) {
  return answer([&] {
    const auto region = region_at(address_of(at));
    require(handle && region && region->physical);
    *handle = ++driver().made;
    driver().physical[*handle] = region->physical;
    ++region->physical->handles;
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return answer([&] {
    constexpr int pinned = 1, device = 1;
    const auto memory = physical_of(handle);
    require(properties);
    const auto& all = driver().contexts;
    const auto owner =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one->gpu == memory->gpu; });
    require(owner != all.end(),
            not_supported);  // a GPU of another host, or one that this process does not see
    *properties = {};
    properties->type = pinned;
    properties->requestedHandleTypes = memory->handle_types;
    properties->location = {device, (*owner)->ordinal};
  });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return answer([&] {
    const auto memory = physical_of(handle);
    driver().refuse("cuMemRelease", memory->gpu);
    driver().physical.erase(handle);
    --memory->handles;
    forget_unused(*memory);
  });
}

CUresult cuMemExportToShareableHandle(void* handle, CUmemGenericAllocationHandle of,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return answer([&] {
    const auto memory = physical_of(of);
    require(handle && type == fabric && flags == 0 && memory->own && (memory->handle_types & fabric));
    driver().refuse("cuMemExportToShareableHandle", memory->gpu);
    Ticket ticket{.magic = {},
                  .owner = number_of_this_process(),
                  .file = memory->file,
                  .gpu = memory->gpu,
                  .generation = memory->generation,
                  .bytes = memory->bytes,
                  .domain = driver().domain};
    std::memcpy(ticket.magic, magic_of_fabric, sizeof magic_of_fabric);
    std::memset(handle, 0, sizeof(CUipcMemHandle));
    std::memcpy(handle, &ticket, sizeof ticket);
  });
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* from,
                                        CUmemAllocationHandleType type) {
  return answer([&] {
    require(handle && from && type == fabric);
    driver().refuse("cuMemImportFromShareableHandle", current_context ? current_context->gpu : -1);
    Ticket ticket;
    std::memcpy(&ticket, from, sizeof ticket);
    require(std::memcmp(ticket.magic, magic_of_fabric, sizeof magic_of_fabric) == 0);
    require(driver().domain != 0, not_supported);
    require(ticket.domain == driver().domain, not_permitted);
    auto opened = std::make_shared<Physical>();
    opened->file = file_of(ticket);
    require(opened->file >= 0, invalid_handle);
    opened->bytes = ticket.bytes;
    opened->gpu = ticket.gpu;
    opened->generation = ticket.generation;
    *handle = ++driver().made;
    driver().physical[*handle] = std::move(opened);
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return answer([&] {
    require(address && bytes > 0 && bytes % page() == 0 && flags == 0);
    require((alignment & (alignment - 1)) == 0 && alignment <= page(), not_supported);
    driver().refuse("cuMemAddressReserve", current_context ? current_context->gpu : -1);
    require(bytes <= std::numeric_limits<std::size_t>::max() / 2, out_of_memory);
    *address =
        address_of(map(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, out_of_memory));
    driver().reserved[*address] = bytes;
  });
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return answer([&] {
    const auto found = driver().reserved.find(address);
    require(found != driver().reserved.end() && found->second == bytes && !overlaps_regions(address, bytes));
    driver().refuse("cuMemAddressFree", current_context ? current_context->gpu : -1);
    ::munmap(reinterpret_cast<void*>(address), bytes);
    driver().reserved.erase(found);
  });
}

// The processor that touches these addresses gets SIGSEGV, as before.
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return answer([&] {
    auto& context = current();
    const auto memory = physical_of(handle);
    require(flags == 0 && offset == 0 && bytes > 0 && bytes % block == 0 && bytes <= memory->bytes);
    const auto after = driver().reserved.upper_bound(address);
    require(after != driver().reserved.begin());
    const auto& [begin, size] = *std::prev(after);
    require(address - begin < size && bytes <= size - (address - begin) && !overlaps_regions(address, bytes));
    driver().refuse("cuMemMap", memory->gpu);
    auto region = std::make_shared<Region>();
    region->kind = Kind::mapped;
    region->at = address;
    region->bytes = bytes;
    region->work =
        static_cast<std::byte*>(map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, out_of_memory));
    region->context = &context;
    region->gpu = memory->gpu;
    region->physical = memory;
    ++memory->mappings;
    add(std::move(region));
  });
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return answer([&](Lock& lock) {
    require(owned(address, {Kind::mapped})->bytes == bytes);
    driver().refuse("cuMemUnmap", owned(address, {Kind::mapped})->gpu);
    const auto memory = owned(address, {Kind::mapped})->physical;
    release(lock, address, {Kind::mapped});
    --memory->mappings;
    forget_unused(*memory);
  });
}
// One range as it was mapped.
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access,
                        std::size_t count) {
  return answer([&] {
    constexpr int none = 0, read_and_write = 3;
    const auto region = owned(address, {Kind::mapped});
    require(region->bytes == bytes && access && count > 0);
    driver().refuse("cuMemSetAccess", region->gpu);
    for (std::size_t i = 0; i < count; ++i) {
      auto& context = gpu_of(access[i].location);
      require(access[i].flags == none || access[i].flags == read_and_write, not_supported);
      require(region->physical->own == &context || may_reach(context.gpu, region->gpu),
              peer_access_unsupported);
      if (access[i].flags == none)
        region->allowed.erase(&context);
      else
        region->allowed.insert(&context);
    }
  });
}

// ---- Memory of other processes

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return answer([&] {
    current();
    require(handle);
    const auto region = owned(address, {Kind::device});
    Ticket ticket{.magic = {},
                  .owner = driver().process,
                  .file = region->file,
                  .gpu = region->gpu,
                  .generation = region->generation,
                  .bytes = region->bytes,
                  .domain = 0};
    std::memcpy(ticket.magic, magic, sizeof magic);
    *handle = {};
    std::memcpy(handle->reserved, &ticket, sizeof ticket);
  });
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
  return answer([&] {
    constexpr unsigned lazy_peer_access = 1;
    auto& context = current();
    Ticket ticket;
    std::memcpy(&ticket, handle.reserved, sizeof ticket);
    require(address && flags == lazy_peer_access);
    require(std::memcmp(ticket.magic, magic, sizeof magic) == 0, invalid_handle);
    require(ticket.owner != driver().process, invalid_context);
    require(may_reach(context.gpu, ticket.gpu), peer_access_unsupported);
    for (const auto& [at, region] : driver().regions)
      if (region->kind == Kind::opened && region->generation == ticket.generation &&
          region->context == &context) {
        ++region->openings;
        *address = at;
        return;
      }
    const int file = file_of(ticket);
    require(file >= 0, map_failed);
    const auto region = hidden(Kind::opened, file, ticket.bytes, map_failed);
    region->context = &context;
    region->gpu = ticket.gpu;
    region->generation = ticket.generation;
    add(region);
    *address = region->at;
  });
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return answer([&](Lock& lock) {
    current();
    const auto region = owned(address, {Kind::opened});
    if (region->openings > 1)
      --region->openings;
    else
      release(lock, address, {Kind::opened});
  });
}

// ---- Copies

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return answer([&](Lock& lock) { copy(lock, to, from, bytes, stream, true); });
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return answer([&](Lock& lock) { copy(lock, to, from, bytes, nullptr, false); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return answer(
      [&](Lock& lock) { copy(lock, address_of(to), from, bytes, stream, true, Side::host, Side::device); });
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return answer(
      [&](Lock& lock) { copy(lock, to, address_of(from), bytes, stream, true, Side::device, Side::host); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return answer([&](Lock& lock) { copy(lock, to, from, bytes, stream, true, Side::device, Side::device); });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream handle) {
  return answer([&] {
    const auto stream = stream_of(handle);
    if (bytes == 0) return;
    const Place place = place_of(*stream->context, to, bytes);
    require_side(place, Side::device);
    enqueue(*stream, {.run = [=] { std::memset(place.at, value, bytes); }});
  });
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream handle) {
  return answer([&] {
    const auto stream = stream_of(handle);
    require(to % sizeof value == 0 && count <= std::numeric_limits<std::size_t>::max() / sizeof value);
    if (count == 0) return;
    const Place place = place_of(*stream->context, to, count * sizeof value);
    require_side(place, Side::device);
    enqueue(*stream, {.run = [=] { std::fill_n(reinterpret_cast<unsigned*>(place.at), count, value); }});
  });
}

// ---- Streams and events

CUresult cuStreamCreate(CUstream* handle, unsigned flags) {
  return answer([&] {
    auto& context = current();
    require(handle && flags <= 1);
    auto stream = std::make_shared<CUstream_st>();
    stream->context = &context;
    stream->order = flags == 1 ? Order::non_blocking : Order::blocking;
    *handle = stream.get();
    driver().streams.push_back(std::move(stream));
  });
}
CUresult cuStreamDestroy_v2(CUstream handle) {
  return answer([&] {
    const auto stream = stream_of(handle);
    require(stream->order != Order::legacy, invalid_handle);
    stream->destroyed = true;  // what is in it still runs
    if (stream->pieces.empty()) std::erase(driver().streams, stream);
  });
}
CUresult cuStreamQuery(CUstream handle) {
  return answer([&] {
    const auto stream = stream_of(handle);
    require(stream->pieces.empty() && stream->context->hangs_from == never, not_ready);
  });
}
CUresult cuStreamSynchronize(CUstream handle) {
  return answer([&](Lock& lock) {
    const auto stream = stream_of(handle);
    const auto last = stream->pieces.empty() ? 0 : stream->pieces.back().number;
    wait(lock, *stream->context, [&] { return stream->first() > last; });
  });
}
// Not called once the context has failed, other than by the driver.
CUresult cuStreamAddCallback(CUstream handle, void (*function)(CUstream, CUresult, void*), void* data,
                             unsigned flags) {
  return answer([&] {
    const auto stream = stream_of(handle);
    require(function && flags == 0);
    enqueue(*stream, {.run = [=] { function(handle, success, data); }});
  });
}

CUresult cuEventCreate(CUevent* handle, unsigned flags) {
  return answer([&] {
    auto& context = current();
    require(handle && flags <= 7);
    auto event = std::make_unique<CUevent_st>();
    event->context = &context;
    event->flags = flags;
    *handle = event.get();
    driver().events.push_back(std::move(event));
  });
}
CUresult cuEventDestroy_v2(CUevent handle) {
  return answer([&] {
    current();
    driver().events.erase(position_of(driver().events, handle));
  });
}
CUresult cuEventRecord(CUevent handle, CUstream of) {
  return answer([&] {
    const auto stream = stream_of(of);
    const auto& event = *position_of(driver().events, handle);
    require(event->context == stream->context, invalid_handle);
    const auto mark = event->mark = std::make_shared<Mark>();
    enqueue(*stream, {.run = [mark] {
      mark->when = Clock::now();
      mark->done = true;
    }});
  });
}
CUresult cuEventQuery(CUevent handle) {
  return answer([&] {
    current();
    const auto& event = *position_of(driver().events, handle);
    require(event->context->failed == success, event->context->failed);
    require(!event->mark || event->mark->done, not_ready);
  });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return answer([&] {
    constexpr unsigned without_time = 2;
    current();
    require(milliseconds);
    const auto &first = *position_of(driver().events, start), &last = *position_of(driver().events, end);
    require(first->context == last->context && first->mark && last->mark, invalid_handle);
    require(!((first->flags | last->flags) & without_time), invalid_handle);
    require(first->mark->done && last->mark->done, not_ready);
    *milliseconds = std::chrono::duration<float, std::milli>(last->mark->when - first->mark->when).count();
  });
}
CUresult cuStreamWaitEvent(CUstream handle, CUevent of, unsigned flags) {
  return answer([&] {
    const auto stream = stream_of(handle);
    const auto mark = (*position_of(driver().events, of))->mark;
    require(flags == 0);
    if (mark) enqueue(*stream, {.ready = [mark] { return mark->done.load(); }});
  });
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return wait_for_value<cuuint32_t>(stream, address, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return wait_for_value<cuuint64_t>(stream, address, value, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return write_value<cuuint32_t>(stream, address, value, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return write_value<cuuint64_t>(stream, address, value, flags);
}

// ---- Kernels

CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
  return answer([&] {
    auto& context = current();
    require(handle && image);
    auto module = std::make_unique<CUmod_st>();
    module->context = &context;
    module->text = static_cast<const char*>(image);
    const auto holds = [&](const char* word) { return module->text.find(word) != std::string::npos; };
    require(holds(".version") && holds(".entry"), invalid_ptx);
    *handle = module.get();
    driver().modules.push_back(std::move(module));
  });
}
CUresult cuModuleUnload(CUmodule handle) {
  return answer([&] {
    current();
    driver().modules.erase(position_of(driver().modules, handle));
  });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return answer([&] {
    current();
    auto& module = **position_of(driver().modules, handle);
    require(function && name && *name);
    require(module.text.find(std::string(".entry ") + name + "(") != std::string::npos, not_found);
    const auto* const kernel = std::find_if(std::begin(kernels), std::end(kernels), [&](const Kernel& known) {
      return std::strcmp(known.name, name) == 0;
    });
    require(kernel != std::end(kernels), not_found);
    *function = &module.functions.emplace(name, CUfunc_st{module.context, kernel}).first->second;
  });
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream handle, void** arguments, void** extra) {
  return answer([&] {
    const auto stream = stream_of(handle);
    const auto is_known = [&](const auto& module) {
      return std::any_of(module->functions.begin(), module->functions.end(),
                         [&](const auto& one) { return &one.second == function; });
    };
    const auto& modules = driver().modules;
    require(std::any_of(modules.begin(), modules.end(), is_known), invalid_handle);
    require(function->context == stream->context && stream->context == &current(), invalid_handle);
    for (const unsigned size : {grid_x, grid_y, grid_z, block_x, block_y, block_z}) require(size > 0);
    require(grid_x <= 2147483647 && grid_y <= 65535 && grid_z <= 65535);
    require(block_x <= 1024 && block_y <= 1024 && block_z <= 64 && block_x * block_y * block_z <= 1024);
    require(shared_bytes <= 49152 && arguments && !extra);
    enqueue(*stream, {.run = [context = stream->context, run = function->kernel->bind(arguments)] {
      Launch launch(*context);
      run(launch);
    }});
  });
}
}
