// errno as an exception.
#include "base/errors.hpp"

#include <cerrno>
#include <cstring>

namespace everylink {

std::string local_cause(int error) {
  switch (error) {
    case EMFILE: return "too many open files";
    case ENFILE: return "too many open files on the whole machine";
    case ENOMEM: return "not enough memory";
    case ENOBUFS: return "no memory for network buffers";
    case EADDRNOTAVAIL: return "no free port, or no such address";
    case EAFNOSUPPORT: return "the kernel does not support this kind of address";
    default: return "";
  }
}

void throw_of_output(const std::string& what, int error) {
  const std::string text = what + ": " + std::strerror(error);
  const bool of_disk = error == EIO || error == ENOSPC || error == EDQUOT;
  if (of_disk || !local_cause(error).empty()) throw MachineError(text);
  throw UsageError(text);
}

void throw_errno(const std::string& what) {
  const int error = errno;
  const std::string text = what + ": " + std::strerror(error);
  if (auto cause = local_cause(error); !cause.empty()) throw LocalFault(text, std::move(cause));
  throw MachineError(text);
}

int check_errno(int result, const char* call) {
  if (result < 0) throw_errno(call);
  return result;
}

}  // namespace everylink
