// What UCX says in words: its complaints, its resources, its lanes. Part of ucp.cpp, for its length.
#pragma once

#include <fmt/format.h>
#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink::ucx {

// UCX prints what it finds wrong; we keep the first sentence, which names the cause, for ours.
class Words {
 public:
  static void listen() {
    static const bool first = (ucs_log_push_handler(keep), true);
    static_cast<void>(first);
    take();
  }
  static std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, "");
  }

 private:
  // UCX's own thread calls it too.
  static ucs_log_func_rc_t keep(const char*, unsigned, const char*, ucs_log_level_t level,
                                const ucs_log_component_config_t*, const char* format, va_list arguments) {
    static const bool wanted = std::getenv("UCX_LOG_LEVEL") != nullptr;
    char text[1024];
    va_list copy;
    va_copy(copy, arguments);
    std::vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    const std::lock_guard lock(mutex_);
    if (first_.empty()) first_ = text;
    return wanted || level == UCS_LOG_LEVEL_FATAL ? UCS_LOG_FUNC_RC_CONTINUE : UCS_LOG_FUNC_RC_STOP;
  }
  static inline std::mutex mutex_;
  static inline std::string first_;
};

inline std::string said(ucs_status_t status) {
  const std::string words = Words::take();
  return words.empty() ? ucs_status_string(status) : fmt::format("{} ({})", ucs_status_string(status), words);
}

inline void check(ucs_status_t status, const char* call) {
  if (status != UCS_OK) throw MachineError(fmt::format("{}: {}", call, said(status)));
}

// What one of UCX's print functions writes: in 1.13 the only way to learn resources and lanes.
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

// The "transport/device" in each line of this kind, once, in their order: "resource 0 : md 0 dev 0 flags --
// self/memory0", "lane[0]:  0:rc_mlx5/mlx5_0:1.0 md[0] -> ...".
inline std::vector<std::string> ways_in(const std::string& text, const std::string& kind) {
  std::vector<std::string> ways;
  for (const auto& line : split(text, '\n')) {
    if (line.find(kind) == std::string::npos) continue;
    for (auto word : split(line, ' ')) {
      if (word.find('/') == std::string::npos) continue;
      if (const auto number = word.find_first_not_of("0123456789"); number > 0 && word[number] == ':') {
        word = word.substr(number + 1);
        word = word.substr(0, word.rfind('.'));  // the path, of several through one device
      }
      if (std::find(ways.begin(), ways.end(), word) == ways.end()) ways.push_back(word);
      break;
    }
  }
  return ways;
}

}  // namespace everylink::ucx
