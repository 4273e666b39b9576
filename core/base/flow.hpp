// Flows of a load pattern, the scene that they form, and what one end of a flow measured.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/outcome.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"

namespace everylink {

// bulk: messages one way, as many as fit. ping: a message there and back, one at a time; `from` holds the
// clock. put, get: bytes go from `from` to `to` whenever a client requests them; the server puts them into
// the client's memory, or gets them out of it, and then replies.
enum class FlowKind : std::uint8_t { bulk = 0, ping = 1, put = 2, get = 3 };

struct Flow {
  int from, to;
  FlowKind kind = FlowKind::bulk;

  bool carries_requests() const { return kind == FlowKind::put || kind == FlowKind::get; }
  int client() const { return kind == FlowKind::put ? to : from; }
  int server() const { return kind == FlowKind::put ? from : to; }
};

// Flows that run at the same time.
struct Scene {
  std::int64_t point = 0;    // of the sweep: the number of senders, the distance, the draw
  std::uint8_t variant = 0;  // an index into Pattern::variants
  std::vector<Flow> flows;
};

// What one end measured of one flow.
struct FlowEnd {
  std::uint32_t flow = 0;  // index in the scene
  bool sends = false;
  Outcome outcome = Outcome::ok;
  Seconds seconds = 0;         // between two readings of the clock
  std::uint64_t messages = 0;  // that arrived in these seconds
  Statistics times;            // ping: one way; client: until the reply; server: service time
  static constexpr Seconds longest = 1e9;
  bool is_sound() const { return seconds >= 0 && seconds <= longest; }
  static constexpr auto fields = std::tuple(&FlowEnd::flow, &FlowEnd::sends, &FlowEnd::outcome,
                                            &FlowEnd::seconds, &FlowEnd::messages, &FlowEnd::times);
};

}  // namespace everylink
