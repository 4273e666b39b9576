// The stand-in for NVIDIA's driver library does what the tests of memory of GPUs rely on. Each test is a
// process of its own that forks others, because what the driver has begun stays for the life of a process.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/random.hpp"

namespace everylink {
namespace {

using Address = unsigned long long;
using Handle = struct Opaque*;
struct Shared {
  char bytes[64];
};

struct Location {
  int kind, number;
};
struct Properties {
  int kind = 1, handles = 8;
  Location location{1, 0};
  void* of_windows = nullptr;
  std::array<unsigned char, 8> flags{};
};
struct Access {
  Location location{1, 0};
  int allowed = 3;
};

struct Symbol {
  const char* name;
  template <class Function>
  operator Function*() const {
    static void* const library = ::dlopen(CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    void* const address = library ? ::dlsym(library, name) : nullptr;
    if (!address) std::fprintf(stderr, "%s\n", ::dlerror());
    return reinterpret_cast<Function*>(address);
  }
};

struct Driver {
  int (*init)(unsigned) = Symbol{"cuInit"};
  int (*version)(int*) = Symbol{"cuDriverGetVersion"};
  int (*error_name)(int, const char**) = Symbol{"cuGetErrorName"};
  int (*error_text)(int, const char**) = Symbol{"cuGetErrorString"};
  int (*count)(int*) = Symbol{"cuDeviceGetCount"};
  int (*device)(int*, int) = Symbol{"cuDeviceGet"};
  int (*name)(char*, int, int) = Symbol{"cuDeviceGetName"};
  int (*uuid)(void*, int) = Symbol{"cuDeviceGetUuid_v2"};
  int (*pci)(char*, int, int) = Symbol{"cuDeviceGetPCIBusId"};
  int (*attribute)(int*, int, int) = Symbol{"cuDeviceGetAttribute"};
  int (*total)(std::size_t*, int) = Symbol{"cuDeviceTotalMem_v2"};
  int (*memory)(std::size_t*, std::size_t*) = Symbol{"cuMemGetInfo_v2"};
  int (*retain)(Handle*, int) = Symbol{"cuDevicePrimaryCtxRetain"};
  int (*reset)(int) = Symbol{"cuDevicePrimaryCtxRelease_v2"};
  int (*set_current)(Handle) = Symbol{"cuCtxSetCurrent"};
  int (*get_current)(Handle*) = Symbol{"cuCtxGetCurrent"};
  int (*current_device)(int*) = Symbol{"cuCtxGetDevice"};
  int (*push)(Handle) = Symbol{"cuCtxPushCurrent_v2"};
  int (*pop)(Handle*) = Symbol{"cuCtxPopCurrent_v2"};
  int (*id)(Handle, unsigned long long*) = Symbol{"cuCtxGetId"};
  int (*set_flags)(unsigned) = Symbol{"cuCtxSetFlags"};
  int (*state)(int, unsigned*, int*) = Symbol{"cuDevicePrimaryCtxGetState"};
  int (*find)(const char*, void**, int, std::uint64_t, int*) = Symbol{"cuGetProcAddress_v2"};
  int (*allocate)(Address*, std::size_t) = Symbol{"cuMemAlloc_v2"};
  int (*release)(Address) = Symbol{"cuMemFree_v2"};
  int (*allocate_managed)(Address*, std::size_t, unsigned) = Symbol{"cuMemAllocManaged"};
  int (*allocate_pinned)(void**, std::size_t, unsigned) = Symbol{"cuMemHostAlloc"};
  int (*release_pinned)(void*) = Symbol{"cuMemFreeHost"};
  int (*enter)(void*, std::size_t, unsigned) = Symbol{"cuMemHostRegister_v2"};
  int (*leave)(void*) = Symbol{"cuMemHostUnregister"};
  int (*address_of)(Address*, void*, unsigned) = Symbol{"cuMemHostGetDevicePointer_v2"};
  int (*copy)(Address, Address, std::size_t, Handle) = Symbol{"cuMemcpyAsync"};
  int (*copy_now)(Address, Address, std::size_t) = Symbol{"cuMemcpy"};
  int (*copy_to_host)(void*, Address, std::size_t, Handle) = Symbol{"cuMemcpyDtoHAsync_v2"};
  int (*copy_to_device)(Address, const void*, std::size_t, Handle) = Symbol{"cuMemcpyHtoDAsync_v2"};
  int (*copy_on_device)(Address, Address, std::size_t, Handle) = Symbol{"cuMemcpyDtoDAsync_v2"};
  int (*set)(Address, unsigned char, std::size_t, Handle) = Symbol{"cuMemsetD8Async"};
  int (*set_words)(Address, unsigned, std::size_t, Handle) = Symbol{"cuMemsetD32Async"};
  int (*make_stream)(Handle*, unsigned) = Symbol{"cuStreamCreate"};
  int (*destroy_stream)(Handle) = Symbol{"cuStreamDestroy_v2"};
  int (*query)(Handle) = Symbol{"cuStreamQuery"};
  int (*synchronize)(Handle) = Symbol{"cuStreamSynchronize"};
  int (*make_event)(Handle*, unsigned) = Symbol{"cuEventCreate"};
  int (*destroy_event)(Handle) = Symbol{"cuEventDestroy_v2"};
  int (*record)(Handle, Handle) = Symbol{"cuEventRecord"};
  int (*query_event)(Handle) = Symbol{"cuEventQuery"};
  int (*elapsed)(float*, Handle, Handle) = Symbol{"cuEventElapsedTime"};
  int (*wait_event)(Handle, Handle, unsigned) = Symbol{"cuStreamWaitEvent"};
  int (*call_back)(Handle, void (*)(Handle, int, void*), void*, unsigned) = Symbol{"cuStreamAddCallback"};
  int (*load)(Handle*, const void*) = Symbol{"cuModuleLoadData"};
  int (*unload)(Handle) = Symbol{"cuModuleUnload"};
  int (*function)(Handle*, Handle, const char*) = Symbol{"cuModuleGetFunction"};
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                void**) = Symbol{"cuLaunchKernel"};
  int (*share)(Shared*, Address) = Symbol{"cuIpcGetMemHandle"};
  int (*open)(Address*, Shared, unsigned) = Symbol{"cuIpcOpenMemHandle_v2"};
  int (*close)(Address) = Symbol{"cuIpcCloseMemHandle"};
  int (*can_access)(int*, int, int) = Symbol{"cuDeviceCanAccessPeer"};
  int (*enable_access)(Handle, unsigned) = Symbol{"cuCtxEnablePeerAccess"};
  int (*wait32)(Handle, Address, std::uint32_t, unsigned) = Symbol{"cuStreamWaitValue32_v2"};
  int (*write32)(Handle, Address, std::uint32_t, unsigned) = Symbol{"cuStreamWriteValue32_v2"};
  int (*wait64)(Handle, Address, std::uint64_t, unsigned) = Symbol{"cuStreamWaitValue64_v2"};
  int (*write64)(Handle, Address, std::uint64_t, unsigned) = Symbol{"cuStreamWriteValue64_v2"};
  int (*pointer)(void*, int, Address) = Symbol{"cuPointerGetAttribute"};
  int (*pointers)(unsigned, const int*, void**, Address) = Symbol{"cuPointerGetAttributes"};
  int (*advice)(void*, std::size_t, int, Address, std::size_t) = Symbol{"cuMemRangeGetAttribute"};
  int (*set_pointer)(const void*, int, Address) = Symbol{"cuPointerSetAttribute"};
  int (*range)(Address*, std::size_t*, Address) = Symbol{"cuMemGetAddressRange_v2"};
  int (*export_range)(void*, Address, std::size_t, int,
                      unsigned long long) = Symbol{"cuMemGetHandleForAddressRange"};
  int (*granularity)(std::size_t*, const Properties*, int) = Symbol{"cuMemGetAllocationGranularity"};
  int (*create)(Address*, std::size_t, const Properties*, unsigned long long) = Symbol{"cuMemCreate"};
  int (*release_created)(Address) = Symbol{"cuMemRelease"};
  int (*retain_created)(Address*, void*) = Symbol{"cuMemRetainAllocationHandle"};
  int (*properties)(Properties*, Address) = Symbol{"cuMemGetAllocationPropertiesFromHandle"};
  int (*export_handle)(Shared*, Address, int, unsigned long long) = Symbol{"cuMemExportToShareableHandle"};
  int (*import_handle)(Address*, Shared*, int) = Symbol{"cuMemImportFromShareableHandle"};
  int (*reserve)(Address*, std::size_t, std::size_t, Address,
                 unsigned long long) = Symbol{"cuMemAddressReserve"};
  int (*unreserve)(Address, std::size_t) = Symbol{"cuMemAddressFree"};
  int (*map)(Address, std::size_t, std::size_t, Address, unsigned long long) = Symbol{"cuMemMap"};
  int (*unmap)(Address, std::size_t) = Symbol{"cuMemUnmap"};
  int (*set_access)(Address, std::size_t, const Access*, std::size_t) = Symbol{"cuMemSetAccess"};
};
const Driver driver;

constexpr int invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
              invalid_device = 101, invalid_context = 201, map_failed = 205, no_peer = 217, invalid_ptx = 218,
              invalid_handle = 400, not_found = 500, not_ready = 600, illegal_address = 700, destroyed = 709,
              launch_failed = 719, not_permitted = 800, not_supported = 801;
constexpr int fabric = 8;
constexpr std::size_t block = std::size_t{2} << 20;
constexpr unsigned at_least = 0, equal = 1, common_bits = 2, nor = 3;

using Settings = std::map<std::string, std::string>;

pid_t start(const Settings& settings, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process != 0) return process;
  for (const auto* name : {"CUDA_STAND_IN", "CUDA_STAND_IN_GPUS", "CUDA_STAND_IN_MEMORY",
                           "CUDA_STAND_IN_FABRIC", "CUDA_VISIBLE_DEVICES"})
    ::unsetenv(name);
  for (const auto& [name, value] : settings) ::setenv(name.c_str(), value.c_str(), 1);
  ::alarm(60);  // only for a test that fails
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  body();
  std::fflush(nullptr);
  ::_exit(::testing::Test::HasFailure());
}
int end_of(pid_t process) {
  int status = -1;
  EXPECT_EQ(::waitpid(process, &status, 0), process);
  return status;
}
void in_process(const Settings& settings, const std::function<void()>& body) {
  EXPECT_EQ(end_of(start(settings, body)), 0);
}
Settings with(const std::string& fault) { return {{"CUDA_STAND_IN", fault}}; }

Address address_of(const void* at) { return reinterpret_cast<Address>(at); }

int finish(Handle stream) {
  int status = not_ready;
  while ((status = driver.query(stream)) == not_ready) ::sched_yield();
  return status;
}

// The context of a GPU, current, and a stream that waits for no other.
struct Gpu {
  explicit Gpu(int ordinal) {
    EXPECT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.retain(&context, ordinal), 0);
    use();
    stream = new_stream();
  }
  void use() const { EXPECT_EQ(driver.set_current(context), 0); }
  Handle new_stream(unsigned flags = 1) const {
    Handle made = nullptr;
    EXPECT_EQ(driver.make_stream(&made, flags), 0);
    return made;
  }
  Address memory(std::size_t bytes) const {
    Address at = 0;
    use();
    EXPECT_EQ(driver.allocate(&at, bytes), 0);
    return at;
  }
  // Waits until the stream has done it.
  void copy(Address to, Address from, std::size_t bytes) const {
    use();
    EXPECT_EQ(driver.copy(to, from, bytes, stream), 0);
    EXPECT_EQ(finish(stream), 0);
  }
  Handle context = nullptr, stream = nullptr;
};

template <class Value>
std::atomic<Value>* pinned(std::size_t count) {
  void* at = nullptr;
  EXPECT_EQ(driver.allocate_pinned(&at, count * sizeof(Value), 3), 0);
  std::memset(at, 0, count * sizeof(Value));
  return static_cast<std::atomic<Value>*>(at);
}
std::uint8_t* pinned_bytes(std::size_t count) {
  void* at = nullptr;
  EXPECT_EQ(driver.allocate_pinned(&at, count, 3), 0);
  return static_cast<std::uint8_t*>(at);
}

// The device functions of memory/cuda/functions.ptx.
struct Contents {
  Contents() {
    std::ifstream file(FUNCTIONS_PTX);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(driver.load(&module, text.str().c_str()), 0);
    EXPECT_EQ(driver.function(&filler, module, "everylink_fill"), 0);
    EXPECT_EQ(driver.function(&counter, module, "everylink_count_wrong"), 0);
    EXPECT_EQ(driver.function(&copier, module, "everylink_copy"), 0);
  }
  int launch(Handle function, std::vector<void*> arguments, Handle stream) const {
    return driver.launch(function, 2, 1, 1, 32, 1, 1, 0, stream, arguments.data(), nullptr);
  }
  int fill(Address at, std::uint64_t bytes, std::uint64_t key, Handle stream) const {
    return launch(filler, {&at, &bytes, &key}, stream);
  }
  int count(Address at, std::uint64_t bytes, std::uint64_t key, Address sum, Handle stream) const {
    return launch(counter, {&at, &bytes, &key, &sum}, stream);
  }
  int copy(Address to, Address from, std::uint64_t bytes, Handle stream) const {
    return launch(copier, {&to, &from, &bytes}, stream);
  }
  Handle module = nullptr, filler = nullptr, counter = nullptr, copier = nullptr;
};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close_writer(), ::close(ends_[0]); }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  template <class Value>
  void send(const Value& value) const {
    EXPECT_EQ(::write(ends_[1], &value, sizeof value), static_cast<ssize_t>(sizeof value));
  }
  template <class Value>
  Value receive() const {
    Value value{};
    EXPECT_EQ(::read(ends_[0], &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }
  void wait_for_end() const {
    char ignored = 0;
    while (::read(ends_[0], &ignored, 1) > 0) continue;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(CudaStandIn, has_gpus_that_differ) {
  in_process({}, [] {
    int number = 0;
    EXPECT_EQ(driver.version(&number), 0);
    EXPECT_EQ(number / 1000, 12);
    EXPECT_EQ(driver.count(&number), not_initialized);
    ASSERT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.count(&number), 0);
    EXPECT_EQ(number, 2);
    char text[64] = {}, uuids[2][16] = {};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(driver.device(&number, i), 0);
      EXPECT_EQ(driver.name(text, sizeof text, number), 0);
      EXPECT_STREQ(text, "NVIDIA H100 80GB HBM3");
      EXPECT_EQ(driver.pci(text, sizeof text, number), 0);
      EXPECT_STREQ(text, i == 0 ? "0000:18:00.0" : "0000:19:00.0");
      EXPECT_EQ(driver.uuid(uuids[i], number), 0);
      for (const auto& [attribute, value] :
           std::map<int, int>{{16, 132}, {33, 0x18 + i}, {41, 1}, {75, 9}, {76, 0}, {122, 1}, {124, 0}}) {
        int answer = -1;
        EXPECT_EQ(driver.attribute(&answer, attribute, i), 0);
        EXPECT_EQ(answer, value) << attribute;
      }
    }
    EXPECT_NE(std::memcmp(uuids[0], uuids[1], 16), 0);
    EXPECT_EQ(driver.device(&number, 2), invalid_device);
    EXPECT_EQ(driver.name(text, sizeof text, 2), invalid_device);
    const char* name = nullptr;
    EXPECT_EQ(driver.error_name(not_ready, &name), 0);
    EXPECT_STREQ(name, "CUDA_ERROR_NOT_READY");
    EXPECT_EQ(driver.error_text(invalid_value, &name), 0);
    EXPECT_STREQ(name, "invalid argument");
    EXPECT_EQ(driver.error_name(12345, &name), invalid_value);
  });
}

TEST(CudaStandIn, shows_the_gpus_that_are_asked_for) {
  const auto count = [] {
    int number = 0;
    return driver.init(0) == 0 && driver.count(&number) == 0 ? number : 0;
  };
  in_process({{"CUDA_STAND_IN_GPUS", "16"}}, [=] { EXPECT_EQ(count(), 16); });
  in_process({{"CUDA_STAND_IN_GPUS", "0"}}, [] { EXPECT_EQ(driver.init(0), no_device); });
  in_process({{"CUDA_VISIBLE_DEVICES", ""}}, [] { EXPECT_EQ(driver.init(0), no_device); });
  in_process({{"CUDA_VISIBLE_DEVICES", "0,0"}}, [] { EXPECT_EQ(driver.init(0), no_device); });
  in_process({{"CUDA_VISIBLE_DEVICES", "0,7,1"}}, [=] { EXPECT_EQ(count(), 1); });
  in_process({{"CUDA_VISIBLE_DEVICES", "1,0"}}, [=] {
    EXPECT_EQ(count(), 2);
    char text[64] = {};
    EXPECT_EQ(driver.pci(text, sizeof text, 0), 0);
    EXPECT_STREQ(text, "0000:19:00.0");
  });
}

TEST(CudaStandIn, knows_which_gpu_is_current) {
  in_process({}, [] {
    Handle context = nullptr;
    Address at = 0;
    int device = -1;
    EXPECT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.get_current(&context), 0);
    EXPECT_EQ(context, nullptr);
    EXPECT_EQ(driver.allocate(&at, 8), invalid_context);
    EXPECT_EQ(driver.query(nullptr), invalid_context);
    const Gpu first(0), second(1);
    EXPECT_EQ(driver.current_device(&device), 0);
    EXPECT_EQ(device, 1);
    first.use();
    EXPECT_EQ(driver.get_current(&context), 0);
    EXPECT_EQ(context, first.context);
    at = first.memory(8);
    EXPECT_EQ(driver.reset(0), 0);
    EXPECT_EQ(driver.allocate(&at, 8), destroyed);
    EXPECT_EQ(driver.reset(0), invalid_context);
    second.use();
    EXPECT_EQ(driver.range(nullptr, nullptr, at), not_found);
    std::thread([] {
      Address other = 0;
      EXPECT_EQ(driver.allocate(&other, 8), invalid_context);
    }).join();
  });
}

TEST(CudaStandIn, current_contexts_are_a_stack_of_each_thread) {
  in_process({}, [] {
    Handle context = nullptr;
    const auto now = [&] {
      EXPECT_EQ(driver.get_current(&context), 0);
      return context;
    };
    EXPECT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.pop(&context), invalid_context);
    const Gpu first(0), second(1);
    EXPECT_EQ(driver.push(first.context), 0);
    EXPECT_EQ(driver.push(first.context), 0);
    EXPECT_EQ(driver.set_current(second.context), 0);  // replaces the topmost
    EXPECT_EQ(driver.pop(&context), 0);
    EXPECT_EQ(context, second.context);
    EXPECT_EQ(now(), first.context);
    EXPECT_EQ(driver.set_current(nullptr), 0);
    EXPECT_EQ(now(), second.context);
    std::thread([&] { EXPECT_EQ(driver.pop(nullptr), invalid_context); }).join();
    EXPECT_EQ(driver.pop(nullptr), 0);
    EXPECT_EQ(now(), nullptr);
    EXPECT_EQ(driver.pop(nullptr), invalid_context);
    EXPECT_EQ(driver.push(nullptr), invalid_context);
    EXPECT_EQ(driver.set_current(nullptr), 0);
  });
}

TEST(CudaStandIn, an_active_context_has_a_number_of_its_own) {
  in_process({}, [] {
    unsigned long long one = 0, other = 0, again = 0;
    unsigned flags = 1;
    int active = -1;
    EXPECT_EQ(driver.init(0), 0);
    EXPECT_EQ(driver.state(0, &flags, &active), 0);
    EXPECT_EQ(active, 0);
    EXPECT_EQ(driver.id(nullptr, &one), invalid_context);
    const Gpu first(0), second(1);
    EXPECT_EQ(driver.state(0, &flags, &active), 0);
    EXPECT_EQ(active, 1);
    EXPECT_EQ(driver.id(first.context, &one), 0);
    EXPECT_EQ(driver.id(nullptr, &other), 0);
    EXPECT_NE(one, other);
    EXPECT_EQ(driver.reset(0), 0);
    EXPECT_EQ(driver.id(first.context, &again), destroyed);
    const Gpu first_again(0);
    EXPECT_EQ(driver.id(nullptr, &again), 0);
    EXPECT_NE(again, one);
    EXPECT_EQ(driver.set_flags(0x80), 0);
    EXPECT_EQ(driver.state(0, &flags, &active), 0);
    EXPECT_EQ(flags, 0x80u);
    EXPECT_EQ(driver.set_flags(0x100), invalid_value);
  });
}

TEST(CudaStandIn, copies_between_gpus_wait_only_where_the_context_says_so) {
  in_process({}, [] {
    constexpr unsigned sync_memops = 0x80;
    const Gpu gpu(0);
    const Address from = gpu.memory(64), to = gpu.memory(64);
    auto* const value = pinned<std::uint32_t>(1);
    EXPECT_EQ(driver.wait32(nullptr, address_of(value), 1, at_least), 0);
    EXPECT_EQ(driver.copy_now(to, from, 64), 0);
    EXPECT_EQ(driver.query(nullptr), not_ready);
    EXPECT_EQ(driver.set_flags(sync_memops), 0);
    std::thread other([&] { *value = 1; });
    EXPECT_EQ(driver.copy_now(to, from, 64), 0);
    EXPECT_EQ(driver.query(nullptr), 0);
    other.join();
  });
}

TEST(CudaStandIn, finds_a_function_by_its_name_without_version) {
  in_process({}, [] {
    void* found = nullptr;
    int status = -1;
    EXPECT_EQ(driver.find("cuMemAlloc", &found, 12000, 0, &status), 0);
    EXPECT_EQ(found, reinterpret_cast<void*>(driver.allocate));
    EXPECT_EQ(status, 0);
    EXPECT_EQ(driver.find("cuCtxSetFlags", &found, 12010, 0, nullptr), 0);
    EXPECT_EQ(found, reinterpret_cast<void*>(driver.set_flags));
    EXPECT_EQ(driver.find("cuNothing", &found, 12000, 0, &status), 0);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(driver.find("cuMemAlloc", &found, 2000, 0, &status), 0);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(status, 2);
  });
}

TEST(CudaStandIn, does_not_outlive_a_fork) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Address at = gpu.memory(64);
    EXPECT_EQ(driver.set(at, 1, 64, gpu.stream), 0);
    in_process({}, [&] {
      Address other = 0;
      EXPECT_EQ(driver.init(0), not_initialized);
      EXPECT_EQ(driver.allocate(&other, 64), not_initialized);
      EXPECT_EQ(driver.query(gpu.stream), not_initialized);
    });
    EXPECT_EQ(finish(gpu.stream), 0);
  });
}

TEST(CudaStandIn, memory_of_a_gpu_is_no_memory_of_the_processor) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Address at = gpu.memory(64);
    for (const bool writes : {false, true}) {
      const int status = end_of(start({}, [&] {
        ::signal(SIGSEGV, SIG_DFL);
        auto* const byte = reinterpret_cast<volatile char*>(at);
        if (writes)
          *byte = 1;
        else
          static_cast<void>(*byte);
      }));
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
    }
  });
}

TEST(CudaStandIn, memory_of_a_gpu_is_limited) {
  in_process({{"CUDA_STAND_IN_MEMORY", "1048576"}}, [] {
    const Gpu gpu(0);
    const Address half = gpu.memory(524288);
    gpu.memory(524288);
    Address at = 0;
    EXPECT_EQ(driver.allocate(&at, 1), out_of_memory);
    EXPECT_EQ(driver.release(half), 0);
    EXPECT_EQ(driver.release(half), invalid_value);
    std::size_t free = 0, total = 0;
    EXPECT_EQ(driver.memory(&free, &total), 0);
    EXPECT_EQ(free, 524288u);
    EXPECT_EQ(total, 1048576u);
    gpu.memory(524288);
    Gpu(1).memory(1048576);
    EXPECT_EQ(driver.total(&total, 1), 0);
    EXPECT_EQ(total, 1048576u);
  });
}

TEST(CudaStandIn, writes_and_verifies_contents) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Contents contents;
    constexpr std::size_t room = 5000;
    constexpr std::uint64_t key = 0x1234567890abcdef;
    const Address at = gpu.memory(room), sum = gpu.memory(8);
    auto* const host = pinned_bytes(room);
    auto* const wrong = pinned<std::uint64_t>(1);
    const auto count = [&](Address from, std::uint64_t bytes, std::uint64_t of) {
      EXPECT_EQ(driver.set(sum, 0, 8, gpu.stream), 0);
      EXPECT_EQ(contents.count(from, bytes, of, sum, gpu.stream), 0);
      gpu.copy(address_of(wrong), sum, 8);
      return wrong->load();
    };
    for (const std::size_t offset : {0, 1, 5})
      for (const std::size_t bytes : {0, 1, 7, 8, 9, 4099}) {
        EXPECT_EQ(driver.set(at, 0xaa, room, gpu.stream), 0);
        EXPECT_EQ(contents.fill(at + offset, bytes, key, gpu.stream), 0);
        gpu.copy(address_of(host), at, room);
        for (std::size_t i = 0; i < room; ++i) {
          const bool is_within = i >= offset && i < offset + bytes;
          const std::uint64_t of = i - offset;
          const auto word = mix(key ^ (of / 8 * 8));
          const auto expected = is_within ? static_cast<std::uint8_t>(word >> (of % 8 * 8)) : 0xaa;
          ASSERT_EQ(host[i], expected) << offset << " " << bytes << " " << i;
        }
        EXPECT_EQ(count(at + offset, bytes, key), 0u);
        EXPECT_EQ(count(at + offset, bytes, key + 1), (bytes + 7) / 8);
        if (bytes == 0) continue;
        host[offset + bytes - 1] ^= 1, host[offset] ^= 0x80;
        gpu.copy(at, address_of(host), room);
        EXPECT_EQ(count(at + offset, bytes, key), bytes > 8 ? 2u : 1u);
      }
  });
}

TEST(CudaStandIn, copies_and_sets_words_by_a_kernel_and_without) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Contents contents;
    const Address from = gpu.memory(64), to = gpu.memory(64);
    auto* const host = pinned<std::uint32_t>(16);
    EXPECT_EQ(driver.set(to, 0, 64, gpu.stream), 0);
    EXPECT_EQ(driver.set_words(from, 0x01020304, 16, gpu.stream), 0);
    EXPECT_EQ(driver.set_words(from + 4, 5, 1, gpu.stream), 0);
    EXPECT_EQ(driver.set_words(from + 2, 5, 1, gpu.stream), invalid_value);
    EXPECT_EQ(driver.set_words(from, 5, 17, gpu.stream), invalid_value);
    EXPECT_EQ(contents.copy(to, from, 9, gpu.stream), 0);
    gpu.copy(address_of(host), to, 64);
    EXPECT_EQ(host[0], 0x01020304u);
    EXPECT_EQ(host[1], 5u);
    EXPECT_EQ(host[2], 4u);
    EXPECT_EQ(host[3], 0u);
  });
}

TEST(CudaStandIn, copies_between_all_kinds_of_memory) {
  in_process({}, [] {
    const Gpu second(1), gpu(0);
    constexpr std::size_t bytes = 1000;
    void* const shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(driver.enter(shared, bytes, 3), 0);
    Address managed = 0, registered = 0;
    EXPECT_EQ(driver.address_of(&registered, shared, 0), 0);
    EXPECT_EQ(driver.allocate_managed(&managed, bytes, 1), 0);
    std::vector<std::uint8_t> pageable(bytes), expected(bytes);
    const std::vector<Address> places{gpu.memory(bytes),
                                      second.memory(bytes),
                                      managed,
                                      registered,
                                      address_of(pinned_bytes(bytes)),
                                      address_of(pageable.data())};
    gpu.use();
    std::uint8_t round = 0;
    for (const Address to : places)
      for (const Address from : places) {
        if (to == from) continue;
        for (auto& byte : expected) byte = static_cast<std::uint8_t>(++round + (&byte - expected.data()) / 7);
        std::vector<std::uint8_t> there(bytes);
        EXPECT_EQ(driver.copy_now(from, address_of(expected.data()), bytes), 0);
        gpu.copy(to + 1, from + 1, bytes - 1);
        EXPECT_EQ(driver.copy_now(address_of(there.data()), to, bytes), 0);
        EXPECT_TRUE(std::equal(there.begin() + 1, there.end(), expected.begin() + 1));
      }
    const Address device = places[0], other = places[1];
    EXPECT_EQ(driver.copy_to_device(device, expected.data(), bytes, gpu.stream), 0);
    EXPECT_EQ(driver.copy_on_device(other, device, bytes, gpu.stream), 0);
    EXPECT_EQ(driver.copy_to_host(pageable.data(), other, bytes, gpu.stream), 0);
    EXPECT_EQ(pageable, expected);  // a copy to pageable memory has ended when the call returns
    EXPECT_EQ(driver.copy_to_host(pageable.data(), address_of(expected.data()), bytes, gpu.stream),
              invalid_value);
    EXPECT_EQ(driver.copy_to_device(device, reinterpret_cast<void*>(other), bytes, gpu.stream),
              invalid_value);
    EXPECT_EQ(driver.leave(shared), 0);
    EXPECT_EQ(driver.leave(shared), 713);
  });
}

TEST(CudaStandIn, a_stream_works_in_order_and_holds_no_other_up) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Handle other = gpu.new_stream();
    const Address flag = gpu.memory(4), at = gpu.memory(256);
    auto* const seen = pinned<std::uint8_t>(256);
    EXPECT_EQ(driver.set(flag, 0, 4, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), 0);

    EXPECT_EQ(driver.wait32(gpu.stream, flag, 7, at_least), 0);
    EXPECT_EQ(driver.set(at, 1, 256, gpu.stream), 0);
    EXPECT_EQ(driver.copy(address_of(seen), at, 256, gpu.stream), 0);
    EXPECT_EQ(driver.set(at, 2, 256, gpu.stream), 0);
    for (int i = 0; i < 3; ++i) {  // each time, the thread that serves looks at the first stream, too
      EXPECT_EQ(driver.set(at, 3, 256, other), 0);
      EXPECT_EQ(driver.synchronize(other), 0);
    }
    EXPECT_EQ(driver.query(gpu.stream), not_ready);
    EXPECT_EQ(seen[255], 0);
    EXPECT_EQ(driver.write32(other, flag, 8, 0), 0);
    EXPECT_EQ(driver.synchronize(gpu.stream), 0);
    EXPECT_EQ(seen[255], 1);
    gpu.copy(address_of(seen), at, 256);
    EXPECT_EQ(seen[255], 2);
  });
}

TEST(CudaStandIn, the_legacy_stream_and_the_blocking_ones_wait_for_each_other) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Handle blocking = gpu.new_stream(0);
    auto* const flags = pinned<std::uint32_t>(3);
    EXPECT_EQ(driver.wait32(nullptr, address_of(flags), 1, equal), 0);
    EXPECT_EQ(driver.write32(blocking, address_of(flags + 1), 1, 0), 0);
    EXPECT_EQ(driver.write32(gpu.stream, address_of(flags + 2), 1, 0), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    EXPECT_EQ(flags[1], 0u);
    EXPECT_EQ(flags[2], 1u);
    flags[0] = 1;
    EXPECT_EQ(finish(blocking), 0);
    EXPECT_EQ(driver.query(nullptr), 0);
    EXPECT_EQ(flags[1], 1u);
  });
}

TEST(CudaStandIn, events_tell_what_has_ended) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Handle other = gpu.new_stream();
    auto* const flags = pinned<std::uint32_t>(2);
    Handle start = nullptr, end = nullptr;
    float milliseconds = -1;
    EXPECT_EQ(driver.make_event(&start, 0), 0);
    EXPECT_EQ(driver.make_event(&end, 0), 0);
    EXPECT_EQ(driver.query_event(end), 0);
    EXPECT_EQ(driver.elapsed(&milliseconds, start, end), invalid_handle);
    EXPECT_EQ(driver.record(start, gpu.stream), 0);
    EXPECT_EQ(driver.wait32(gpu.stream, address_of(flags), 1, equal), 0);
    EXPECT_EQ(driver.record(end, gpu.stream), 0);
    EXPECT_EQ(driver.wait_event(other, end, 0), 0);
    EXPECT_EQ(driver.write32(other, address_of(flags + 1), 1, 0), 0);
    EXPECT_EQ(driver.query_event(end), not_ready);
    EXPECT_EQ(driver.elapsed(&milliseconds, start, end), not_ready);
    EXPECT_EQ(flags[1], 0u);
    flags[0] = 1;
    EXPECT_EQ(finish(other), 0);
    EXPECT_EQ(flags[1], 1u);
    EXPECT_EQ(driver.query_event(end), 0);
    EXPECT_EQ(driver.elapsed(&milliseconds, start, end), 0);
    EXPECT_GE(milliseconds, 0);
    EXPECT_EQ(driver.destroy_event(end), 0);
    EXPECT_EQ(driver.query_event(end), invalid_handle);
  });
}

template <class Word>
void wait_for_all_conditions(const Gpu& gpu, int (*wait)(Handle, Address, Word, unsigned),
                             int (*write)(Handle, Address, Word, unsigned)) {
  struct Case {
    unsigned flags;
    Word value, too_early, in_time;
  };
  constexpr auto top = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1)),
                 all = static_cast<Word>(~Word{0});
  const Handle other = gpu.new_stream();
  const Address at = gpu.memory(sizeof(Word));
  for (const Case& each : {Case{at_least, 5, 4, 5}, Case{at_least, 5, static_cast<Word>(top + 5), 6},
                           Case{at_least, 2, all, 2}, Case{at_least, all, static_cast<Word>(all - 1), 3},
                           Case{equal, 5, 6, 5}, Case{common_bits, top | 1, 2, static_cast<Word>(top | 2)},
                           Case{nor, 1, static_cast<Word>(all - 1), static_cast<Word>(all - 2)}}) {
    EXPECT_EQ(write(other, at, each.too_early, 0), 0);
    EXPECT_EQ(finish(other), 0);
    EXPECT_EQ(wait(gpu.stream, at, each.value, each.flags), 0);
    EXPECT_EQ(write(other, at, each.too_early, 0), 0);
    EXPECT_EQ(finish(other), 0);
    EXPECT_EQ(driver.query(gpu.stream), not_ready)
        << each.flags << " " << each.value << " " << each.too_early;
    EXPECT_EQ(write(other, at, each.in_time, 0), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
  }
}

TEST(CudaStandIn, a_stream_calls_back_in_its_order) {
  in_process({}, [] {
    const Gpu gpu(0);
    auto* const value = pinned<std::uint32_t>(1);
    static std::atomic<int> called{0};
    const auto count = [](Handle, int status, void* by) {
      if (status == 0) called += *static_cast<int*>(by);
    };
    int by = 3;
    EXPECT_EQ(driver.wait32(gpu.stream, address_of(value), 1, at_least), 0);
    EXPECT_EQ(driver.call_back(gpu.stream, count, &by, 0), 0);
    EXPECT_EQ(driver.call_back(gpu.stream, count, &by, 1), invalid_value);
    EXPECT_EQ(driver.query(gpu.stream), not_ready);
    EXPECT_EQ(called, 0);
    *value = 1;
    EXPECT_EQ(finish(gpu.stream), 0);
    EXPECT_EQ(called, 3);
  });
}

TEST(CudaStandIn, streams_wait_for_values) {
  in_process({}, [] {
    const Gpu gpu(0);
    wait_for_all_conditions<std::uint32_t>(gpu, driver.wait32, driver.write32);
    wait_for_all_conditions<std::uint64_t>(gpu, driver.wait64, driver.write64);
    const Address at = gpu.memory(16);
    Address managed = 0;
    std::uint32_t pageable = 0;
    EXPECT_EQ(driver.allocate_managed(&managed, 8, 1), 0);
    EXPECT_EQ(driver.wait32(gpu.stream, managed, 0, equal), invalid_value);
    EXPECT_EQ(driver.wait32(gpu.stream, address_of(&pageable), 0, equal), invalid_value);
    EXPECT_EQ(driver.wait64(gpu.stream, at + 4, 0, equal), invalid_value);
    EXPECT_EQ(driver.wait32(gpu.stream, at + 16, 0, equal), invalid_value);
    EXPECT_EQ(driver.wait32(gpu.stream, at, 0, 4), invalid_value);
    EXPECT_EQ(driver.write32(gpu.stream, at, 0, 1), invalid_value);
  });
}

std::uint64_t wrong(const Gpu& gpu, const Contents& contents, Address at, std::uint64_t bytes,
                    std::uint64_t key) {
  auto* const sum = pinned<std::uint64_t>(1);
  EXPECT_EQ(contents.count(at, bytes, key, address_of(sum), gpu.stream), 0);
  EXPECT_EQ(finish(gpu.stream), 0);
  return sum->load();
}

// Their streams wait for each other by values in memory of a GPU, and in host memory that both have
// registered.
TEST(CudaStandIn, processes_share_memory) {
  constexpr std::size_t bytes = 4096;
  constexpr std::uint64_t first_key = 77, second_key = 99;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const Address on_host = address_of(mapped);
  Pipe to_user, to_owner;
  const pid_t owner = start({}, [&] {
    const Gpu gpu(0);
    const Contents contents;
    EXPECT_EQ(driver.enter(mapped, bytes, 3), 0);
    const Address at = gpu.memory(bytes + 8), flag = at + bytes;
    EXPECT_EQ(driver.set(flag, 0, 8, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    Shared handle;
    Address again = 0;
    EXPECT_EQ(driver.share(&handle, at + 8), invalid_value);
    EXPECT_EQ(driver.share(&handle, on_host), invalid_value);
    EXPECT_EQ(driver.share(&handle, at), 0);
    EXPECT_EQ(driver.open(&again, handle, 1), invalid_context);
    to_user.send(handle);
    EXPECT_EQ(contents.fill(at, bytes, first_key, gpu.stream), 0);
    EXPECT_EQ(driver.write32(gpu.stream, flag, 1, 0), 0);
    EXPECT_EQ(driver.wait64(gpu.stream, on_host + 8, 1, at_least), 0);
    EXPECT_EQ(wrong(gpu, contents, at, bytes, second_key), 0u);
    to_owner.receive<char>();  // closed there
    EXPECT_EQ(driver.release(at), 0);
    to_user.send(handle);
    for (int i = 0; i < 4; ++i) again = gpu.memory(bytes + 8);  // the first has the same number of a file
    to_owner.receive<char>();
    EXPECT_EQ(driver.share(&handle, again), 0);
    to_user.send(handle);
  });
  const pid_t user = start({}, [&] {
    to_user.close_writer();
    const Gpu gpu(1);
    const Contents contents;
    EXPECT_EQ(driver.enter(mapped, bytes, 3), 0);
    auto handle = to_user.receive<Shared>();
    Address at = 0, again = 0;
    EXPECT_EQ(driver.open(&at, handle, 0), invalid_value);
    EXPECT_EQ(driver.open(&at, handle, 1), 0);
    EXPECT_EQ(driver.open(&again, handle, 1), 0);
    EXPECT_EQ(at, again);
    EXPECT_EQ(driver.wait32(gpu.stream, at + bytes, 1, equal), 0);
    EXPECT_EQ(wrong(gpu, contents, at, bytes, first_key), 0u);
    EXPECT_EQ(contents.fill(at, bytes, second_key, gpu.stream), 0);
    EXPECT_EQ(driver.write64(gpu.stream, on_host + 8, 1, 0), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    EXPECT_EQ(driver.share(&handle, at), invalid_value);
    EXPECT_EQ(driver.release(at), invalid_value);
    EXPECT_EQ(driver.close(at), 0);
    EXPECT_EQ(driver.close(at), 0);
    EXPECT_EQ(driver.close(at), invalid_value);
    to_owner.send('c');
    handle = to_user.receive<Shared>();
    EXPECT_EQ(driver.open(&at, handle, 1), map_failed) << "freed";
    to_owner.send('o');
    handle = to_user.receive<Shared>();
    to_user.wait_for_end();
    EXPECT_EQ(driver.open(&at, handle, 1), map_failed) << "its owner has ended";
    EXPECT_EQ(driver.open(&at, Shared{}, 1), invalid_handle);
  });
  to_user.close_writer();
  EXPECT_EQ(end_of(owner), 0);
  EXPECT_EQ(end_of(user), 0);
}

// At addresses of its own; what the driver answers to the last call that was made.
struct Mapped {
  Mapped(Address memory, int gpu) {
    const Access access{.location = {1, gpu}};
    EXPECT_EQ(driver.reserve(&at, block, 0, 0, 0), 0);
    if ((status = driver.map(at, block, 0, memory, 0)) == 0)
      status = driver.set_access(at, block, &access, 1);
  }
  Address at = 0;
  int status = 0;
};

const Settings in_domain{{"CUDA_STAND_IN_FABRIC", "rack"}};

TEST(CudaStandIn, memory_without_addresses_can_be_mapped) {
  in_process({{"CUDA_STAND_IN_FABRIC", "rack"}, {"CUDA_STAND_IN_MEMORY", "4194304"}}, [] {
    const Gpu other(1), gpu(0);
    const Contents contents;
    const Properties properties, no_handle{.handles = 0}, of_files{.handles = 1}, of_none{.location = {1, 2}};
    const Access access, of_other{.location = {1, 1}}, nothing{.allowed = 0};
    std::size_t step = 0, free = 0, total = 0;
    Address memory = 0, plain = 0, more = 0, at = 0, again = 0;
    int has_handles = 0;
    EXPECT_EQ(driver.attribute(&has_handles, 128, 0), 0);
    EXPECT_EQ(has_handles, 1);
    EXPECT_EQ(driver.granularity(&step, &properties, 1), 0);
    EXPECT_EQ(step, block);
    EXPECT_EQ(driver.create(&memory, block + 1, &properties, 0), invalid_value);
    EXPECT_EQ(driver.create(&memory, block, &of_files, 0), not_supported);
    EXPECT_EQ(driver.create(&memory, block, &of_none, 0), invalid_device);
    EXPECT_EQ(driver.create(&memory, block, &properties, 0), 0);
    EXPECT_EQ(driver.create(&plain, block, &no_handle, 0), 0);
    EXPECT_EQ(driver.create(&more, block, &properties, 0), out_of_memory);
    EXPECT_EQ(driver.release_created(plain), 0);
    EXPECT_EQ(driver.release_created(plain), invalid_value);

    EXPECT_EQ(driver.reserve(&at, 100, 0, 0, 0), invalid_value);
    EXPECT_EQ(driver.reserve(&at, 2 * block, 0, 0, 0), 0);
    EXPECT_EQ(driver.map(at, block + 1, 0, memory, 0), invalid_value);
    EXPECT_EQ(driver.map(at, 2 * block, 0, memory, 0), invalid_value) << "longer than the memory";
    EXPECT_EQ(driver.map(at + 2 * block, block, 0, memory, 0), invalid_value) << "not reserved";
    EXPECT_EQ(driver.set(at, 1, 8, gpu.stream), invalid_value) << "not mapped";
    EXPECT_EQ(driver.map(at, block, 0, memory, 0), 0);
    EXPECT_EQ(driver.map(at, block, 0, memory, 0), invalid_value) << "mapped";
    EXPECT_EQ(driver.set(at, 1, 8, gpu.stream), invalid_value) << "not allowed";
    EXPECT_EQ(driver.set_access(at, block, &access, 1), 0);
    EXPECT_EQ(driver.map(at + block, block, 0, memory, 0), 0);
    EXPECT_EQ(driver.set_access(at + block, block, &of_other, 1), 0);
    EXPECT_EQ(driver.release_created(memory), 0);

    Properties told{.handles = 0, .location = {0, 7}};
    EXPECT_EQ(driver.retain_created(&memory, reinterpret_cast<void*>(at + 5)), 0);
    EXPECT_EQ(driver.properties(&told, memory), 0);
    EXPECT_EQ(std::memcmp(&told, &properties, sizeof told), 0);
    EXPECT_EQ(driver.release_created(memory), 0);
    EXPECT_EQ(driver.properties(&told, memory), invalid_value);
    EXPECT_EQ(driver.retain_created(&memory, pinned_bytes(8)), invalid_value);

    EXPECT_EQ(contents.fill(at, block, 5, gpu.stream), 0);
    EXPECT_EQ(wrong(gpu, contents, at, block, 5), 0u);
    EXPECT_EQ(driver.write32(gpu.stream, at + block, 1, 0), invalid_value) << "the other GPU's";
    other.use();
    auto* const bytes = pinned_bytes(8);
    other.copy(address_of(bytes), at + block, 8);
    EXPECT_EQ(bytes[0], static_cast<std::uint8_t>(mix(5)));
    gpu.use();

    Shared handle;
    EXPECT_EQ(driver.share(&handle, at), invalid_value);
    EXPECT_EQ(driver.release(at), invalid_value);
    EXPECT_EQ(driver.set_access(at, block, &nothing, 1), 0);
    EXPECT_EQ(driver.set(at, 1, 8, gpu.stream), invalid_value);
    EXPECT_EQ(driver.unmap(at, 2 * block), invalid_value);
    EXPECT_EQ(driver.unmap(at, block), 0);
    EXPECT_EQ(driver.unreserve(at, 2 * block), invalid_value) << "half of it is mapped";
    EXPECT_EQ(driver.memory(&free, &total), 0);
    EXPECT_EQ(free, block);
    EXPECT_EQ(driver.unmap(at + block, block), 0);
    EXPECT_EQ(driver.memory(&free, &total), 0);
    EXPECT_EQ(free, 2 * block) << "the memory goes with the last mapping";
    EXPECT_EQ(driver.unreserve(at, block), invalid_value);
    EXPECT_EQ(driver.unreserve(at, 2 * block), 0);
    EXPECT_EQ(driver.reserve(&again, block, 0, 0, 0), 0);
    const int status = end_of(start({}, [&] {
      ::signal(SIGSEGV, SIG_DFL);
      static_cast<void>(*reinterpret_cast<volatile char*>(again));
    }));
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  });
}

TEST(CudaStandIn, without_a_domain_no_memory_has_a_fabric_handle) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Properties properties, no_handle{.handles = 0};
    Address memory = 0;
    Shared handle{};
    int has_handles = 1;
    EXPECT_EQ(driver.attribute(&has_handles, 128, 0), 0);
    EXPECT_EQ(has_handles, 0);
    EXPECT_EQ(driver.create(&memory, block, &properties, 0), not_supported);
    EXPECT_EQ(driver.create(&memory, block, &no_handle, 0), 0);
    EXPECT_EQ(driver.export_handle(&handle, memory, fabric, 0), invalid_value);
    EXPECT_EQ(driver.import_handle(&memory, &handle, fabric), invalid_value);
  });
}

TEST(CudaStandIn, processes_of_one_domain_share_memory_by_fabric_handles) {
  Pipe to_user, to_owner;
  const pid_t owner = start(in_domain, [&] {
    const Gpu gpu(0);
    const Contents contents;
    const Properties properties;
    Address memory = 0, own = 0;
    Shared handle{};
    EXPECT_EQ(driver.create(&memory, block, &properties, 0), 0);
    EXPECT_EQ(driver.export_handle(&handle, memory, 1, 0), invalid_value);
    EXPECT_EQ(driver.export_handle(&handle, memory, fabric, 0), 0);
    const Mapped mapped(memory, 0);
    EXPECT_EQ(mapped.status, 0);
    EXPECT_EQ(contents.fill(mapped.at, block, 77, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    EXPECT_EQ(driver.import_handle(&own, &handle, fabric), 0) << "by the same process, too";
    EXPECT_EQ(driver.release_created(own), 0);
    EXPECT_EQ(driver.release_created(memory), 0);
    to_user.send(handle);
    to_owner.receive<char>();
    EXPECT_EQ(wrong(gpu, contents, mapped.at, block, 99), 0u);
    EXPECT_EQ(driver.unmap(mapped.at, block), 0);
    to_user.send('u');
    to_owner.receive<char>();
  });
  const auto handle = to_user.receive<Shared>();
  in_process({{"CUDA_STAND_IN_FABRIC", "other"}}, [&] {
    const Gpu gpu(0);
    Shared theirs = handle;
    Address memory = 0;
    EXPECT_EQ(driver.import_handle(&memory, &theirs, fabric), not_permitted);
  });
  in_process(in_domain, [&] {
    const Gpu gpu(1);
    const Contents contents;
    Shared theirs = handle;
    Address memory = 0, again = 0;
    EXPECT_EQ(driver.import_handle(&memory, &theirs, 1), invalid_value);
    EXPECT_EQ(driver.import_handle(&memory, &theirs, fabric), 0);
    EXPECT_EQ(driver.export_handle(&theirs, memory, fabric, 0), invalid_value);
    const Mapped mapped(memory, 1);
    EXPECT_EQ(mapped.status, 0);
    EXPECT_EQ(driver.release_created(memory), 0);
    EXPECT_EQ(wrong(gpu, contents, mapped.at, block, 77), 0u);
    EXPECT_EQ(contents.fill(mapped.at, block, 99, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    to_owner.send('f');
    to_user.receive<char>();
    EXPECT_EQ(wrong(gpu, contents, mapped.at, block, 99), 0u) << "lives as long as it is mapped";
    EXPECT_EQ(driver.import_handle(&again, &theirs, fabric), invalid_handle) << "its owner has freed it";
    EXPECT_EQ(driver.unmap(mapped.at, block), 0);
    to_owner.send('e');
  });
  EXPECT_EQ(end_of(owner), 0);
}

TEST(CudaStandIn, refuses_what_the_driver_refuses) {
  in_process({}, [] {
    const Gpu gpu(0);
    const Address at = gpu.memory(100);
    std::array<char, 200> host{};
    Handle stream = nullptr;
    Address out = 0;
    void* pinned_at = nullptr;
    EXPECT_EQ(driver.copy(at, address_of(host.data()), 101, gpu.stream), invalid_value);
    EXPECT_EQ(driver.copy(at + 50, address_of(host.data()), 51, gpu.stream), invalid_value);
    EXPECT_EQ(driver.copy(at - 1, at, 10, gpu.stream), invalid_value);
    EXPECT_EQ(driver.copy(at, 64, 10, gpu.stream), invalid_value);
    EXPECT_EQ(driver.copy(0, at, 10, gpu.stream), invalid_value);
    EXPECT_EQ(driver.set(at, 0, 101, gpu.stream), invalid_value);
    EXPECT_EQ(driver.set(address_of(host.data()), 0, 1, gpu.stream), invalid_value);
    EXPECT_EQ(driver.copy(at, address_of(host.data()), 1, reinterpret_cast<Handle>(&host)), invalid_handle);
    EXPECT_EQ(driver.allocate(&out, 0), invalid_value);
    EXPECT_EQ(driver.allocate_managed(&out, 8, 0), invalid_value);
    EXPECT_EQ(driver.allocate_pinned(&pinned_at, 8, 8), invalid_value);
    EXPECT_EQ(driver.release(at + 1), invalid_value);
    EXPECT_EQ(driver.release_pinned(host.data()), invalid_value);
    EXPECT_EQ(driver.enter(host.data(), 100, 0), 0);
    EXPECT_EQ(driver.enter(host.data() + 50, 100, 0), 712);
    EXPECT_EQ(driver.copy(at, address_of(host.data()) + 50, 100, gpu.stream), invalid_value);
    EXPECT_EQ(driver.make_stream(&stream, 2), invalid_value);
    EXPECT_EQ(driver.destroy_stream(nullptr), invalid_handle);
    EXPECT_EQ(driver.load(&stream, "no text of a module"), invalid_ptx);
    EXPECT_EQ(driver.export_range(&out, at, 100, 1, 0), 801);

    Handle module = nullptr, function = nullptr;
    EXPECT_EQ(driver.load(&module, ".version 6.4 .entry everylink_fill(.param .entry another("), 0);
    EXPECT_EQ(driver.function(&function, module, "everylink_count_wrong"), not_found);
    EXPECT_EQ(driver.function(&function, module, "another"), not_found);
    EXPECT_EQ(driver.function(&function, module, "everylink_fill"), 0);
    std::array<void*, 3> arguments{&out, &out, &out};
    EXPECT_EQ(driver.launch(function, 1, 1, 1, 2048, 1, 1, 0, gpu.stream, arguments.data(), nullptr),
              invalid_value);
    EXPECT_EQ(driver.launch(module, 1, 1, 1, 1, 1, 1, 0, gpu.stream, arguments.data(), nullptr),
              invalid_handle);
    const Gpu other(1);
    EXPECT_EQ(driver.launch(function, 1, 1, 1, 1, 1, 1, 0, other.stream, arguments.data(), nullptr),
              invalid_handle);
    EXPECT_EQ(driver.unload(module), 0);
    EXPECT_EQ(driver.unload(module), invalid_handle);
    gpu.use();
    EXPECT_EQ(finish(gpu.stream), 0);
  });
}

TEST(CudaStandIn, tells_what_lies_at_an_address) {
  in_process({}, [] {
    const Gpu gpu(1);
    const Address device = gpu.memory(100), host = address_of(pinned_bytes(50));
    Address base = 0, managed = 0;
    std::size_t bytes = 0;
    unsigned kind = 0, is_managed = 0;
    int ordinal = -1;
    EXPECT_EQ(driver.range(&base, &bytes, device + 99), 0);
    EXPECT_EQ(base, device);
    EXPECT_EQ(bytes, 100u);
    EXPECT_EQ(driver.range(&base, &bytes, device + 100), not_found);
    EXPECT_EQ(driver.pointer(&kind, 2, device + 1), 0);
    EXPECT_EQ(kind, 2u);
    EXPECT_EQ(driver.pointer(&ordinal, 9, device), 0);
    EXPECT_EQ(ordinal, 1);
    EXPECT_EQ(driver.pointer(&base, 4, device), invalid_value);
    EXPECT_EQ(driver.pointer(&kind, 2, host), 0);
    EXPECT_EQ(kind, 1u);
    EXPECT_EQ(driver.pointer(&kind, 2, address_of(&kind)), invalid_value);
    EXPECT_EQ(driver.allocate_managed(&managed, 10, 1), 0);
    EXPECT_EQ(driver.pointer(&is_managed, 8, managed), 0);
    EXPECT_EQ(is_managed, 1u);
    EXPECT_EQ(driver.set_pointer(&kind, 6, device), 0);
    EXPECT_EQ(driver.set_pointer(&kind, 6, host), invalid_value);
    const int wanted[] = {2, 9, 12, 17};
    const void* pool = &pool;
    void* data[] = {&kind, &ordinal, &bytes, &pool};
    EXPECT_EQ(driver.pointers(4, wanted, data, device + 1), 0);
    EXPECT_EQ(kind, 2u);
    EXPECT_EQ(ordinal, 1);
    EXPECT_EQ(bytes, 100u);
    EXPECT_EQ(pool, nullptr);
    EXPECT_EQ(driver.pointers(4, wanted, data, address_of(&kind)), 0);
    EXPECT_EQ(kind, 0u);
    EXPECT_EQ(ordinal, 0);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(driver.pointers(0, wanted, data, device), invalid_value);
    int location = 0;
    EXPECT_EQ(driver.advice(&location, sizeof location, 2, managed, 10), 0);
    EXPECT_EQ(location, -2);
    EXPECT_EQ(driver.advice(&location, sizeof location, 2, managed, 11), invalid_value);
    EXPECT_EQ(driver.advice(&location, sizeof location, 2, device, 10), invalid_value);
  });
}

TEST(CudaStandIn, a_kernel_that_goes_astray_ends_its_context) {
  in_process({}, [] {
    const Gpu other(1), gpu(0);
    const Contents contents;
    const Address peer = other.memory(64);
    int can = 0;
    gpu.use();
    EXPECT_EQ(driver.can_access(&can, 0, 1), 0);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(driver.enable_access(other.context, 0), 0);
    EXPECT_EQ(driver.enable_access(other.context, 0), 704);
    EXPECT_EQ(contents.fill(peer, 64, 1, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), 0);
    std::uint64_t pageable = 0;
    EXPECT_EQ(contents.fill(address_of(&pageable), 8, 1, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), illegal_address);
    Address at = 0;
    EXPECT_EQ(driver.allocate(&at, 8), illegal_address);
    EXPECT_EQ(pageable, 0u);
    other.memory(8);
  });
  in_process({}, [] {  // without having asked for access to the peer
    const Gpu other(1), gpu(0);
    const Contents contents;
    const Address peer = other.memory(64);
    gpu.use();
    EXPECT_EQ(contents.fill(peer, 64, 1, gpu.stream), 0);
    EXPECT_EQ(finish(gpu.stream), illegal_address);
  });
}

TEST(CudaStandIn, memory_is_freed_after_the_work) {
  in_process({}, [] {
    const Gpu gpu(0);
    auto* const flag = pinned<std::uint32_t>(1);
    const Address at = gpu.memory(64);
    EXPECT_EQ(driver.wait32(gpu.stream, address_of(flag), 1, equal), 0);
    EXPECT_EQ(driver.set(at, 1, 64, gpu.stream), 0);
    std::thread later([&] { *flag = 1; });
    EXPECT_EQ(driver.release(at), 0);
    EXPECT_EQ(driver.query(gpu.stream), 0);
    later.join();
  });
  in_process(with("free-at-once"), [] {
    const Gpu gpu(0);
    auto* const flag = pinned<std::uint32_t>(1);
    EXPECT_EQ(driver.wait32(gpu.stream, address_of(flag), 1, equal), 0);
    EXPECT_EQ(driver.release(gpu.memory(64)), 0);
    EXPECT_EQ(driver.query(gpu.stream), not_ready);
  });
}

TEST(CudaStandInFaults, there_is_no_gpu) {
  in_process(with("no-driver"), [] { EXPECT_EQ(driver.init(0), no_device); });
  in_process(with("no-driver@2"), [] { EXPECT_EQ(driver.init(0), 0); });
}

TEST(CudaStandInFaults, memory_is_out) {
  in_process(with("out-of-memory@1"), [] {
    Address at = 0;
    Gpu(0).memory(8);
    const Gpu gpu(1);
    EXPECT_EQ(driver.allocate(&at, 8), out_of_memory);
    pinned_bytes(8);
  });
}

TEST(CudaStandInFaults, no_gpu_reaches_another) {
  Pipe to_user, to_owner;
  const pid_t owner = start({}, [&] {
    Shared handle;
    EXPECT_EQ(driver.share(&handle, Gpu(0).memory(8)), 0);
    to_user.send(handle);
    to_owner.receive<char>();
  });
  for (const std::string fault : {"no-peer", "no-peer@0"})
    in_process(with(fault), [&] {
      const Gpu other(0), gpu(1);
      int can = 1;
      EXPECT_EQ(driver.can_access(&can, 1, 0), 0);
      EXPECT_EQ(can, 0);
      EXPECT_EQ(driver.enable_access(other.context, 0), no_peer);
      if (fault == "no-peer@0") return;
      Address at = 0;
      EXPECT_EQ(driver.open(&at, to_user.receive<Shared>(), 1), no_peer);
      to_owner.send('c');
    });
  EXPECT_EQ(end_of(owner), 0);
}

TEST(CudaStandInFaults, calls_for_memory_without_addresses_are_refused) {
  const auto first_refused = [](const std::string& call) {
    const Gpu gpu(0);
    const Properties properties;
    const Access access;
    std::size_t step = 0;
    Address memory = 0, again = 0, at = 0;
    Shared handle{};
    const std::vector<std::pair<std::string, std::function<int()>>> calls{
        {"cuMemGetAllocationGranularity", [&] { return driver.granularity(&step, &properties, 0); }},
        {"cuMemCreate", [&] { return driver.create(&memory, block, &properties, 0); }},
        {"cuMemExportToShareableHandle", [&] { return driver.export_handle(&handle, memory, fabric, 0); }},
        {"cuMemImportFromShareableHandle", [&] { return driver.import_handle(&again, &handle, fabric); }},
        {"cuMemAddressReserve", [&] { return driver.reserve(&at, block, 0, 0, 0); }},
        {"cuMemMap", [&] { return driver.map(at, block, 0, memory, 0); }},
        {"cuMemSetAccess", [&] { return driver.set_access(at, block, &access, 1); }},
        {"cuMemUnmap", [&] { return driver.unmap(at, block); }},
        {"cuMemAddressFree", [&] { return driver.unreserve(at, block); }},
        {"cuMemRelease", [&] { return driver.release_created(memory); }}};
    for (const auto& [name, answer] : calls) {
      const int status = answer();
      EXPECT_EQ(status, name == call ? not_permitted : 0) << name;
      if (name == call) return;
    }
  };
  for (const std::string call :
       {"cuMemGetAllocationGranularity", "cuMemCreate", "cuMemExportToShareableHandle",
        "cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemUnmap",
        "cuMemAddressFree", "cuMemRelease"})
    in_process({{"CUDA_STAND_IN_FABRIC", "rack"}, {"CUDA_STAND_IN", "refused:" + call}},
               [&] { first_refused(call); });
  in_process({{"CUDA_STAND_IN_FABRIC", "rack"}, {"CUDA_STAND_IN", "refused:cuMemCreate@1"}},
             [&] { first_refused("none"); });
}

TEST(CudaStandInFaults, no_gpu_reaches_memory_of_another_that_it_maps) {
  in_process({{"CUDA_STAND_IN_FABRIC", "rack"}, {"CUDA_STAND_IN", "no-peer@1"}}, [] {
    const Gpu gpu(0);
    const Properties properties;
    Address memory = 0;
    EXPECT_EQ(driver.create(&memory, block, &properties, 0), 0);
    EXPECT_EQ(Mapped(memory, 1).status, no_peer);
    EXPECT_EQ(Mapped(memory, 0).status, 0);
  });
}

TEST(CudaStandInFaults, copies_bring_something_else) {
  const auto arrived = [](int ordinal, std::size_t bytes) {
    const Gpu gpu(ordinal);
    const Address at = gpu.memory(bytes);
    auto *const sent = pinned_bytes(bytes), *const got = pinned_bytes(bytes);
    for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::uint8_t>(i + 1);
    gpu.copy(at, address_of(sent), bytes);
    gpu.copy(address_of(got), at, bytes);
    return std::vector<int>(got, got + 3);
  };
  const std::vector<int> same{1, 2, 3};
  in_process(with("zeros@1"), [&] {
    EXPECT_EQ(arrived(0, 65), same);
    EXPECT_EQ(arrived(1, 64), same);
    EXPECT_EQ(arrived(1, 65), (std::vector<int>{0, 0, 0}));
  });
  in_process(with("swapped,out-of-memory@7"), [&] {
    EXPECT_EQ(arrived(0, 64), same);
    EXPECT_EQ(arrived(0, 65), (std::vector<int>{2, 1, 4}));
    EXPECT_EQ(arrived(1, 66), (std::vector<int>{2, 1, 4}));
  });
}

TEST(CudaStandInFaults, calls_fail_from_the_given_one_on) {
  for (const std::string gpu : {"", "@0", "@1"})
    for (std::size_t number = 1; number <= 5; ++number)
      in_process(with("error:" + std::to_string(number) + gpu), [&] {
        Handle context = nullptr, stream = nullptr;
        Address at = 0;
        EXPECT_EQ(driver.init(0), 0);
        std::vector<int> statuses{driver.retain(&context, 0), driver.set_current(context)};
        if (gpu == "@0") statuses.pop_back();  // a GPU was not yet current
        if (!context || statuses.back() == launch_failed) return;
        statuses.push_back(driver.make_stream(&stream, 1));
        statuses.push_back(driver.allocate(&at, 8));
        statuses.push_back(driver.set(at, 0, 8, stream));
        for (std::size_t i = 0; i < statuses.size(); ++i)
          EXPECT_EQ(statuses[i] == launch_failed, gpu != "@1" && i + 1 >= number) << i << " " << number;
        const char* name = nullptr;
        EXPECT_EQ(driver.error_name(launch_failed, &name), 0);
      });
}

// The other GPU shows that the thread that serves both has had its turn.
TEST(CudaStandInFaults, work_hangs) {
  for (const std::string fault : {"hang@0", "hang:2@0"})
    in_process(with(fault), [] {
      const Gpu other(1), gpu(0);
      auto* const values = pinned<std::uint32_t>(3);
      const Address at = gpu.memory(4);
      EXPECT_EQ(driver.write32(gpu.stream, address_of(values), 1, 0), 0);
      EXPECT_EQ(finish(gpu.stream), 0);
      EXPECT_EQ(driver.copy(at, address_of(values), 4, gpu.stream), 0);
      EXPECT_EQ(driver.write32(gpu.new_stream(), address_of(values + 1), 1, 0), 0);
      other.use();
      EXPECT_EQ(driver.write32(other.stream, address_of(values + 2), 1, 0), 0);
      EXPECT_EQ(finish(other.stream), 0);
      EXPECT_EQ(driver.query(gpu.stream), not_ready);
      EXPECT_EQ(values[0], 1u);
      EXPECT_EQ(values[1], 0u);
      EXPECT_EQ(values[2], 1u);
    });
}

TEST(CudaStandInFaults, the_driver_does_not_begin) {
  Pipe from;
  const pid_t process = start(with("hang-init"), [&] {
    from.send('b');
    static_cast<void>(driver.init(0));
    from.send('e');
  });
  EXPECT_EQ(from.receive<char>(), 'b');
  std::string state;
  while (state != "S") {  // it sleeps
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string number, name;
    ASSERT_TRUE(file >> number >> name >> state);
    ASSERT_NE(state, "Z");
    ::sched_yield();
  }
  EXPECT_EQ(::kill(process, SIGKILL), 0);
  EXPECT_EQ(end_of(process), SIGKILL);
  from.close_writer();
  from.wait_for_end();
}

TEST(CudaStandInFaults, a_name_that_is_not_known_ends_the_process) {
  for (const std::string fault :
       {"zeroes", "error", "error:0", "hang@", "zeros:3", "hang@1@2", "refused", "refused:cuMemAlloc"})
    EXPECT_EQ(WTERMSIG(end_of(start(with(fault), [] { static_cast<void>(driver.init(0)); }))), SIGABRT)
        << fault;
}

}  // namespace
}  // namespace everylink
