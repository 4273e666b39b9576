// Looks up one key of Settings.
#pragma once

#include <string>

#include "base/types.hpp"

namespace everylink {

// "": not given.
inline std::string setting(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

}  // namespace everylink
