// Memory that a supervisor and its ranks share.
#include "bootstrap/attendance.hpp"

#include <sys/mman.h>

#include <cstddef>

#include "base/errors.hpp"

namespace everylink {

Attendance::Attendance(int ranks) {
  const std::size_t count = index(ranks);
  void* memory = ::mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("mmap");
  flags_ = {static_cast<Flag*>(memory), count};  // all false
}

Attendance::~Attendance() { ::munmap(flags_.data(), flags_.size()); }

}  // namespace everylink
