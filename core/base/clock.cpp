// The machine's steady clock.
#include "base/clock.hpp"

namespace everylink {
namespace {

class SteadyClock final : public Clock {
 public:
  Seconds now() override { return steady_now(); }
};

}  // namespace

Clock& steady_clock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace everylink
