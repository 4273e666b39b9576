// The command lines of LinkTest 2 (linktest) and LinkTest 1.2 (mpilinktest).
#include "linktest/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {
namespace {

constexpr const char* results_file = "pingpong_results_bin.sion";
constexpr int any_number = 1 << 20;  // of slowest pairs: there are never more than ranks

// A long option of LinkTest 2. Those that abbreviate none of its names are ours.
struct Modern {
  std::string_view name;
  bool wants_value;
  std::string_view ours;     // "": what it asks for is always so
  std::string_view instead;  // not "": we have no such thing
};

constexpr Modern modern[] = {
    {"all-to-all", false, "--all-to-all", ""},
    {"bidirectional", false, "--bidirectional", ""},
    {"bisection", false, "--bisection", ""},
    {"check-buffers", false, "--check", ""},
    {"help", false, "--help", ""},
    {"hostname", false, "", "the hosts of all ranks are always in the results; leave it out"},
    {"memory", true, "--memory", ""},  // ours
    {"memory-buffer-allocator", true, "", "--memory host or --memory huge says where messages lie"},
    {"min-iterations", true, "--min-iterations", ""},
    {"min-runtime", true, "--min-runtime", ""},
    {"mix", false, "--num-randomize-tasks=1", ""},
    {"mode", true, "--mode", ""},
    {"multi-buffer", false, "", ""},  // what --num-multi-buffer says
    {"no-sion-file", false, "--no-output", ""},
    {"num-messages", true, "--num-messages", ""},
    {"num-multi-buffer", true, "--num-multi-buf", ""},
    {"num-randomize-tasks", true, "--num-randomize-tasks", ""},
    {"num-slowest", true, "--num-slowest", ""},
    {"num-warmup-messages", true, "--num-warmup-messages", ""},
    {"output", true, "--output", ""},
    {"parallel-sion-file", false, "", ""},
    {"randomize", false, "--num-randomize-tasks=1", ""},
    {"randomize-buffers", false, "", "--num-multi-buffer K without it walks through K buffers in turn"},
    {"randomize-steps", false, "", "--num-randomize-tasks 1 measures in a random order"},
    {"seed", true, "--seed", ""},  // ours
    {"seed-randomize-buffers", true, "", "--num-multi-buffer K without it walks through K buffers in turn"},
    {"seed-randomize-steps", true, "", "--seed S with --num-randomize-tasks 1 fixes a random order"},
    {"seed-randomize-tasks", true, "--seed", ""},
    {"semidirectional", false, "--semidirectional", ""},
    {"serial-tests", false, "--serial-tests", ""},
    {"size-messages", true, "--size-messages", ""},
    {"unidirectional", false, "--unidirectional", ""},
    {"use-gpu-memory", false, "--memory=cuda", ""},
    {"version", false, "--version", ""},
};

// By its name or what begins no other; null: it is not one of them.
const Modern* modern_named(std::string_view stem) {
  const Modern* found = nullptr;
  for (const auto& option : modern) {
    if (option.name == stem) return &option;
    if (!option.name.starts_with(stem)) continue;
    if (found) throw UsageError(fmt::format("--{}: could be --{} or --{}", stem, found->name, option.name));
    found = &option;
  }
  return found;
}

class OfLinkTest2 {
 public:
  OfLinkTest2(const std::vector<std::string>& typed, std::string_view layer) : typed_(typed) {
    if (!layer.empty()) words_ = {"--mode", std::string(layer)};
    has_mode_ = !layer.empty();
    for (std::size_t i = 1; i < typed.size(); ++i) {
      const auto& word = typed[i];
      has_mode_ |= word.starts_with("-m");
      if (word.starts_with("--") && word.size() > 2)
        i += take(word, i);
      else
        words_.push_back(word == "-v" ? "--version" : word);
    }
    const auto measures_nothing = [](const std::string& word) {
      return word == "--help" || word == "-h" || word == "--version" || word == "-V" || word == "--list";
    };
    if (!has_mode_ && std::none_of(words_.begin(), words_.end(), measures_nothing))
      throw UsageError(
          "-m/--mode wants to be given (mpi, tcp, ucp, ibverbs, psm2, ...): --mode mpi, or the name "
          "linktest.mpi, or LINKTEST_VCLUSTER_IMPL=mpi");
    if (buffers_ && !number_of_buffers_)
      throw UsageError("--multi-buffer: --num-multi-buffer K says how many buffers");
  }

  std::vector<std::string> words() && { return std::move(words_); }

 private:
  // Gives how many words behind this one belong to it.
  std::size_t take(const std::string& word, std::size_t at) {
    const auto equals = word.find('=');
    const bool attached = equals != std::string::npos;
    const Modern* option = modern_named(std::string_view(word).substr(2, attached ? equals - 2 : equals));
    if (!option) {
      words_.push_back(word);
      return 0;
    }
    has_mode_ |= option->name == "mode";
    buffers_ |= option->name == "multi-buffer";
    number_of_buffers_ |= option->name == "num-multi-buffer";
    const bool follows = option->wants_value && !attached && at + 1 < typed_.size();
    const std::string value = attached ? word.substr(equals + 1) : follows ? typed_[at + 1] : "";
    const bool is_default = option->name == "memory-buffer-allocator" && value == "DEFAULT";
    if (!option->instead.empty() && !is_default)
      throw UsageError(fmt::format("--{}: {}", option->name, option->instead));
    if (attached && !option->wants_value)
      throw UsageError(fmt::format("--{} takes no value; '{}' gives one", option->name, word));
    if (!option->ours.empty()) words_.emplace_back(option->ours);
    if (!option->ours.empty() && !value.empty()) words_.push_back(value);
    return follows ? 1 : 0;
  }

  const std::vector<std::string>& typed_;
  std::vector<std::string> words_;
  bool has_mode_ = false, buffers_ = false, number_of_buffers_ = false;
};

long long whole_number(const std::string& text, const std::string& option, long long least) {
  const auto value = parse_integer(text, option);
  if (value < least)
    throw UsageError(fmt::format("{}: {} is too small; {} or more works", option, text, least));
  return value;
}

// An option of LinkTest 1.2: a letter, and a word of its own behind it.
struct Old {
  char letter;
  std::string_view value, summary;
};
constexpr Old old[] = {
    {'a', "0|1", "--all-to-all"},
    {'i', "N", "--num-messages (3)"},
    {'I', "N", "--num-warmup-messages (0)"},
    {'s', "BYTES", "--size-messages (131072)"},
    {'k', "KIB", "the same in KiB"},
    {'M', "0|1", "--num-randomize-tasks 1"},
    {'S', "0|1", "--serial-tests"},
    {'T', "MINUTES", "--min-runtime"},
    {'W', "0|1", "1: write results (1); 0: --no-output"},
    {'Y', "0|1", "either way each rank writes its own part of the results"},
    {'Z', "N", "--num-slowest, at most one a rank (which is the default)"},
};
// Of which LinkTest 1.2 says nothing in its own help.
constexpr std::pair<char, std::string_view> old_without_us[] = {
    {'C', "every step has its line; leave it out"},
    {'D', "nothing sleeps between steps; leave it out"},
    {'N', "--min-iterations N goes through the schedule N times"},
};

class OfLinkTest1 {
 public:
  explicit OfLinkTest1(const std::vector<std::string>& typed) {
    for (std::size_t i = 1; i < typed.size(); ++i) {
      const auto& word = typed[i];
      if (word.starts_with("--")) {  // ours, with what it may want
        words_.push_back(word);
        while (i + 1 < typed.size() && !typed[i + 1].starts_with("-")) words_.push_back(typed[++i]);
      } else if (word == "-V" || word == "-h") {
        words_.push_back(word);
      } else {
        const auto& option = known(word);
        if (i + 1 == typed.size()) throw UsageError(fmt::format("{} wants a value: {}", word, option.value));
        take(option.letter, word, typed[++i]);
      }
    }
    if (is_set('a')) words_.emplace_back("--all-to-all");
    if (is_set('M')) words_.emplace_back("--num-randomize-tasks=1");
    if (is_set('S')) words_.emplace_back("--serial-tests");
    if (switches_.contains('W') && !is_set('W')) words_.emplace_back("--no-output");
  }

  std::vector<std::string> words() && { return std::move(words_); }

 private:
  static const Old& known(const std::string& word) {
    for (const auto& option : old)
      if (word.size() == 2 && word[0] == '-' && word[1] == option.letter) return option;
    for (const auto& [letter, instead] : old_without_us)
      if (word.size() == 2 && word[0] == '-' && word[1] == letter)
        throw UsageError(fmt::format("{}: {}", word, instead));
    throw UsageError(
        fmt::format("{}: there is no such option; mpilinktest has -a -i -I -k -M -s -S -T -V -W -Y -Z, each "
                    "with a value behind a blank, and the long options of everylink-measure (--help)",
                    word));
  }

  bool is_set(char letter) const {
    const auto found = switches_.find(letter);
    return found != switches_.end() && found->second;
  }

  void take(char letter, const std::string& option, const std::string& value) {
    const auto ours = [&](const char* name, const std::string& text) {
      words_.insert(words_.end(), {name, text});
    };
    switch (letter) {
      case 'i': return ours("--num-messages", fmt::to_string(whole_number(value, option, 1)));
      case 'I': return ours("--num-warmup-messages", fmt::to_string(whole_number(value, option, 0)));
      case 's': return ours("--size-messages", fmt::to_string(parse_bytes(value, option)));
      case 'k': return ours("--size-messages", fmt::format("{}KiB", whole_number(value, option, 0)));
      case 'T': return minutes(option, value);
      case 'Z': {
        const auto number = parse_integer(value, option);
        return ours("--num-slowest", fmt::to_string(number < 0 || number > any_number ? any_number : number));
      }
      default: break;
    }
    if (value != "0" && value != "1")
      throw UsageError(fmt::format("{}: '{}' does not work; 0 or 1 does", option, value));
    switches_[letter] = value == "1";
  }

  // Off where it is not above 0.
  void minutes(const std::string& option, const std::string& value) {
    const double number = parse_number(value, option);
    if (number > 0) words_.insert(words_.end(), {"--min-runtime", fmt::format("{}s", 60 * number)});
  }

  std::vector<std::string> words_{"--mode", "mpi"};
  std::map<char, bool> switches_;
};

}  // namespace

Line in_our_words(const std::vector<std::string>& typed, std::string_view layer) {
  if (typed.empty()) return {Program::everylink_measure, {}};
  const auto& path = typed.front();
  const std::string name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view with_layer = "linktest.";
  if (name == "mpilinktest") return {Program::mpilinktest, OfLinkTest1(typed).words()};
  if (name == "linktest") return {Program::linktest, OfLinkTest2(typed, layer).words()};
  if (name.starts_with(with_layer))
    return {Program::linktest, OfLinkTest2(typed, name.substr(with_layer.size())).words()};
  return {Program::everylink_measure, {typed.begin() + 1, typed.end()}};
}

Options defaults_of(Program program) {
  Options o;
  o.program = program;
  if (program == Program::everylink_measure) return o;
  o.output = results_file;
  o.force = o.step_lines = true;  // as they did
  if (program == Program::linktest) return o;
  o.messages = 3;
  o.warmups = 0;
  o.sizes = {131072};
  o.slowest = any_number;
  return o;
}

std::string help_of(Program program) {
  std::string text;
  if (program == Program::linktest) {
    text = "As linktest also LinkTest 2's own names, and results in LinkTest's format:\n";
    for (const auto& option : modern)
      if (option.instead.empty() && option.ours != fmt::format("--{}", option.name))
        text += fmt::format("  --{:<28}{}\n", option.name,
                            option.ours.empty() ? "understood" : fmt::format("the same as {}", option.ours));
  }
  if (program == Program::mpilinktest) {
    text = "As mpilinktest the options of LinkTest 1.2, --mode mpi, and results in LinkTest's format:\n";
    for (const auto& option : old)
      text += fmt::format("  -{} {:<28}{}\n", option.letter, option.value, option.summary);
  }
  return text;
}

}  // namespace everylink
