// Tries whether a descriptor and some memory can be had.
#include "host/shortage.hpp"

#include <sys/eventfd.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "base/descriptor.hpp"
#include "base/errors.hpp"

namespace everylink {

std::string shortage_now(int descriptors) {
  std::vector<Descriptor> held;
  for (int i = 0; i < descriptors; ++i)
    if (!held.emplace_back(::eventfd(0, EFD_CLOEXEC)).is_open()) return local_cause(errno);
  constexpr std::size_t some = 1 << 20;
  void* memory = ::mmap(nullptr, some, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return local_cause(errno);
  ::munmap(memory, some);
  return "";
}

void throw_of_library(const std::string& what) {
  constexpr int of_a_library = 32;
  if (auto cause = shortage_now(of_a_library); !cause.empty()) throw LocalFault(what, std::move(cause));
  throw MachineError(what);
}

}  // namespace everylink
