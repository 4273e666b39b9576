// NVIDIA's driver, loaded on request: the functions that Everylink calls, GPUs, and work that ends within a
// limit. No toolkit is needed to build or to run it. Names, types and values as the CUDA Driver API reference
// (docs.nvidia.com/cuda/cuda-driver-api) has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/memory.hpp"

namespace everylink::cuda {

// Memory of GPUs is allocated in such blocks, so that no two allocations share one: whole blocks are what
// adapters register and what other processes open.
inline constexpr std::size_t granularity = std::size_t{2} << 20;
constexpr std::size_t in_whole_blocks(std::size_t bytes) {
  return (bytes + granularity - 1) / granularity * granularity;
}

using Status = int;  // CUresult
inline constexpr Status success = 0;
using Pointer = std::uint64_t;   // CUdeviceptr
using Physical = std::uint64_t;  // CUmemGenericAllocationHandle: memory, which has no address yet
using Handle = struct Opaque*;   // CUcontext, CUstream, CUmodule, CUfunction

// Names an allocation to other processes (CUipcMemHandle, CUmemFabricHandle).
struct SharedHandle {
  std::array<std::byte, 64> bytes;
};

struct Location {    // CUmemLocation
  int kind, number;  // of a GPU: CU_MEM_LOCATION_TYPE_DEVICE, its ordinal
};
struct PropertiesOfMemory {  // CUmemAllocationProp
  int kind, handles;
  Location location;
  void* of_windows;
  std::array<std::uint8_t, 8> flags;
};
struct AccessToMemory {  // CUmemAccessDesc
  Location location;
  int allowed;
};

// The functions of this driver; all are there, unless a comment says otherwise.
struct Driver {
  Status (*init)(unsigned flags);
  Status (*error_name)(Status, const char**);
  Status (*error_text)(Status, const char**);
  Status (*version)(int*);  // 12040: CUDA 12.4
  Status (*count)(int*);
  Status (*device)(int* device, int ordinal);
  Status (*name)(char*, int size, int device);
  Status (*uuid)(std::uint8_t* of_16, int device);
  Status (*pci)(char*, int size, int device);
  Status (*attribute)(int*, int attribute, int device);
  Status (*retain)(Handle* context, int device);
  Status (*set_current)(Handle context);
  Status (*allocate)(Pointer*, std::size_t);
  Status (*release)(Pointer);
  Status (*allocate_managed)(Pointer*, std::size_t, unsigned flags);
  Status (*allocate_pinned)(void**, std::size_t, unsigned flags);
  Status (*release_pinned)(void*);
  Status (*copy)(Pointer to, Pointer from, std::size_t, Handle stream);  // host memory has addresses, too
  // Null with drivers of before CUDA 11.7.
  Status (*export_range)(void* handle, Pointer, std::size_t, int kind_of_handle, unsigned long long flags);
  Status (*fill_words)(Pointer, unsigned word, std::size_t count, Handle stream);
  Status (*share)(void* handle_of_64, Pointer);
  Status (*open_shared)(Pointer*, SharedHandle, unsigned flags);
  Status (*close_shared)(Pointer);
  Status (*wait_for_word)(Handle stream, Pointer, std::uint32_t, unsigned flags);
  Status (*write_word)(Handle stream, Pointer, std::uint32_t, unsigned flags);
  Status (*make_event)(Handle*, unsigned flags);
  Status (*destroy_event)(Handle);
  Status (*record)(Handle event, Handle stream);
  Status (*query_event)(Handle);
  Status (*make_stream)(Handle*, unsigned flags);
  Status (*destroy_stream)(Handle);
  Status (*query)(Handle stream);
  Status (*load)(Handle* module, const void* text);
  Status (*function)(Handle*, Handle module, const char* name);
  Status (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream, void** arguments,
                   void** extra);
  // Null with drivers of before CUDA 10.2.
  Status (*granularity)(std::size_t*, const PropertiesOfMemory*, int which);
  Status (*create)(Physical*, std::size_t, const PropertiesOfMemory*, unsigned long long flags);
  Status (*release_created)(Physical);
  Status (*export_handle)(void* handle, Physical, int kind_of_handle, unsigned long long flags);
  Status (*import_handle)(Physical*, void* handle, int kind_of_handle);
  Status (*reserve)(Pointer*, std::size_t, std::size_t alignment, Pointer wanted, unsigned long long flags);
  Status (*unreserve)(Pointer, std::size_t);
  Status (*map)(Pointer, std::size_t, std::size_t offset, Physical, unsigned long long flags);
  Status (*unmap)(Pointer, std::size_t);
  Status (*set_access)(Pointer, std::size_t, const AccessToMemory*, std::size_t count);
};

// "": there is a GPU that can be used; else one sentence. Never call it in a process that will fork ranks:
// what the driver has begun does not outlive a fork.
std::string why_unusable();
std::string version_of_cuda();  // what the driver supports: "12.4"

// What the driver calls this status: "CUDA_ERROR_OUT_OF_MEMORY, out of memory".
std::string text_of(Status);

// A GPU that this process may use. Ordinals follow PCI addresses, as in nvidia-smi, and skip what
// CUDA_VISIBLE_DEVICES hides.
struct Gpu {
  int ordinal = 0;
  std::string name, pci, uuid;  // "0000:18:00.0", "GPU-5a1c0f2e-..."
};
const std::vector<Gpu>& gpus();  // as found at the first call; empty: why_unusable() says why

// The context of one GPU, and a stream for work of our own. Throws LocalFault for what the GPU cannot do, and
// for work that does not end in time: neither is a fault of the network.
class Device {
 public:
  // Of functions.ptx.
  struct Functions {
    Handle fill, count_wrong, copy;
  };
  explicit Device(int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int ordinal() const { return ordinal_; }
  int attribute(int number) const;  // 0 for one that the driver does not know
  const Driver& driver() const { return driver_; }
  void check(Status, const char* call) const;
  Handle stream() const { return stream_; }
  const Functions& functions() const { return functions_; }
  int multiprocessors() const { return multiprocessors_; }
  // Makes this GPU the one that calls of this thread mean.
  void use() const;
  bool is_done(Status query, const char* what) const;  // of the query of a stream or event
  // Returns once all work of our stream has ended.
  void finish(const char* what) const;
  // Whether memory may be freed. The driver first waits for all work of this process, so once some may never
  // end, nothing is: the end of the process frees it.
  bool may_free() const { return may_free_; }
  void never_free() const { may_free_ = false; }
  // Gives the GPU something small to do, and returns once it has done it.
  void try_it() const;

 private:
  const Driver& driver_;
  const int ordinal_;
  int device_ = 0, multiprocessors_ = 1;
  mutable bool is_stuck_ = false, may_free_ = true;
  Pointer word_ = 0;  // for try_it
  Handle context_ = nullptr, stream_ = nullptr;
  Functions functions_{};
};
// The device is made once for each GPU, and lives as long as this process.
const Device& device_of(int ordinal);
// Gives the GPU something small to do. "": it has done it; else what it lacks, one sentence.
std::string why_stuck(int ordinal);

// A descriptor of the memory that network adapters can register (dma-buf); -1: this driver or GPU has none.
// The caller closes it.
int dma_buf_of(const Region&);

}  // namespace everylink::cuda
