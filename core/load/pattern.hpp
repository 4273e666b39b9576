// Who loads the network how: patterns are pure functions of the population. They know neither transport nor
// recorder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flow.hpp"
#include "base/types.hpp"

namespace everylink {

struct Crowd {
  int size;
  std::uint64_t seed;  // of what the pattern draws
  std::span<const std::int32_t> host_of;
  Settings settings;  // the pattern's own options, by name
};

// Of flows that are asked for. The points of such scenes say how many requests a client has under way.
struct Asking {
  int servers = 0, clients = 0;
  int requests = 0;        // of a client to each server
  int most_in_flight = 1;  // of a client, in any scene
  int slots = 0;           // requests that a server serves at the same time
};

struct Script {
  std::int64_t scenes;
  int degree;  // of the flows that a rank sends, or receives, at the same time: the most
  std::function<Scene(std::int64_t)> scene;
  std::int64_t heaviest = 0;  // the scene that loads the network most
  std::size_t ping_bytes = 8;
  Asking asking = {};
  std::uint64_t messages = 0;  // of each bulk flow; 0: as many as fit into the duration
};

// What a scene amounted to. Rates in bytes a second, of each bulk flow that ended well; times one way,
// averaged over pings.
struct SceneSums {
  std::size_t bytes = 0;
  std::int64_t point = 0;
  std::uint8_t variant = 0;
  int flows = 0, failed = 0, bulks = 0, pings = 0;  // bulks and pings: that ended well
  double slowest = 0, mean = 0, fastest = 0, total = 0;
  int slowest_from = no_rank, slowest_to = no_rank;
  double ping_mean = 0, ping_median = 0, ping_p99 = 0;  // NaN: not known
  // Of flows that are asked for, and ended well. A client's time is until its last reply.
  int clients = 0;
  std::uint64_t requests = 0;           // that were answered
  Seconds first_end = 0, last_end = 0;  // of a client
  double jain = 0;                      // of the clients' rates: 1 where all are alike
  Seconds reply_mean = 0, reply_median = 0, reply_p99 = 0, service_mean = 0;  // NaN: not known
  std::vector<int> last;  // who ended last, the very last one first
};

using NameOfRank = std::function<std::string(int)>;

struct PatternOption {
  std::string_view name, value, summary;  // "root", "RANK", "who receives (0)"; no value: a flag
};

inline constexpr std::string_view sweep_to_4_mib =
    "1,2,4,8,16,32,64,128,256,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB";

// Of patterns whose results are a table. `row` gets the scenes of a row, `findings` all of them.
struct PatternTable {
  std::string_view header;
  bool of_sizes;  // a row for all scenes of a size; else for each scene
  std::string (*row)(std::span<const SceneSums>);
  std::vector<std::string> (*findings)(std::span<const SceneSums>, const NameOfRank&);
};

// What differs from what patterns have in common.
struct PatternTraits {
  bool draws = false;      // it has a use for a seed
  bool one_sided = false;  // its links put and get
  Seconds duration = 1;    // of each scene, unless the user says it; 0: its scenes have none
  std::string_view sizes = "256KiB";
  std::string_view sizes_too = "", window_too = "";  // other names of these options: ",--bsize"
  const PatternTable* table = nullptr;               // null: lines and sentences
};

struct Pattern {
  std::string_view name, summary;
  std::string_view point;                  // what the points are: "senders"
  std::vector<std::string_view> variants;  // "" where there is one
  std::vector<PatternOption> options;
  PatternTraits traits;
  Script (*make)(const Crowd&);  // throws UsageError
  // What the scenes of one size amount to, in sentences. Null: the table says it.
  std::vector<std::string> (*brief)(std::span<const SceneSums>);
};

std::span<const Pattern* const> patterns();
const Pattern* pattern_named(std::string_view name);  // null: there is none

inline constexpr int most_links = 512;     // that a rank holds at once
inline constexpr int most_in_flight = 30;  // requests of a connection: they fit into its tickets

// The flows of a scene, placed so that every rank connects to one peer at a time and no two flows share a
// buffer. The same on every rank.
struct Staged {
  Scene scene;
  std::vector<int> turn;  // of each flow: when its link is connected
  std::vector<int> lane;  // of each flow: which of the buffers is its own at both ends
  int turns = 0;
};
Staged staged(Scene);

// For patterns: an option's number, or what holds without it; and a list of them in growing order, empty
// where it is not given.
int pattern_number(const Crowd&, const std::string& name, int fallback, int least, int most);
std::vector<int> pattern_numbers(const Crowd&, const std::string& name, int least, int most);

}  // namespace everylink
