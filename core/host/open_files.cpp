// RLIMIT_NOFILE.
#include "host/open_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/errors.hpp"

namespace everylink {

void allow_open_files(int connections) {
  constexpr rlim_t own = 64;  // libraries, results, the sockets of a link
  rlimit limit{};
  check_errno(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
  const rlim_t needed = own + static_cast<rlim_t>(connections);
  if (connections > 0 && limit.rlim_max < needed)
    throw MachineError(
        fmt::format("only {} files may be open at once, but this run needs {}; ulimit -n {} allows them",
                    limit.rlim_max, needed, needed));
  limit.rlim_cur = limit.rlim_max;
  check_errno(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
}

}  // namespace everylink
