// The command line as one value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/seconds.hpp"
#include "base/settings.hpp"

namespace everylink {

enum class Progress { automatic, plain, json, none };

// How ranks find each other. `hosts`: everylink run --hosts sends each host its ranks on standard input.
enum class StartBy { automatic, local, hosts, tcp, slurm, pmix, pmi, mpi };

// Published measurement rules.
enum class Preset { none, jupiter };

// The name that the program was called by; it selects the output lines.
enum class Program { everylink_measure, linktest, mpilinktest };

struct Options {
  Program program = Program::everylink_measure;
  // ranks
  int np = 0;  // 0: a launcher starts the ranks
  StartBy bootstrap = StartBy::automatic;
  std::string node_name;
  std::string interface;  // "": any
  // carrier
  std::string mode = "tcp";
  std::string mode_options;  // as given, after the colon
  std::string memory = "host";
  std::string gpus = "auto";  // ordinals of GPUs that the ranks of a host take in turn
  // a pair
  std::vector<int> messages{100};  // one number for all sizes, or one per size
  int warmups = 10;
  std::vector<std::size_t> sizes{1};
  std::string kernel = "semidirectional";
  std::optional<int> window;
  bool check = false;
  int buffers = 1;
  Preset preset = Preset::none;
  // schedule
  std::string schedule = "all", schedule_option;
  std::string switches;  // file: the switch of each host, for the schedule screen
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
  Settings pattern_settings;                // the pattern's own options, by name
  Seconds duration = 1;                     // of each scene; 0: until its work is done
  bool verbose = false, hostnames = false;  // for the lines of its flows
  // limits
  Seconds join_limit = 60;  // without a new rank, before the run begins without those that are missing
  Seconds time_limit = 0;   // 0: the default, which grows with the work
  Seconds retest_budget = 60;
  // output
  std::string output = "everylink.h5";
  bool resume = false;  // the output is an interrupted run to continue
  std::string confirm;  // plan: file of pairs to re-measure; their rows are added to the output
  bool force = false, no_output = false, keep_laps = false, step_lines = false;
  Progress progress = Progress::automatic;

  std::string command;  // the whole command line, as typed

  bool operator==(const Options&) const = default;
  std::vector<std::size_t> pair_sizes() const { return pattern.empty() ? sizes : std::vector<std::size_t>(); }
  bool is_sion() const;  // the output is in LinkTest's format, which every rank writes
  bool confirms() const { return !confirm.empty(); }
  // The schedule with its option, and the option that selects the pairs, as given:
  // "sample:3", "--schedule sample:3"; "--confirm FILE".
  std::string schedule_text() const;
  std::string pairs_option() const;
  // The option that names the existing results file to continue: "--resume FILE"; "--confirm: --output FILE".
  std::string continued_option() const;
  int messages_of(std::size_t bytes) const;  // of one size
  int most_messages() const;                 // of any size
  std::size_t largest() const;               // of the sizes
  std::size_t stride() const;                // between two buffers
  Seconds limit(std::size_t bytes) const;    // of one pair and size, both turns
};

// The longest time for a number of messages, one after the other: 200 us each plus their bytes at 10 MB/s.
Seconds at_worst(double messages, std::size_t bytes);

}  // namespace everylink
