// What `everylink run --hosts` writes to the standard input of a host.
#include "bootstrap/host_task.hpp"

#include "base/units.hpp"
#include "fuzz.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(host_task) {
  HostTask task;
  for (const auto& line : split(fuzz::text_of(bytes), '\n'))
    if (task.obey(line)) {
      task.key_bytes();
      constexpr int few = 1024;
      if (task.size <= few) task.hosts_by_rank();
      return;
    }
}
