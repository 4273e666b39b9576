// The options of a mode: key=value,... after its name.
#pragma once

#include <map>
#include <string>

namespace everylink {

using Settings = std::map<std::string, std::string>;  // the values of a repeated key are joined by ';'

// "": not given.
inline std::string setting(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

}  // namespace everylink
