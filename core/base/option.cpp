// The names of an option.
#include "base/option.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everylink {

const std::string& Option::name() const {
  const auto found =
      std::find_if(names.begin(), names.end(), [](const auto& one) { return one.starts_with("--"); });
  return found == names.end() ? names.front() : *found;
}

std::string Option::both_names() const { return fmt::format("{}", fmt::join(names, "/")); }

bool Option::applies(std::string_view command) const {
  return std::find(applies_to.begin(), applies_to.end(), command) != applies_to.end();
}

}  // namespace everylink
