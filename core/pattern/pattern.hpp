// Who loads the network how: patterns are pure functions of the population. They know neither transport nor
// recorder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "words.hpp"

namespace everylink {

// bulk: messages one way, as many as fit; ping: a message there and back, one at a time, `from` holds the
// clock.
enum class FlowKind : std::uint8_t { bulk = 0, ping = 1 };

struct Flow {
  int from, to;
  FlowKind kind = FlowKind::bulk;
};

// Flows that run at the same time.
struct Scene {
  std::int64_t point = 0;    // of the sweep: how many senders, which distance, which draw
  std::uint8_t variant = 0;  // an index into Pattern::variants
  std::vector<Flow> flows;
};

struct Crowd {
  int size;
  std::uint64_t seed;  // of what the pattern draws
  std::span<const std::int32_t> host_of;
  Settings settings;  // the pattern's own options, by name
};

struct Script {
  std::int64_t scenes;
  int degree;  // of the flows that a rank sends, or receives, at the same time: the most
  std::function<Scene(std::int64_t)> scene;
  std::int64_t heaviest = 0;  // the scene that loads the network most
  std::size_t ping_bytes = 8;
};

// What a scene amounted to. Rates in bytes a second, of each bulk flow that ended well; times one way,
// averaged over pings.
struct SceneSums {
  std::size_t bytes = 0;
  std::int64_t point = 0;
  std::uint8_t variant = 0;
  int flows = 0, failed = 0, bulks = 0, pings = 0;  // bulks and pings: that ended well
  double slowest = 0, mean = 0, fastest = 0, total = 0;
  double ping_mean = 0, ping_median = 0, ping_p99 = 0;  // NaN: not known
};

struct PatternOption {
  std::string_view name, value, summary;  // "root", "RANK", "who receives (0)"
};

struct Pattern {
  std::string_view name, summary;
  std::string_view point;                  // what the points are: "senders"
  std::vector<std::string_view> variants;  // "" where there is one
  std::vector<PatternOption> options;
  bool draws;                    // it has a use for a seed
  Script (*make)(const Crowd&);  // throws UsageError
  // What the scenes of one size amount to, in sentences.
  std::vector<std::string> (*brief)(std::span<const SceneSums>);
};

std::span<const Pattern* const> patterns();
const Pattern* pattern_named(std::string_view name);  // null: there is none

inline constexpr int most_links = 512;  // that a rank holds at once

// The flows of a scene, placed so that every rank connects to one peer at a time and no two flows share a
// buffer. The same on every rank.
struct Staged {
  Scene scene;
  std::vector<int> turn;  // of each flow: when its link is connected
  std::vector<int> lane;  // of each flow: which of the buffers is its own at both ends
  int turns = 0;
};
Staged staged(Scene);

// For patterns: an option's number, or what holds without it.
int pattern_number(const Crowd&, const std::string& name, int fallback, int least, int most);

}  // namespace everylink
