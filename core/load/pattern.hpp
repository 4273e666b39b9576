// Which ranks load the network, and how. Patterns are pure functions of ranks, hosts, seed and settings. They
// know neither transports nor recorders.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flow.hpp"
#include "base/option.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"

namespace everylink {

struct PatternInput {
  int size;
  std::uint64_t seed;  // for the pattern's random choices
  std::span<const std::int32_t> host_of;
  Settings settings;  // the pattern's own options, by name
};

// What clients request from servers. The point of such a scene is the number of requests that a client has in
// flight.
struct RequestLoad {
  int servers = 0, clients = 0;
  int requests = 0;        // of each client to each server
  int most_in_flight = 1;  // of one client, in any scene
  int slots = 0;           // requests that a server serves at the same time
};

// The scenes of a pattern for one message size.
struct Sweep {
  std::int64_t scenes;
  int degree;  // the largest number of flows that a rank sends, or receives, at the same time
  std::function<Scene(std::int64_t)> scene;
  std::int64_t heaviest = 0;  // the scene with the heaviest load
  std::size_t ping_bytes = 8;
  RequestLoad request_load = {};
  std::uint64_t messages = 0;  // of each bulk flow; 0: as many as fit in the duration
};

// The sums of a scene. Rates are in bytes per second, of the bulk flows that ended ok; times are one-way,
// averaged over pings.
struct SceneSums {
  std::size_t bytes = 0;
  std::int64_t point = 0;
  std::uint8_t variant = 0;
  int flows = 0, failed = 0, unmeasured = 0, bulks = 0, pings = 0;  // bulks and pings: those that ended ok
  double slowest = 0, mean = 0, fastest = 0, total = 0;
  int slowest_from = no_rank, slowest_to = no_rank;
  double ping_mean = 0, ping_median = 0, ping_p99 = 0;  // NaN: not known
  // Of flows that carry requests and ended ok. The time of a client ends with its last reply.
  int clients = 0;
  std::uint64_t requests = 0;           // answered ones
  Seconds first_end = 0, last_end = 0;  // of a client
  double jain = 0;                      // index of the clients' rates; 1: all are equal
  Seconds reply_mean = 0, reply_median = 0, reply_p99 = 0, service_mean = 0;  // NaN: not known
  std::vector<int> last;  // the clients that ended last, latest first
};
// "1 of 4 flows FAILED, 2 of 4 flows could not be measured", or "".
std::string text_of_lost(int failed, int unmeasured, int flows, std::string_view what);

using NameOfRank = std::function<std::string(int)>;

inline constexpr std::string_view sweep_to_4_mib =
    "1,2,4,8,16,32,64,128,256,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB";

// For patterns that print a table. `row` takes the scenes of one row, `findings` takes all scenes.
struct PatternTable {
  std::string_view header;
  bool of_sizes;  // one row per size; otherwise one row per scene
  std::string (*row)(std::span<const SceneSums>);
  std::vector<std::string> (*findings)(std::span<const SceneSums>, const NameOfRank&);
};

// How a pattern differs from the defaults.
struct PatternTraits {
  bool draws = false;      // uses the seed
  bool one_sided = false;  // requires one-sided transfers
  Seconds duration = 1;    // of each scene, unless the user sets it; 0: scenes have no duration
  std::string_view sizes = "256KiB";
  std::string_view other_name_of_sizes = "", other_name_of_window = "";  // "--bsize"
  const PatternTable* table = nullptr;                                   // null: prints lines and sentences
};

struct Pattern {
  std::string_view name, summary;
  std::string_view point;                  // the quantity that the points vary: "senders"
  std::vector<std::string_view> variants;  // {""}: only one
  std::vector<Option> options;             // its own options: settings by name
  PatternTraits traits;
  Sweep (*make)(const PatternInput&);  // throws UsageError
  // The conclusions from the scenes of one size, as sentences. Null: the table has them.
  std::vector<std::string> (*brief)(std::span<const SceneSums>);
};

std::span<const Pattern* const> patterns();
const Pattern* pattern_named(std::string_view name);  // null: no such pattern

inline constexpr int most_links = 512;     // that a rank holds at once
inline constexpr int most_in_flight = 30;  // requests per connection: limited by its tickets

// A scene whose flows have turns and lanes, so that every rank connects to one peer at a time and no two
// flows share a buffer. The same on every rank.
struct AssignedScene {
  Scene scene;
  std::vector<int> turn;  // of each flow: when its link is connected
  std::vector<int> lane;  // of each flow: its buffers, at both ends
  int turns = 0;
};
AssignedScene assign(Scene);

// For patterns: the value of an option as a number (`fallback` if it is not given), or as a list of numbers
// (empty if it is not given). They throw UsageError for values below `least` or above `most`.
int pattern_number(const PatternInput&, const std::string& name, int fallback, int least, int most);
std::vector<int> pattern_numbers(const PatternInput&, const std::string& name, int least, int most);

}  // namespace everylink
