// The rows that are recorded.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/flow.hpp"
#include "base/outcome.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"

namespace everylink {

// One scene of a pattern, and the results of its flows.
struct SceneRow {
  std::size_t bytes = 0;
  std::int64_t point = 0;
  std::uint8_t variant = 0;
  Seconds began = 0;
  std::uint32_t gone = 0;
};
struct FlowRow {
  Flow flow;
  Outcome outcome = Outcome::absent;
  // By the clocks of the receiver and of the sender; of a flow that carries requests, by the clocks of the
  // client and of the server.
  Seconds seconds = 0, sent_seconds = 0;
  std::uint64_t messages = 0, sent_messages = 0;  // that arrived in these seconds
  Statistics times = {};    // ping: one way; requests: until the reply, by the client's clock
  Statistics service = {};  // requests: until the service ends, by the server's clock
};

struct StepRow {
  std::uint32_t iteration = 0;
  std::uint64_t seed = 0;
  Seconds began = 0;
  float overlap = not_known;
  std::uint32_t gone = 0;
};

// How one size is measured: chosen once, the same on every rank.
struct Tuning {
  std::uint32_t rounds_per_reading = 1;
  std::uint32_t lead_in = 0;  // warm-up rounds before the first size of a step
  static constexpr std::uint32_t most_lead_in = 1000000, most_rounds = 1u << 30;
  bool is_sound() const { return rounds_per_reading <= most_rounds && lead_in <= most_lead_in; }
  static constexpr auto fields = std::tuple(&Tuning::rounds_per_reading, &Tuning::lead_in);
};

// One link's rows, one per size in the order of the run's sizes; `laps` has their readings, or is empty.
struct LinkRows {
  std::vector<Sample> samples;
  std::vector<std::vector<float>> laps;
  static constexpr auto fields = std::tuple(&LinkRows::samples, &LinkRows::laps);
};

// A slow link: its row of the main run, and its row when re-measured.
struct Retest {
  Sample first, again;
};

}  // namespace everylink
