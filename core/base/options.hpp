// What the user asked for: the command line as one value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/seconds.hpp"
#include "base/settings.hpp"

namespace everylink {

enum class Progress { automatic, plain, json, none };

// How ranks find each other. `hosts`: everylink run --hosts tells a host's ranks by standard input.
enum class StartBy { automatic, local, hosts, tcp, slurm, pmix, pmi, mpi };

// Published rules of how to measure.
enum class Preset { none, jupiter };

// By whose name we were called, and whose lines we print.
enum class Program { everylink_measure, linktest, mpilinktest };

struct Options {
  Program program = Program::everylink_measure;
  // ranks
  int np = 0;  // 0: started by something else
  StartBy bootstrap = StartBy::automatic;
  std::string node_name;
  std::string interface;  // "": any
  // carrier
  std::string mode = "tcp";
  std::string mode_options;  // as given, behind the colon
  std::string memory = "host";
  // a pair
  int messages = 100, warmups = 10;
  std::vector<std::size_t> sizes{1};
  std::string kernel = "semidirectional";
  std::optional<int> window;
  bool check = false;
  int buffers = 1;
  Preset preset = Preset::none;
  // who, when
  std::string schedule = "all", schedule_option;
  bool serial = false;
  int randomize = 0;
  std::optional<std::uint64_t> seed;
  int slowest = 10;
  int min_iterations = 1;
  Seconds min_runtime = 0;
  bool all_to_all = false;
  bool yes = false;
  // a load pattern, instead of pairs
  std::string pattern;                      // "": none
  Settings pattern_settings;                // its own options, by name
  Seconds duration = 1;                     // of each scene; 0: until it is done
  bool verbose = false, hostnames = false;  // lines of its flows
  // limits
  Seconds time_limit = 0;  // 0: the default, which grows with the work
  Seconds retest_budget = 60;
  // output
  std::string output = "everylink.h5";
  bool resume = false;  // the output is a file to go on with
  std::string confirm;  // file of pairs to be measured again, their rows added to the output
  bool force = false, no_output = false, keep_laps = false, step_lines = false;
  Progress progress = Progress::automatic;

  std::string command;  // the whole line, as typed

  bool operator==(const Options&) const = default;
  std::vector<std::size_t> pair_sizes() const { return pattern.empty() ? sizes : std::vector<std::size_t>(); }
  bool is_sion() const;  // the output: LinkTest's format, written by every rank
  bool confirms() const { return !confirm.empty(); }
  // A schedule with its option, and the option that says which pairs are measured, as it was given:
  // "sample:3", "--schedule sample:3"; "--confirm FILE".
  std::string schedule_text() const;
  std::string pairs_option() const;
  std::size_t largest() const;             // of the sizes
  std::size_t stride() const;              // between two buffers
  Seconds limit(std::size_t bytes) const;  // of one pair and size, both its turns
};

// How long so many messages may take, one after the other: at no less than 10 MB/s and no more than 200 us
// each.
Seconds at_worst(double messages, std::size_t bytes);

}  // namespace everylink
