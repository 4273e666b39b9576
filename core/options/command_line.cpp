// The command line, by CLI11. LinkTest's option names are ours; unambiguous abbreviations of long options are
// accepted.
#include "options/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "base/version.hpp"
#include "host/rails.hpp"
#include "kernel/kernel.hpp"
#include "linktest/command_line.hpp"
#include "load/pattern.hpp"
#include "memory/memory.hpp"
#include "options/pattern_options.hpp"
#include "options/preset.hpp"
#include "record/recorder.hpp"
#include "schedule/schedule.hpp"

namespace everylink {
namespace {

// What the parser fills before it is understood.
struct Words {
  std::string mode, sizes, schedule, seed, min_runtime, time_limit, retest_budget, resume, rails,
      progress = "auto";
  std::string window, messages, warmups, buffers, np, randomize, slowest, min_iterations;
  bool semidirectional = false, bidirectional = false, unidirectional = false, put = false, get = false;
  bool bisection = false;
  bool version = false;
  PatternWords pattern;
};

void bind_carrier(CLI::App& app, Options& o, Words& w) {
  app.set_help_flag("-h,--help", "print this and exit");
  app.add_flag("-V,--version", w.version, "print the version and exit");
  const char* group = "Ranks";
  app.add_option("--np", w.np, "start N ranks on this machine, no launcher needed")
      ->type_name("N")
      ->group(group);
  app.add_option("--bootstrap", o.bootstrap,
                 "how ranks find each other: auto, local (--np), tcp (EVERYLINK_RANK, _SIZE, _RENDEZVOUS), "
                 "slurm, pmix, pmi, mpi, stdin (everylink run --hosts)")
      ->group(group);
  app.add_option("--node-name", o.node_name, "name of this host in the results")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--interface", o.interface,
                 "name or address of the interface of the control connections, and of --mode tcp unless its "
                 "own interface= says otherwise (any)")
      ->type_name("NAME")
      ->group(group);
  group = "Carrier";
  app.add_option("-m,--mode", w.mode, "transport and its options: NAME[:key=value,...] (tcp)")
      ->type_name("NAME")
      ->group(group);
  app.add_option(
         "--rails", w.rails,
         "auto, or DEVICE,DEVICE: the ranks of a host take these devices in turn (modes tcp, ucp, ofi, "
         "ibverbs, portals)")
      ->type_name("DEVICES")
      ->group(group);
  app.add_option("--memory", o.memory, "where messages lie: host, huge (host)")
      ->type_name("KIND")
      ->group(group);
}

void bind_output(CLI::App& app, Options& o, Words& w) {
  const char* group = "Output";
  app.add_option("-o,--output", o.output, "results file (everylink.h5); x.sion: in LinkTest's format")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--force", o.force, "overwrite an existing results file")->group(group);
  app.add_flag("--no-output", o.no_output, "write no results file")->group(group);
  app.add_option("--progress", w.progress,
                 "auto (a bar on a terminal), plain, json (one object a line), none")
      ->type_name("FORM")
      ->group(group);
}

// What a load pattern shares with pairs, and what is its own.
void bind_flows(CLI::App& app, Options& o, Words& w) {
  const char* group = "Output";
  app.add_flag("-v,--verbose", o.verbose, "a line for each flow; of client-server for each client and server")
      ->group(group);
  app.add_flag("--hostnames", o.hostnames, "these lines name hosts and ranks: h3:7")->group(group);
  bind_pattern(app, o, w.pattern);
  group = "Flows";
  const auto& traits = pattern_named(o.pattern)->traits;
  const bool sweeps = traits.sizes.find(',') != std::string_view::npos;
  app.add_option(fmt::format("-s,--size-messages{}", traits.sizes_too), w.sizes,
                 fmt::format("message sizes: 64KiB,1MiB ({})", sweeps ? "1 to 4MiB, doubled" : traits.sizes))
      ->type_name("SIZES")
      ->group(group);
  if (traits.duration > 0)
    app.add_option(
           fmt::format("--window{}", traits.window_too), w.window,
           "messages of a flow for which there is one receipt; two such are under way (a MiB, at most 16)")
        ->type_name("W")
        ->group(group);
  app.add_option(
         "--time-limit", w.time_limit,
         "for connecting to one peer, and for flows beyond what they may need (10 s and what is under way)")
      ->type_name("SECONDS")
      ->group(group);
  if (traits.draws)
    app.add_option("--seed", w.seed, "of what the pattern draws (drawn, and kept in the results)")
        ->type_name("S")
        ->group(group);
}

void bind(CLI::App& app, Options& o, Words& w) {
  bind_carrier(app, o, w);
  bind_output(app, o, w);
  if (!o.pattern.empty()) return bind_flows(app, o, w);
  app.add_flag("--list", o.list,
               "print every mode, memory, kernel, schedule and pattern, and whether it can run here")
      ->group("Carrier");
  const char* group = "A pair";
  app.add_option("--preset", o.preset,
                 "jupiter: the JUPITER Benchmark Suite's rule for LinkTest, and the table that it asks for")
      ->type_name("NAME")
      ->group(group);
  app.add_option("-n,--num-messages", w.messages, "messages in a turn (100)")->type_name("N")->group(group);
  app.add_option("-w,--num-warmup-messages", w.warmups, "warm-up messages in a turn (10)")
      ->type_name("N")
      ->group(group);
  app.add_option("-s,--size-messages", w.sizes, "message sizes: 1,64KiB,1MiB (1)")
      ->type_name("SIZES")
      ->group(group);
  app.add_flag("--semidirectional", w.semidirectional, "kernel: there and back (the default)")->group(group);
  app.add_flag("--bidirectional", w.bidirectional, "kernel: both ways at once")->group(group);
  app.add_flag("--unidirectional", w.unidirectional, "kernel: a window of messages one way")->group(group);
  app.add_flag("--put", w.put, "kernel: a window of messages into the peer's memory, one-sided")
      ->group(group);
  app.add_flag("--get", w.get, "kernel: a window of messages out of the peer's memory, one-sided")
      ->group(group);
  app.add_option("--window", w.window,
                 "messages under way in the unidirectional, put and get kernels (-n, at most 64)")
      ->type_name("W")
      ->group(group);
  app.add_flag("--check", o.check, "verify every byte of every message, outside the timed region")
      ->group(group);
  app.add_option("--num-multi-buf", w.buffers, "walk through K buffers (1)")->type_name("K")->group(group);
  group = "Who and when";
  app.add_option("--schedule", w.schedule, "all, bisection, sample:K, inter-host, rail, file:PAIRS (all)")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--bisection", w.bisection, "the same as --schedule bisection")->group(group);
  app.add_flag("--serial-tests", o.serial, "one pair at a time")->group(group);
  app.add_option("--num-randomize-tasks", w.randomize,
                 "R iterations, each in another random order of the ranks")
      ->type_name("R")
      ->group(group);
  app.add_option("--seed", w.seed, "of random orders and samples (drawn, and kept in the results)")
      ->type_name("S")
      ->group(group);
  app.add_option("--num-slowest", w.slowest, "measure the K slowest links again, one pair at a time (10)")
      ->type_name("K")
      ->group(group);
  app.add_option("--min-iterations", w.min_iterations, "go through the schedule at least N times (1)")
      ->type_name("N")
      ->group(group);
  app.add_option("--min-runtime", w.min_runtime, "go on for at least this long")
      ->type_name("SECONDS")
      ->group(group);
  app.add_flag("--all-to-all", o.all_to_all, "time an all-to-all before every step (mode mpi)")->group(group);
  app.add_flag("--yes", o.yes, "start even what will take more than an hour of one pair at a time")
      ->group(group);
  group = "Limits";
  app.add_option("--time-limit", w.time_limit,
                 "for one pair and size, connecting included (10 s and what the work may need)")
      ->type_name("SECONDS")
      ->group(group);
  app.add_option(
         "--retest-budget", w.retest_budget,
         "for trying failed links once more at the end, alone, at most 3 a host; with --confirm for its "
         "pairs alone and one way (60 s; 0: none)")
      ->type_name("SECONDS")
      ->group(group);
  group = "Output";
  app.add_option("--resume", w.resume,
                 "go on with what is missing in a results file that a run left incomplete")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--confirm", o.confirm,
                 "measure the pairs of a file (lines 'from to') again, into the results file of -o, which a "
                 "run with the same options left: 6 times while the other ranks are paired at random, "
                 "then each alone and one way")
      ->type_name("PAIRS")
      ->group(group);
  app.add_flag("--keep-laps", o.keep_laps, "keep every reading of the clock in the results file")
      ->group(group);
  app.add_flag("--step-lines", o.step_lines, "a line a step also above 2,000 steps")->group(group);
}

// `--bidirection` for `--bidirectional`: what begins exactly one long option stands for it.
std::string whole_option(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("--") || word.size() < 3) return word;
  const auto equals = word.find('=');
  const std::string stem = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  std::vector<std::string> found;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) {
      if (name == stem) return word;
      if (name.starts_with(stem)) found.push_back(name);
    }
  if (found.empty()) throw UsageError(fmt::format("--{}: there is no such option; --help lists them", stem));
  if (found.size() > 1)
    throw UsageError(fmt::format("--{}: could be --{}", stem, fmt::join(found, " or --")));
  return "--" + found[0] + (equals == std::string::npos ? "" : word.substr(equals));
}

// Flags come without a value; what they are followed by is a word of its own. CLI11 names neither the one nor
// the other well.
std::vector<std::string> whole_words(const CLI::App& app, const std::vector<std::string>& typed) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    words.push_back(whole_option(app, typed[i]));
    const auto* option = app.get_option_no_throw(words.back());
    if (!option || option->get_expected_min() == 0) continue;
    if (i + 1 == typed.size() || typed[i + 1].empty())
      throw UsageError(fmt::format("{} wants a value: {}", typed[i], option->get_description()));
    const std::string& value = typed[++i];
    // A value may begin with a minus (a negative number is refused later, by name), but an option is not a
    // value.
    if (value.starts_with("-") && value.size() > 1 && !std::isdigit(static_cast<unsigned char>(value[1])))
      throw UsageError(fmt::format("{} wants a value, and {} is an option: {}", typed[i - 1], value,
                                   option->get_description()));
    if (words.back().starts_with("--"))
      words.back() += "=" + value;
    else
      words.back() += value;
  }
  return words;
}

// The name of a pattern, which stands first, or somewhere behind an option that is complete.
void take_pattern(std::vector<std::string>& words, Options& o) {
  const std::set<std::string> flags{"--force", "--no-output"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_free = i == 0 || !words[i - 1].starts_with("-") || flags.contains(words[i - 1]) ||
                         words[i - 1].find('=') != std::string::npos;
    if (!is_free || !pattern_named(words[i])) continue;
    o.pattern = words[i];
    o.sizes = parse_sizes(pattern_named(o.pattern)->traits.sizes, "the pattern's sizes");
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

int count(const std::string& text, const char* option, int least, int fallback, int most = 1 << 30) {
  if (text.empty()) return fallback;
  const auto value = parse_integer(text, option);
  if (value < least || value > most)
    throw UsageError(
        most == 1 << 30
            ? fmt::format("{}: {} is too small or too large; {} or more works", option, text, least)
            : fmt::format("{}: {} does not work; {} to {} does", option, text, least, most));
  return static_cast<int>(value);
}

std::string one_of(const std::string& text, const char* option, std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), text) == known.end())
    throw UsageError(fmt::format("{}: '{}' is not one of {}", option, text, fmt::join(known, ", ")));
  return text;
}

void understand_pair(const Words& w, Options& o) {
  o.messages = count(w.messages, "-n/--num-messages", 1, o.messages, 1 << 28);
  o.warmups = count(w.warmups, "-w/--num-warmup-messages", 0, o.warmups, 1 << 28);
  o.buffers = count(w.buffers, "--num-multi-buf", 1, 1, 1 << 20);
  if (!w.sizes.empty()) o.sizes = parse_sizes(w.sizes, "-s/--size-messages");
  if (o.largest() > std::size_t{1} << 44)
    throw UsageError(fmt::format("-s/--size-messages: {} bytes are more than any memory has", o.largest()));
  if (w.semidirectional + w.bidirectional + w.unidirectional + w.put + w.get > 1)
    throw UsageError(
        "--semidirectional, --bidirectional, --unidirectional, --put and --get exclude each other");
  if (w.semidirectional) o.kernel = "semidirectional";
  if (w.bidirectional) o.kernel = "bidirectional";
  if (w.unidirectional) o.kernel = "unidirectional";
  if (w.put) o.kernel = "put";
  if (w.get) o.kernel = "get";
  if (!w.window.empty()) o.window = count(w.window, "--window", 1, 1, largest_window);
  if (o.window && !kernel_named(o.kernel).windowed)
    throw UsageError(fmt::format(
        "--window has a meaning with --unidirectional, --put and --get only, not with the {} kernel",
        o.kernel));
}

void understand_schedule(const Words& w, Options& o) {
  if (w.bisection && !w.schedule.empty() && w.schedule != "bisection")
    throw UsageError(fmt::format("--bisection and --schedule {} exclude each other", w.schedule));
  const std::string text = w.bisection ? "bisection" : w.schedule.empty() ? o.schedule : w.schedule;
  const auto colon = text.find(':');
  o.schedule = text.substr(0, colon);
  o.schedule_option = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto& entry = schedule_named(o.schedule);
  if (entry.option.empty() != o.schedule_option.empty())
    throw UsageError(entry.option.empty() ? fmt::format("--schedule {} has no option", o.schedule)
                                          : fmt::format("--schedule {0} wants an option: --schedule {0}:{1}",
                                                        o.schedule, entry.option));
  o.randomize = count(w.randomize, "--num-randomize-tasks", 0, 0, 1 << 20);
  o.min_iterations = count(w.min_iterations, "--min-iterations", 1, 1, 1 << 28);
  o.slowest = count(w.slowest, "--num-slowest", 0, o.slowest, 1 << 20);
  if (!w.min_runtime.empty()) o.min_runtime = parse_seconds(w.min_runtime, "--min-runtime");
  if (!w.seed.empty()) {
    const auto seed = parse_integer(w.seed, "--seed");
    if (seed < 0) throw UsageError(fmt::format("--seed: {} is negative; 0 or more works", w.seed));
    o.seed = static_cast<std::uint64_t>(seed);
  }
}

void understand(const CLI::App& app, const Words& w, Options& o) {
  begin_with_preset(o);
  o.np = count(w.np, "--np", 2, 0, 1 << 16);
  one_of(o.bootstrap, "--bootstrap", {"auto", "local", "stdin", "tcp", "slurm", "pmix", "pmi", "mpi"});
  if (o.np > 0 && o.bootstrap != "auto" && o.bootstrap != "local")
    throw UsageError(
        fmt::format("--np and --bootstrap {} exclude each other: --np starts the ranks itself", o.bootstrap));
  const std::string mode = w.mode.empty() ? o.mode : w.mode;
  const auto colon = mode.find(':');
  o.mode = mode.substr(0, colon);
  o.mode_options = colon == std::string::npos ? "" : mode.substr(colon + 1);
  const bool has_own = parse_settings(o.mode_options, "--mode " + o.mode).contains("interface");
  if (o.mode == "tcp" && !o.interface.empty() && !has_own && w.rails.empty())
    o.mode_options += (o.mode_options.empty() ? "interface=" : ",interface=") + o.interface;
  else if (o.np > 0 && !o.interface.empty())
    throw UsageError(
        fmt::format("--interface {}: with --np the control connections stay on loopback, and --mode {} does "
                    "not take it{}",
                    o.interface, mode, has_own ? " beside its own interface=" : "; --mode tcp does"));
  if (!w.rails.empty()) o.mode_options = with_rails(o.mode, o.mode_options, w.rails);
  memory_named(o.memory);
  if (!o.pattern.empty()) o.kernel = "unidirectional";  // --window has a meaning
  understand_pair(w, o);
  understand_schedule(w, o);
  if (!w.time_limit.empty()) o.time_limit = parse_seconds(w.time_limit, "--time-limit");
  if (!w.retest_budget.empty()) o.retest_budget = parse_seconds(w.retest_budget, "--retest-budget");
  if (!w.time_limit.empty() && o.time_limit <= 0)
    throw UsageError("--time-limit: 0 leaves no time to measure; above 0 works");
  if (o.all_to_all && o.mode != "mpi")
    throw UsageError(fmt::format("--all-to-all works with --mode mpi only, not with --mode {}", o.mode));
  const auto progress = one_of(w.progress, "--progress", {"auto", "plain", "json", "none"});
  o.progress = progress == "plain"  ? Progress::plain
               : progress == "json" ? Progress::json
               : progress == "none" ? Progress::none
                                    : Progress::automatic;
  if (!w.resume.empty()) {
    for (const char* other : {"--output", "--force", "--no-output"})
      if (app.count(other))
        throw UsageError(
            fmt::format("--resume and {} exclude each other: it goes on in its own file", other));
    o.resume = true;
    o.output = w.resume;
  }
  if (o.node_name.size() > longest_host_name)
    throw UsageError(fmt::format("--node-name: has {} characters; at most {} work", o.node_name.size(),
                                 longest_host_name));
  if (o.confirms()) {
    for (const char* other : {"--resume", "--force", "--no-output"})
      if (app.count(other))
        throw UsageError(fmt::format(
            "--confirm and {} exclude each other: its rows go into the results file that is there", other));
    o.resume = true;
  }
  if (o.no_output && app.count("--output")) throw UsageError("--no-output and --output exclude each other");
  if (o.no_output && o.keep_laps) throw UsageError("--no-output and --keep-laps exclude each other");
  if (!o.pattern.empty()) understand_pattern(w.pattern, o);
  check_format(o);
  check_preset(o);
}

}  // namespace

std::optional<Options> parse_command_line(int argc, const char* const* argv) {
  const std::vector<std::string> typed(argv, argv + argc);
  const char* layer = std::getenv("LINKTEST_VCLUSTER_IMPL");
  Line ours = in_our_words(typed, layer ? layer : "");
  CLI::App app{
      "Measures every point-to-point connection of a cluster, over the transport that applications use.",
      "everylink-measure"};
  Options options = defaults_of(ours.program);
  Words words;
  if (ours.program == Program::everylink_measure) take_pattern(ours.words, options);
  bind(app, options, words);
  app.footer(options.pattern.empty() ? help_of_patterns() + help_of(ours.program) : "");
  for (auto* option : app.get_options())  // the later one counts, as job scripts expect
    if (option->get_expected_min() > 0) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  auto line = whole_words(app, ours.words);
  std::reverse(line.begin(), line.end());
  try {
    app.parse(line);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return {};
  } catch (const CLI::ExtrasError&) {
    const bool could_be_pattern = ours.program == Program::everylink_measure && options.pattern.empty();
    throw UsageError(fmt::format("'{}' is no option{}", fmt::join(app.remaining(), " "),
                                 could_be_pattern
                                     ? " and no load pattern; the patterns are " + names_of_patterns()
                                     : "; --help lists them"));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (words.version) {
    fmt::print("everylink-measure {}\n", version);
    return {};
  }
  options.command = fmt::format("{}", fmt::join(typed, " "));
  understand(app, words, options);
  return options;
}

}  // namespace everylink
