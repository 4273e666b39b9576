// errno as an exception.
#include "base/errors.hpp"

#include <cerrno>
#include <cstring>

namespace everylink {

void throw_errno(const std::string& what) { throw MachineError(what + ": " + std::strerror(errno)); }

int check_errno(int result, const char* call) {
  if (result < 0) throw_errno(call);
  return result;
}

}  // namespace everylink
