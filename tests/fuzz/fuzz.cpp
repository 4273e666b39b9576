// The table of targets.
#include "fuzz.hpp"

#include <cstdlib>
#include <utility>

#include "base/errors.hpp"

namespace everylink::fuzz {

std::vector<Named>& targets() {
  static std::vector<Named> all;
  return all;
}

void call(Target target, View bytes) {
  try {
    target(bytes);
  } catch (const UsageError&) {
  } catch (const MachineError&) {
  }
}

Variables::Variables(std::vector<const char*> names, const std::vector<std::string>& values)
    : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (i < values.size() && !values[i].empty()) ::setenv(names_[i], values[i].c_str(), 1);
}
Variables::~Variables() {
  for (const char* name : names_) ::unsetenv(name);
}

}  // namespace everylink::fuzz
