// The table of targets.
#include "fuzz.hpp"
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

}  // namespace everylink::fuzz
