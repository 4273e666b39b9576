// Memory of a GPU that other processes open: those of this host by a handle of CUDA IPC, those of every host
// in the GPU's NVLink domain by a fabric handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "memory/cuda/driver.hpp"

namespace everylink::cuda {

// "": memory of this GPU can have fabric handles; else why not, one sentence. Found out at the first call, by
// the smallest allocation.
const std::string& why_no_fabric(const Device&);

// What another process opens an allocation by.
struct Shared {
  SharedHandle handle{};
  std::uint64_t fabric_bytes = 0;  // how many bytes a fabric handle opens; 0: it is a handle of CUDA IPC

  bool is_fabric() const { return fabric_bytes > 0; }
  bool operator==(const Shared& other) const {
    return handle.bytes == other.handle.bytes && fabric_bytes == other.fabric_bytes;
  }
};

// Addresses at which this GPU reads and writes memory that has none: new, or of another process.
class Mapping {
 public:
  Mapping(const Device&, Physical, std::size_t bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Pointer at() const { return at_; }

 private:
  void undo();
  const Device& device_;
  const std::size_t bytes_;
  Pointer at_ = 0;
  bool is_mapped_ = false;
};

// Memory of a GPU, in whole blocks. With `for_hosts` it has a fabric handle, if memory of this GPU can have
// one: there is no handle of CUDA IPC for such memory. Throws LocalFault.
class Allocation {
 public:
  Allocation(const Device&, std::size_t bytes, bool for_hosts);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  Pointer at() const { return mapping_ ? mapping_->at() : at_; }
  bool is_fabric() const { return mapping_ != nullptr; }
  Shared share() const;

 private:
  const Device& device_;
  Pointer at_ = 0;
  std::unique_ptr<Mapping> mapping_;
  Shared fabric_;
};

// An allocation of another process. Throws LocalFault if this GPU cannot reach it.
class Opened {
 public:
  Opened(const Device&, const Shared&);
  ~Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  Pointer at() const { return mapping_ ? mapping_->at() : at_; }
  const Shared& what() const { return what_; }

 private:
  const Device& device_;
  const Shared what_;
  Pointer at_ = 0;
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace everylink::cuda
