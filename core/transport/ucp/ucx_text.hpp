// Information that UCX gives only as text: log messages, resources and lanes.
#pragma once

#include <ucs/type/status.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace everylink::ucx {

// UCX logs errors. From this call on, keeps the first warning or error for our own message, because it names
// the cause, and prints nothing unless UCX_LOG_LEVEL is set.
void keep_log();
std::string take_log();  // the line kept since the last call; "": none

// The status and the kept line.
std::string text_of(ucs_status_t status);
void check(ucs_status_t status, const char* call);  // throws MachineError

// The output of a print function of UCX: in UCX 1.13 the only source of resources and lanes.
template <class Print>
std::string printed(Print print) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* stream = ::open_memstream(&text, &length);
  if (!stream) throw_errno("open_memstream");
  print(stream);
  std::fclose(stream);
  const std::string all(text, length);
  std::free(text);
  return all;
}

// The "transport/device" in each line of this kind, without repetitions, in the order of the lines:
// "resource 0 : md 0 dev 0 flags -- self/memory0", "lane[0]:  0:rc_mlx5/mlx5_0:1.0 md[0] -> ...".
std::vector<std::string> ways_in(const std::string& text, const std::string& kind);

}  // namespace everylink::ucx
