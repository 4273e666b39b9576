// The parsers of input from others, each as a function of bytes: for libFuzzer (`make fuzz`), and for the
// replay of its corpus (`make test`). NAME.cpp contains the target NAME, and tests/data/fuzz/NAME its corpus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace everylink::fuzz {

// May throw UsageError and MachineError; anything else is a finding.
using Target = void (*)(View);
struct Named {
  std::string name;
  Target target;
};
std::vector<Named>& targets();

struct Registration {
  Registration(const char* name, Target target) { targets().push_back({name, target}); }
};

// Calls the target and catches the errors that it may throw.
void call(Target, View);

inline std::string text_of(View bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Environment variables that are set while this lives. Those without a value, or with "", are not set.
class Variables {
 public:
  Variables(std::vector<const char*> names, const std::vector<std::string>& values);
  ~Variables();
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::vector<const char*> names_;
};

// Takes pieces from the front of the bytes, for targets with several arguments.
class Pieces {
 public:
  explicit Pieces(View bytes) : rest_(bytes) {}
  bool any() const { return !rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  View bytes(std::size_t count) {
    const View front = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(front.size());
    return front;
  }
  View rest() { return bytes(rest_.size()); }

 private:
  View rest_;
};

}  // namespace everylink::fuzz

#define EVERYLINK_FUZZ_TARGET(name)                                                     \
  static void name##_target(everylink::View);                                           \
  static const everylink::fuzz::Registration name##_registration(#name, name##_target); \
  static void name##_target(everylink::View bytes)
