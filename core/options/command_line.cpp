// Parses the command line: applies options in the order of the table, then refuses invalid combinations.
#include "options/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "host/rails.hpp"
#include "load/pattern.hpp"
#include "memory/memory.hpp"
#include "options/parser.hpp"
#include "options/preset.hpp"
#include "options/table.hpp"
#include "record/recorder.hpp"

namespace everylink {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 44;

// Sets the defaults of a pattern.
void begin_with_pattern(const std::string& name, Options& o) {
  const auto& traits = pattern_named(name)->traits;
  o.pattern = o.schedule = name;
  o.kernel = "unidirectional";  // as flows are
  o.messages = {0};
  o.warmups = o.slowest = 0;
  o.sizes = parse_sizes(traits.sizes, "the pattern's sizes");
  o.duration = traits.duration;
}

// Stores a pattern's own options as settings, which the pattern reads.
void keep_settings(const Given& given, Options& o) {
  for (const auto& option : pattern_named(o.pattern)->options)
    if (const auto& name = option.name(); given.has(name))
      o.pattern_settings[name.substr(2)] = option.is_flag() ? "yes" : given.value(name);
  o.check = o.pattern_settings.contains("check");
}

void refuse_exclusions(const Given& given) {
  for (const auto& [options, reason] : exclusions()) {
    std::vector<std::string> both;
    for (const auto& option : options)
      if (given.has(option)) both.push_back(option);
    if (both.size() > 1)
      throw UsageError(fmt::format("{} and {} exclude each other: {}", both[0], both[1], reason));
  }
}

// Refuses options that do not apply to the kernel or mode.
void refuse_unrequired(const std::vector<Option>& options, const Given& given, const Options& o) {
  const auto refuse = [](const Option& option, const std::vector<std::string>& those,
                         const std::string& prefix, const std::string& chosen) {
    if (those.empty() || std::find(those.begin(), those.end(), chosen) != those.end()) return;
    throw UsageError(fmt::format("{} applies only to {}{}, not to {}{}", option.name(), prefix,
                                 fmt::join(those, prefix == "--" ? ", --" : ", "), prefix, chosen));
  };
  for (const auto& option : options) {
    if (!given.has(option.name())) continue;
    refuse(option, option.kernels, "--", o.kernel);
    refuse(option, option.modes, "--mode ", o.mode);
  }
}

void refuse_two_ways_to_start(const Given& given, const Options& o) {
  const auto may_start_here = {StartBy::automatic, StartBy::local, StartBy::tcp};
  if (o.np > 0 &&
      std::find(may_start_here.begin(), may_start_here.end(), o.bootstrap) == may_start_here.end())
    throw UsageError(fmt::format("--np and --bootstrap {} exclude each other: --np starts the ranks itself",
                                 given.value("--bootstrap")));
}

void refuse_two_schedules(const Given& given) {
  const auto schedule = given.value("--schedule");
  if (given.has("--bisection") && !schedule.empty() && schedule != "bisection")
    throw UsageError(fmt::format("--bisection and --schedule {} exclude each other", schedule));
}

void refuse_switches(const Options& o) {
  if (!o.switches.empty() && o.schedule != "screen")
    throw UsageError(
        fmt::format("--switches has no effect with --schedule {}; add --schedule screen", o.schedule_text()));
}

// Adds --interface and --rails to the mode's options, so that results and --resume contain them.
void choose_devices(const Given& given, Options& o) {
  const bool has_own = parse_settings(o.mode_options, "--mode " + o.mode).contains("interface");
  const bool has_rails = given.has("--rails");
  if (o.mode == "tcp" && !o.interface.empty() && !has_own && !has_rails)
    o.mode_options += (o.mode_options.empty() ? "interface=" : ",interface=") + o.interface;
  else if (o.np > 0 && o.bootstrap != StartBy::tcp && !o.interface.empty())
    throw UsageError(fmt::format(
        "--interface {}: --np keeps control traffic on loopback, and --mode {} does not use the option{}",
        o.interface, o.mode, has_own ? " together with interface=" : "; --mode tcp does"));
  if (has_rails) o.mode_options = with_rails(o.mode, o.mode_options, given.value("--rails"));
}

// Mode cuda has no use for memory of the host.
void choose_memory(const Given& given, Options& o) {
  if (o.mode == "cuda" && !given.has("--memory")) o.memory = "cuda";
  if (o.mode == "cuda" && o.memory != "cuda")
    throw UsageError(fmt::format(
        "--memory {}: mode cuda moves messages between memories of GPUs; use --memory cuda", o.memory));
  const bool has_gpu = memory_named(o.memory).needs_gpu;
  if (given.has("--gpus") && !has_gpu)
    throw UsageError(fmt::format("--gpus has no effect with --memory {}; add --memory cuda", o.memory));
}

void check_sizes(const Options& o) {
  if (o.messages.size() > 1 && o.messages.size() != o.sizes.size())
    throw UsageError(fmt::format(
        "-n/--num-messages: {} numbers for {}; use one number, or one per size of -s/--size-messages",
        o.messages.size(), text_of_count(static_cast<std::int64_t>(o.sizes.size()), "size")));
  if (o.largest() > largest_message)
    throw UsageError(fmt::format("-s/--size-messages: {} bytes exceed any memory", o.largest()));
  if (!o.pattern.empty() && std::find(o.sizes.begin(), o.sizes.end(), 0u) != o.sizes.end())
    throw UsageError("-s/--size-messages: messages of 0 bytes do not load a network; use 1 or more");
}

Options understood(const std::string& command, const Given& given, Options o) {
  const auto options = options_of(command);
  if (given.has("--preset")) apply(option_named("--preset"), given.value("--preset"), o);
  begin_with_preset(o);
  refuse_exclusions(given);
  refuse_two_schedules(given);
  apply(options, given, o);
  refuse_switches(o);
  refuse_two_ways_to_start(given, o);
  refuse_unrequired(options, given, o);
  choose_devices(given, o);
  if (!o.pattern.empty()) keep_settings(given, o);
  choose_memory(given, o);
  check_sizes(o);
  check_format(o);
  check_preset(o);
  return o;
}

}  // namespace

Command parse(Line line) {
  Options& o = line.defaults;
  if (o.program == Program::everylink_measure)
    if (const auto pattern = take_pattern(line.words); !pattern.empty()) begin_with_pattern(pattern, o);
  const std::string command = o.pattern.empty() ? std::string(of_pairs) : o.pattern;
  const Given given = parse_words(line.words, command, o.program == Program::everylink_measure);
  if (given.has("-h")) return {Action::show_help, o, "short"};
  if (given.has("--help")) {
    apply(option_named("--help"), given.value("--help"), o);
    return {Action::show_help, o, given.value("--help")};
  }
  if (given.has("--version")) return {Action::show_version, o};
  if (given.has("--list")) return {Action::list, o};
  return {Action::measure, understood(command, given, std::move(o))};
}

}  // namespace everylink
