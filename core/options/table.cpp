// The one table of options.
#include "options/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "bootstrap/bootstrap.hpp"
#include "host/facts.hpp"
#include "host/gpus.hpp"
#include "host/rails.hpp"
#include "kernel/kernel.hpp"
#include "load/flows.hpp"
#include "memory/memory.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

constexpr const char *ranks = "Ranks", *carrier = "Transport", *messages = "Messages", *pairs = "Pairs",
                     *limits = "Limits", *output = "Output", *other = "Other";
constexpr int most_messages = 1 << 28, most_of_others = 1 << 20;

using Names = std::vector<std::string>;

Names pairs_only() { return {std::string(of_pairs)}; }

template <class Predicate>
Names patterns_where(Predicate holds) {
  Names names;
  for (const auto* pattern : patterns())
    if (holds(pattern->traits)) names.emplace_back(pattern->name);
  return names;
}

Names all_patterns() {
  return patterns_where([](const PatternTraits&) { return true; });
}
Names timed_patterns() {
  return patterns_where([](const PatternTraits& traits) { return traits.duration > 0; });
}

// Pairs and these patterns.
Names pairs_and(Names names) {
  names.insert(names.begin(), std::string(of_pairs));
  return names;
}
Names everywhere() { return pairs_and(all_patterns()); }

Names windowed_kernels() {
  Names names;
  for (const auto& kernel : kernels())
    if (kernel.windowed) names.emplace_back(kernel.name);
  return names;
}

template <class Entries>
Names names_of(const Entries& entries) {
  Names names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

Names texts_of_schedules() {
  Names texts;
  for (const auto& entry : schedules()) texts.push_back(text_of(entry));
  return texts;
}

// Abbreviates the long sweep.
std::string sizes_of(const PatternTraits& traits) {
  return traits.sizes == sweep_to_4_mib ? "1 to 4MiB, doubled" : std::string(traits.sizes);
}

// What differs in each pattern: its `other_name`, if it has one, and its default.
template <class DefaultOf>
std::map<std::string, Option::InPattern> in_patterns(const Names& names,
                                                     std::string_view PatternTraits::*other_name,
                                                     DefaultOf default_of) {
  std::map<std::string, Option::InPattern> all;
  for (const auto& name : names) {
    const auto& traits = pattern_named(name)->traits;
    Option::InPattern in_pattern{.default_text = default_of(traits)};
    if (other_name && !(traits.*other_name).empty()) in_pattern.more_names.emplace_back(traits.*other_name);
    all.emplace(name, std::move(in_pattern));
  }
  return all;
}

void set_mode(Options& o, const std::string& text) {
  const auto colon = text.find(':');
  o.mode = text.substr(0, colon);
  if (o.mode == "nvlink" || o.mode == "CUDA")
    o.mode = "cuda";  // the latter from LinkTest's name linktest.CUDA
  o.mode_options = colon == std::string::npos ? "" : text.substr(colon + 1);
}

void set_memory(Options& o, const std::string& text) { o.memory = memory_named(text).name; }

void set_gpus(Options& o, const std::string& text) {
  check_gpus(text);
  o.gpus = text;
}

void set_node_name(Options& o, const std::string& text) {
  if (text.size() > longest_host_name)
    throw UsageError(fmt::format("--node-name: a name of {} characters is too long; use at most {}",
                                 text.size(), longest_host_name));
  o.node_name = text;
}

void set_schedule(Options& o, const std::string& text) {
  const auto colon = text.find(':');
  const auto& entry = schedule_named(text.substr(0, colon));
  o.schedule = entry.name;
  o.schedule_option = colon == std::string::npos ? entry.by_itself : text.substr(colon + 1);
  if (entry.option.empty() == o.schedule_option.empty()) return;
  if (entry.option.empty()) throw UsageError(fmt::format("--schedule {} takes no option", entry.name));
  throw UsageError(
      fmt::format("--schedule {0} requires an option: --schedule {0}:{1}", entry.name, entry.option));
}

void set_seed(Options& o, const std::string& text) {
  o.seed = static_cast<std::uint64_t>(parse_integer(text, "--seed"));
}

void set_time_limit(Options& o, const std::string& text) {
  o.time_limit = parse_seconds(text, "--time-limit");
  if (o.time_limit <= 0)
    throw UsageError(fmt::format("--time-limit: {} is too short; use more than 0", text));
}

void set_join_limit(Options& o, const std::string& text) {
  o.join_limit = parse_seconds(text, "--join-limit");
  if (o.join_limit <= 0 || o.join_limit > longest_join)
    throw UsageError(
        fmt::format("--join-limit: {} is out of range; use more than 0, up to {} s", text, longest_join));
}

void set_duration(Options& o, const std::string& text) {
  constexpr Seconds longest = 3600;
  o.duration = parse_seconds(text, "--duration");
  if (o.duration <= 0 || o.duration > longest)
    throw UsageError(fmt::format("--duration: {} is out of range; use more than 0, up to 3600 s", text));
}

// The fields that all five kernels have in common.
Option kernel_option(Option own) {
  own.names = {"--" + own.linktest2.front()};
  own.group = messages;
  own.applies_to = pairs_only();
  return own;
}

std::vector<Option> of_ranks() {
  return {
      {.names = {"--np"},
       .value = "N",
       .unit = Quantity::count,
       .least = 2,
       .most = 1 << 16,
       .group = ranks,
       .brief = "start N ranks on this machine; no launcher is needed",
       .more = "Ranks are bound to cores if there are enough. With --bootstrap tcp, each of EVERYLINK_SIZE "
               "processes starts N ranks, and EVERYLINK_RANK numbers the processes.",
       .applies_to = everywhere(),
       .effect = &Options::np},
      {.names = {"--bootstrap"},
       .value = "WAY",
       .unit = Quantity::choice,
       .choices = {"auto", "local", "stdin", "tcp", "slurm", "pmix", "pmi", "mpi"},
       .group = ranks,
       .brief = "how ranks find each other",
       .more = "local: --np N. tcp: EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS. slurm: srun "
               "without PMIx and PMI. pmix, pmi, mpi: mpirun, mpiexec or srun. stdin: everylink run --hosts. "
               "auto takes the first that is available.",
       .default_text = "auto",
       .applies_to = everywhere(),
       .effect = [](Options& o, std::size_t choice) { o.bootstrap = static_cast<StartBy>(choice); }},
      {.names = {"--node-name"},
       .value = "NAME",
       .group = ranks,
       .brief = "name of this host in the results",
       .default_text = "the host's name",
       .applies_to = everywhere(),
       .effect = &set_node_name},
      {.names = {"--interface"},
       .value = "NAME",
       .group = ranks,
       .brief = "network interface for control traffic and for --mode tcp",
       .more = "NAME is its name or address. The option interface= of --mode tcp overrides it.",
       .default_text = "any",
       .applies_to = everywhere(),
       .effect = &Options::interface},
  };
}

std::vector<Option> of_transport() {
  return {
      {.names = {"-m", "--mode"},
       .value = "NAME[:KEY=VALUE,...]",
       .choices = transport_names(),
       .group = carrier,
       .brief = "transport and its options",
       .more = "--list shows which modes can run here.",
       .default_text = "tcp",
       .applies_to = everywhere(),
       .linktest2 = {"mode"},
       .effect = &set_mode},
      {.names = {"--rails"},
       .value = "DEVICES",
       .is_list = true,
       .choices = {"auto"},
       .group = carrier,
       .brief = "network devices to assign to the ranks of a host in turn",
       .more = "DEVICES is auto (all usable devices) or a list.",
       .applies_to = everywhere(),
       .modes = modes_with_rails()},
      {.names = {"--memory"},
       .value = "KIND",
       .choices = names_of(memories()),
       .group = carrier,
       .brief = "memory of the message buffers",
       .more = "host: ordinary pages. huge: huge pages of the host. cuda: memory of a GPU. cuda-managed: "
               "memory that "
               "moves between GPU and host. cuda-pinned: memory of the host that a GPU sees.",
       .default_text = "host",
       .applies_to = everywhere(),
       .effect = &set_memory},
      {.names = {"--gpus"},
       .value = "NUMBERS",
       .is_list = true,
       .choices = {"auto"},
       .group = carrier,
       .brief = "GPUs that the ranks of a host take in turn, with --memory cuda and its relatives",
       .more = "NUMBERS are those of nvidia-smi, without what CUDA_VISIBLE_DEVICES hides. auto: a rank that "
               "is bound "
               "to a NUMA node takes the GPUs near it first.",
       .default_text = "auto",
       .applies_to = everywhere(),
       .effect = &set_gpus},
  };
}

std::vector<Option> of_messages() {
  return {
      {.names = {"--preset"},
       .value = "NAME",
       .unit = Quantity::choice,
       .choices = {"jupiter"},
       .group = messages,
       .brief = "measure by a published benchmark rule",
       .more = "jupiter: the rule of the JUPITER Benchmark Suite for LinkTest, and the table that the suite "
               "requires.",
       .applies_to = pairs_only(),
       .effect = [](Options& o, std::size_t) { o.preset = Preset::jupiter; }},
      {.names = {"--duration"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = messages,
       .brief = "duration of each scene",
       .more = "All flows of a scene start and end together.",
       .default_text = "1 s",
       .applies_to = timed_patterns(),
       .in_patterns = in_patterns(timed_patterns(), nullptr,
                                  [](const auto& traits) { return text_of_seconds(traits.duration); }),
       .effect = &set_duration},
      {.names = {"-n", "--num-messages"},
       .value = "N",
       .unit = Quantity::count,
       .is_list = true,
       .least = 1,
       .most = most_messages,
       .group = messages,
       .brief = "messages per pair, direction and size",
       .more = "One number for all sizes, or one per size of -s: -s 8,1MiB -n 100,5.",
       .default_text = "100",
       .applies_to = pairs_only(),
       .linktest2 = {"num-messages"},
       .linktest1 = "i",
       .effect = &Options::messages},
      {.names = {"-w", "--num-warmup-messages"},
       .value = "N",
       .unit = Quantity::count,
       .most = most_messages,
       .group = messages,
       .brief = "warm-up messages per pair, direction and size",
       .more = "They run the same code and are not recorded.",
       .default_text = "10",
       .applies_to = pairs_only(),
       .linktest2 = {"num-warmup-messages"},
       .linktest1 = "I",
       .effect = &Options::warmups},
      {.names = {"-s", "--size-messages"},
       .value = "SIZES",
       .unit = Quantity::bytes,
       .is_list = true,
       .group = messages,
       .brief = "message sizes, for example 1,64K,1MiB",
       .more =
           "A size is in bytes unless it has a unit: K, M, G and T are powers of 1024, as in LinkTest, the "
           "same as KiB, MiB, GiB and TiB; KB, MB, GB and TB are powers of 1000.",
       .default_text = "1",
       .applies_to = everywhere(),
       .in_patterns = in_patterns(all_patterns(), &PatternTraits::other_name_of_sizes, sizes_of),
       .linktest2 = {"size-messages"},
       .linktest1 = "sk",
       .effect = &Options::sizes},
      kernel_option({.brief = "kernel: one message there and back (the default)",
                     .linktest2 = {"semidirectional"},
                     .effect = [](Options& o) { o.kernel = "semidirectional"; }}),
      kernel_option({.brief = "kernel: messages both ways at once",
                     .linktest2 = {"bidirectional"},
                     .effect = [](Options& o) { o.kernel = "bidirectional"; }}),
      kernel_option({.brief = "kernel: a window of messages one way",
                     .linktest2 = {"unidirectional"},
                     .effect = [](Options& o) { o.kernel = "unidirectional"; }}),
      {.names = {"--put"},
       .group = messages,
       .brief = "kernel: a window of one-sided writes into the peer's memory",
       .applies_to = pairs_only(),
       .effect = [](Options& o) { o.kernel = "put"; }},
      {.names = {"--get"},
       .group = messages,
       .brief = "kernel: a window of one-sided reads from the peer's memory",
       .applies_to = pairs_only(),
       .effect = [](Options& o) { o.kernel = "get"; }},
      {.names = {"--window"},
       .value = "W",
       .unit = Quantity::count,
       .least = 1,
       .most = largest_window,
       .group = messages,
       .brief = "messages in flight",
       .default_text = "the number of messages, at most 64",
       .applies_to = pairs_only(),
       .kernels = windowed_kernels(),
       .effect = &Options::window},
      {.names = {"--window"},
       .value = "W",
       .unit = Quantity::count,
       .least = 1,
       .most = largest_flow_window,
       .group = messages,
       .brief = "messages per block of a flow; the receiver acknowledges each block",
       .more = "Two blocks are in flight.",
       .default_text = "as many as fit into 1 MiB, at most 16",
       .applies_to = timed_patterns(),
       .in_patterns = in_patterns(timed_patterns(), &PatternTraits::other_name_of_window,
                                  [](const auto&) { return "as many as fit into 1 MiB, at most 16"; }),
       .effect = &Options::window},
      {.names = {"--check"},
       .group = messages,
       .brief = "verify every byte of every message",
       .more = "The time of a message does not include the verification.",
       .applies_to = pairs_only(),
       .linktest2 = {"check-buffers"},
       .effect = &Options::check},
      {.names = {"--num-multi-buf"},
       .value = "K",
       .unit = Quantity::count,
       .least = 1,
       .most = most_of_others,
       .group = messages,
       .brief = "cycle through K message buffers",
       .more = "With enough buffers, messages are not in the cache.",
       .default_text = "1",
       .applies_to = pairs_only(),
       .linktest2 = {"num-multi-buffer"},
       .effect = &Options::buffers},
  };
}

std::vector<Option> of_pairs_to_measure() {
  auto drawn = patterns_where([](const PatternTraits& traits) { return traits.draws; });
  return {
      {.names = {"--schedule"},
       .value = "NAME",
       .choices = texts_of_schedules(),
       .group = pairs,
       .brief = "pairs to measure",
       .more = "all: every pair. bisection: the lower half of the ranks against the upper half. sample:K: K "
               "random matchings. screen:K: up to K random matchings, 18 if K is left out, that are spread "
               "evenly "
               "over hosts and over switches, where Slurm or --switches names these. inter-host: pairs on "
               "different hosts. rail: pairs of equal local rank on "
               "different hosts. file:PAIRS: the pairs of a file, in lines 'from to' or 'step from to'.",
       .default_text = "all",
       .applies_to = pairs_only(),
       .effect = &set_schedule},
      {.names = {"--switches"},
       .value = "FILE",
       .unit = Quantity::file,
       .group = pairs,
       .brief = "the switch of each host, for --schedule screen",
       .more =
           "Lines 'HOST SWITCH'. A host that the file does not name has a switch of its own. everylink run "
           "--topology makes it from Slurm's topology.conf or the output of ibnetdiscover.",
       .applies_to = pairs_only(),
       .effect = &Options::switches},
      {.names = {"--bisection"},
       .group = pairs,
       .brief = "same as --schedule bisection",
       .applies_to = pairs_only(),
       .linktest2 = {"bisection"},
       .effect = [](Options& o) { set_schedule(o, "bisection"); }},
      {.names = {"--serial-tests"},
       .group = pairs,
       .brief = "measure one pair at a time",
       .applies_to = pairs_only(),
       .linktest2 = {"serial-tests"},
       .linktest1 = "S",
       .effect = &Options::serial},
      {.names = {"--num-randomize-tasks"},
       .value = "R",
       .unit = Quantity::count,
       .most = most_of_others,
       .group = pairs,
       .brief = "make R passes, each with the ranks in another random order",
       .applies_to = pairs_only(),
       .linktest2 = {"num-randomize-tasks"},
       .linktest1 = "M",
       .effect = &Options::randomize},
      {.names = {"--seed"},
       .value = "S",
       .unit = Quantity::count,
       .most = std::numeric_limits<long long>::max(),
       .group = pairs,
       .brief = "seed of all random choices",
       .more = fmt::format("Also applies to the patterns {}.", fmt::join(drawn, ", ")),
       .default_text = "random, and stored in the results",
       .applies_to = pairs_and(std::move(drawn)),
       .linktest2 = {"seed-randomize-tasks"},
       .effect = &set_seed},
      {.names = {"--num-slowest"},
       .value = "K",
       .unit = Quantity::count,
       .most = most_of_others,
       .group = pairs,
       .brief = "re-measure the K slowest pairs at the end, one at a time",
       .default_text = "10",
       .applies_to = pairs_only(),
       .linktest2 = {"num-slowest"},
       .linktest1 = "Z",
       .effect = &Options::slowest},
      {.names = {"--min-iterations"},
       .value = "N",
       .unit = Quantity::count,
       .least = 1,
       .most = most_messages,
       .group = pairs,
       .brief = "make at least N passes over the schedule",
       .default_text = "1",
       .applies_to = pairs_only(),
       .linktest2 = {"min-iterations"},
       .effect = &Options::min_iterations},
      {.names = {"--min-runtime"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = pairs,
       .brief = "repeat passes for at least this long",
       .default_text = "0",
       .applies_to = pairs_only(),
       .linktest2 = {"min-runtime"},
       .linktest1 = "T",
       .effect = &Options::min_runtime},
      {.names = {"--all-to-all"},
       .group = pairs,
       .brief = "measure an all-to-all before each step",
       .applies_to = pairs_only(),
       .modes = {"mpi"},
       .linktest2 = {"all-to-all"},
       .linktest1 = "a",
       .effect = &Options::all_to_all},
      {.names = {"--yes"},
       .group = pairs,
       .brief = "start even if --serial-tests is expected to take more than an hour",
       .applies_to = pairs_only(),
       .effect = &Options::yes},
  };
}

std::vector<Option> of_limits() {
  return {
      {.names = {"--join-limit"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = limits,
       .brief = "wait for missing ranks: time after the last rank has joined",
       .more =
           "Then the run begins without them; their links are recorded as absent, and the exit code is 3. It "
           "begins after 10 minutes in any case, and at once when all missing ranks are known to have ended. "
           "Where MPI starts the ranks, MPI itself waits for all of them.",
       .default_text = "60",
       .applies_to = everywhere(),
       .effect = &set_join_limit},
      {.names = {"--time-limit"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = limits,
       .brief = "time limit per pair and size, including connecting",
       .default_text = "10 s plus the time of the messages at 10 MB/s and 200 us each",
       .applies_to = pairs_only(),
       .effect = &set_time_limit},
      {.names = {"--time-limit"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = limits,
       .brief = "time limit for connecting to a peer, and for flows beyond their duration",
       .default_text = "10 s plus the time of the bytes in flight at 10 MB/s",
       .applies_to = all_patterns(),
       .effect = &set_time_limit},
      {.names = {"--retest-budget"},
       .value = "SECONDS",
       .unit = Quantity::seconds,
       .group = limits,
       .brief = "time budget for retrying failed links at the end",
       .more = "They are retried alone, at most 3 pairs per host; 0 retries none. With --confirm, it is the "
               "time budget of the phases alone and one-way.",
       .default_text = "60",
       .applies_to = pairs_only(),
       .effect = &Options::retest_budget},
  };
}

std::vector<Option> of_output() {
  return {
      {.names = {"-o", "--output"},
       .value = "FILE",
       .unit = Quantity::file,
       .group = output,
       .brief = "results file",
       .more = "A name that ends in .h5 is HDF5, one that ends in .sion LinkTest's format.",
       .default_text = "everylink.h5",
       .applies_to = everywhere(),
       .linktest2 = {"output"},
       .effect = &Options::output},
      {.names = {"--force"},
       .group = output,
       .brief = "overwrite an existing results file",
       .applies_to = everywhere(),
       .effect = &Options::force},
      {.names = {"--no-output"},
       .group = output,
       .brief = "write no results file",
       .applies_to = everywhere(),
       .linktest2 = {"no-sion-file"},
       .linktest1 = "W",
       .effect = &Options::no_output},
      {.names = {"--resume"},
       .value = "FILE",
       .unit = Quantity::file,
       .group = output,
       .brief = "resume an interrupted run and continue its results file",
       .more = "The options, the number of ranks and the hosts must be the same.",
       .applies_to = pairs_only(),
       .effect =
           [](Options& o, const std::string& file) {
             o.resume = true;
             o.output = file;
           }},
      {.names = {"--confirm"},
       .value = "PLAN",
       .unit = Quantity::file,
       .group = output,
       .brief = "re-measure the pairs of a plan and add them to the results file of --output",
       .more = "everylink diagnose --plan writes it. Each line is 'RANK RANK PHASE'. Phase order measures "
               "its pairs 6 "
               "times while all other ranks are paired at random; quarter does so while about a quarter of "
               "the ranks "
               "are busy, and few 3 times while one in sixteen is; alone measures each pair 3 times alone; "
               "one-way does so with the unidirectional "
               "kernel. A "
               "line without a phase means order and one-way. The results file must come from a run with the "
               "same "
               "options. everylink run --confirm does all this.",
       .applies_to = pairs_only(),
       .effect =
           [](Options& o, const std::string& file) {
             o.confirm = file;
             o.resume = true;
           }},
      {.names = {"--progress"},
       .value = "FORM",
       .unit = Quantity::choice,
       .choices = {"auto", "plain", "json", "none"},
       .group = output,
       .brief = "form of progress output",
       .more = "auto: a bar on a terminal, otherwise plain. json: one object per line.",
       .default_text = "auto",
       .applies_to = everywhere(),
       .effect = [](Options& o, std::size_t choice) { o.progress = static_cast<Progress>(choice); }},
      {.names = {"--keep-laps"},
       .group = output,
       .brief = "store every reading of the clock in the results file",
       .applies_to = pairs_only(),
       .effect = &Options::keep_laps},
      {.names = {"--step-lines"},
       .group = output,
       .brief = "print one line per step, even above 2,000 steps",
       .applies_to = pairs_only(),
       .effect = &Options::step_lines},
      {.names = {"-v", "--verbose"},
       .group = output,
       .brief = "print one line per flow; for client-server one per client and server",
       .applies_to = all_patterns(),
       .effect = &Options::verbose},
      {.names = {"--hostnames"},
       .group = output,
       .brief = "print host and rank in these lines, as in h3:7",
       .applies_to = all_patterns(),
       .effect = &Options::hostnames},
  };
}

std::vector<Option> of_others() {
  return {
      {.names = {"--list"},
       .group = other,
       .brief = "list modes, memories, kernels, schedules and patterns, and whether each can run here",
       .applies_to = pairs_only()},
      {.names = {"-h"}, .group = other, .brief = "print short help", .applies_to = everywhere()},
      {.names = {"--help"},
       .value = "FORM",
       .unit = Quantity::choice,
       .is_optional = true,
       .choices = {"text", "short", "json", "man", "bash", "zsh", "fish"},
       .group = other,
       .brief = "print long help",
       .more = "--help=json prints the table of options, --help=man the man page, --help=bash, zsh or fish "
               "the completion of that shell.",
       .default_text = "text",
       .applies_to = everywhere(),
       .linktest2 = {"help"}},
      {.names = {"-V", "--version"},
       .group = other,
       .brief = "print the version",
       .applies_to = everywhere(),
       .linktest2 = {"version"}},
  };
}

std::vector<Option> of_patterns() {
  std::vector<Option> all;
  for (const auto* pattern : patterns())
    for (Option option : pattern->options) {
      option.group = group_of(*pattern);
      option.applies_to = {std::string(pattern->name)};
      all.push_back(std::move(option));
    }
  return all;
}

}  // namespace

const std::vector<Option>& all_options() {
  static const std::vector<Option> table = [] {
    std::vector<Option> all;
    for (auto* part : {of_patterns, of_ranks, of_transport, of_messages, of_pairs_to_measure, of_limits,
                       of_output, of_others})
      for (auto& option : part()) all.push_back(std::move(option));
    return all;
  }();
  return table;
}

const std::vector<Exclusion>& exclusions() {
  static const std::vector<Exclusion> table{
      {{"--semidirectional", "--bidirectional", "--unidirectional", "--put", "--get"},
       "a run has one kernel"},
      {{"--resume", "--output"}, "a resumed run continues its own results file"},
      {{"--resume", "--force"}, "a resumed run continues its own results file"},
      {{"--resume", "--no-output"}, "a resumed run continues its own results file"},
      {{"--confirm", "--resume"}, "--confirm adds rows to the existing results file of --output"},
      {{"--confirm", "--force"}, "--confirm adds rows to the existing results file"},
      {{"--confirm", "--no-output"}, "--confirm adds rows to the existing results file"},
      {{"--no-output", "--output"}, "one writes a results file, the other writes none"},
      {{"--no-output", "--keep-laps"}, "--keep-laps stores readings in the results file"}};
  return table;
}

std::vector<Option> options_of(std::string_view command) {
  std::vector<Option> options;
  for (Option option : all_options()) {
    if (!option.applies(command)) continue;
    const auto found = option.in_patterns.find(std::string(command));
    if (found != option.in_patterns.end()) {
      option.names.insert(option.names.end(), found->second.more_names.begin(),
                          found->second.more_names.end());
      option.default_text = found->second.default_text;
    }
    options.push_back(std::move(option));
  }
  return options;
}

const Option& option_named(std::string_view name) {
  for (const auto& option : all_options())
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return option;
  throw std::logic_error(fmt::format("no option {}", name));
}

std::string group_of(const Pattern& pattern) { return fmt::format("Pattern {}", pattern.name); }

std::vector<std::string> pattern_names() { return all_patterns(); }

}  // namespace everylink
