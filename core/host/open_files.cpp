// RLIMIT_NOFILE.
#include "host/open_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/errors.hpp"

namespace everylink {

void allow_open_files(int ranks) {
  constexpr rlim_t own = 64;        // libraries, results, the sockets of a link
  constexpr int most_direct = 512;  // control connections of rank 0; with more ranks they form a tree
  rlimit limit{};
  check_errno(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
  const rlim_t needed = own + static_cast<rlim_t>(std::min(ranks, most_direct));
  if (limit.rlim_max < needed)
    throw MachineError(
        fmt::format("only {} files may be open at once, but this run needs {}; ulimit -n {} allows them",
                    limit.rlim_max, needed, needed));
  limit.rlim_cur = limit.rlim_max;
  check_errno(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
}

}  // namespace everylink
