// Environment variables.
#include "base/environment.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int number_in(const char* name) {
  const auto text = variable(name);
  const auto value = parse_integer(text, name);
  if (value < 0 || value > (1 << 24)) throw UsageError(fmt::format("{}={}: out of range", name, text));
  return static_cast<int>(value);
}

void must_be_set(std::initializer_list<const char*> names, const std::string& what,
                 const std::string& setter) {
  for (const char* name : names)
    if (variable(name).empty())
      throw UsageError(fmt::format("{}: {} is not set; {} sets it", what, name, setter));
}

}  // namespace everylink
