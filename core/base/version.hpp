// The version, from CMakeLists.txt.
#pragma once

#include <string_view>

namespace everylink {

inline constexpr std::string_view version = EVERYLINK_VERSION;

}  // namespace everylink
