// Collects the log messages of UCX and parses the output of its print functions.
#include "transport/ucp/ucx_text.hpp"

#include <fmt/format.h>
#include <ucs/debug/log_def.h>

#include <algorithm>
#include <cstdarg>
#include <mutex>
#include <utility>

#include "base/units.hpp"
#include "host/shortage.hpp"

namespace everylink::ucx {

namespace {

std::mutex mutex;
std::string first_line;

// UCX's own thread calls it too.
ucs_log_func_rc_t keep_line(const char*, unsigned, const char*, ucs_log_level_t level,
                            const ucs_log_component_config_t*, const char* format, va_list arguments) {
  static const bool wanted = std::getenv("UCX_LOG_LEVEL") != nullptr;
  char text[1024];
  va_list copy;
  va_copy(copy, arguments);
  std::vsnprintf(text, sizeof text, format, copy);
  va_end(copy);
  const std::lock_guard lock(mutex);
  if (first_line.empty() && level <= UCS_LOG_LEVEL_WARN) first_line = text;
  return wanted || level == UCS_LOG_LEVEL_FATAL ? UCS_LOG_FUNC_RC_CONTINUE : UCS_LOG_FUNC_RC_STOP;
}

}  // namespace

void keep_log() {
  static const bool pushed = (ucs_log_push_handler(keep_line), true);
  static_cast<void>(pushed);
  take_log();
}

std::string take_log() {
  const std::lock_guard lock(mutex);
  return std::exchange(first_line, "");
}

std::string text_of(ucs_status_t status) {
  const std::string words = take_log();
  return words.empty() ? ucs_status_string(status) : fmt::format("{} ({})", ucs_status_string(status), words);
}

void check(ucs_status_t status, const char* call) {
  if (status != UCS_OK) throw_of_library(fmt::format("{}: {}", call, text_of(status)));
}

std::vector<std::string> ways_in(const std::string& text, const std::string& kind) {
  std::vector<std::string> ways;
  for (const auto& line : split(text, '\n')) {
    if (line.find(kind) == std::string::npos) continue;
    for (auto word : split(line, ' ')) {
      if (word.find('/') == std::string::npos) continue;
      if (const auto number = word.find_first_not_of("0123456789"); number > 0 && word[number] == ':') {
        word = word.substr(number + 1);
        word = word.substr(0, word.rfind('.'));  // the path, if one device has several
      }
      if (std::find(ways.begin(), ways.end(), word) == ways.end()) ways.push_back(word);
      break;
    }
  }
  return ways;
}

}  // namespace everylink::ucx
