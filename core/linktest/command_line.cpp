// The command lines of LinkTest 2 (linktest) and LinkTest 1.2 (mpilinktest).
#include "linktest/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "options/table.hpp"

namespace everylink {
namespace {

constexpr const char* results_file = "pingpong_results_bin.sion";
constexpr int any_number = 1 << 20;  // of slowest pairs: more than there are ranks

// An option of LinkTest 2. An option that abbreviates none of these names is ours.
struct Theirs {
  std::string_view name;  // without the dashes
  bool has_value;
  std::string_view ours;        // "": its effect is always on
  std::string_view instead;     // not "": refused, with this alternative
  std::string_view brief = "";  // where it is none of ours
};

constexpr Theirs of_linktest2[] = {
    {"hide-progress", false, "--progress=none", ""},
    {"hostname", false, "", "the hosts of all ranks are always in the results; leave it out"},
    {"memory", true, "--memory", ""},  // ours, not an abbreviation of the next
    {"memory-buffer-allocator", true, "",
     "LinkTest's allocators do not exist here; use DEFAULT, or --memory host or --memory huge"},
    {"mix", false, "--num-randomize-tasks=1", ""},
    {"multi-buffer", false, "", "", "use several buffers: requires --num-multi-buffer, which implies it"},
    {"parallel-sion-file", false, "", "",
     "each rank writes its own part of the file, as it always does here"},
    {"randomize", false, "--num-randomize-tasks=1", ""},
    {"randomize-buffers", false, "",
     "buffers are always used in turn; --num-multi-buffer K without it cycles through K buffers"},
    {"randomize-steps", false, "",
     "a pair's step follows from its ranks; --num-randomize-tasks 1 measures the ranks in a random order"},
    {"seed", true, "--seed", ""},  // ours, not an abbreviation of the next
    {"seed-randomize-buffers", true, "",
     "buffers are always used in turn; --num-multi-buffer K without it cycles through K buffers"},
    {"seed-randomize-steps", true, "",
     "a pair's step follows from its ranks; --seed S with --num-randomize-tasks 1 fixes a random order"},
    {"use-gpu-memory", false, "--memory=cuda", ""},
};

// All of them: those above, and our options that have a LinkTest name.
std::vector<Theirs> known_of_linktest2() {
  std::vector<Theirs> all(std::begin(of_linktest2), std::end(of_linktest2));
  for (const auto& option : all_options())
    for (const auto& name : option.linktest2)
      all.push_back({name, !option.is_flag() && !option.is_optional, option.name(), ""});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

bool is_among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class OfLinkTest2 {
 public:
  OfLinkTest2(const std::vector<std::string>& typed, std::string_view layer) : typed_(typed) {
    if (!layer.empty()) words_ = {"--mode", std::string(layer)};
    has_mode_ = !layer.empty();
    for (std::size_t i = 1; i < typed.size(); ++i) {
      const auto& word = typed[i];
      has_mode_ |= word.starts_with("-m");
      if (word.starts_with("--") && word.size() > 2 && !word.starts_with("--help="))
        i += take(word, i);
      else
        words_.push_back(word == "-v" ? "--version" : word);
    }
    const auto measures_nothing = [](const std::string& word) {
      return word.starts_with("--help") || word == "-h" || word == "--version" || word == "-V" ||
             word == "--list";
    };
    if (!has_mode_ && std::none_of(words_.begin(), words_.end(), measures_nothing))
      throw UsageError(
          "-m/--mode is required (mpi, tcp, ucp, ibverbs, psm2, ...): --mode mpi, or the name linktest.mpi, "
          "or "
          "LINKTEST_VCLUSTER_IMPL=mpi");
    if (buffers_ && !number_of_buffers_)
      throw UsageError("--multi-buffer requires --num-multi-buffer K, the number of buffers");
  }

  std::vector<std::string> words() && { return std::move(words_); }

 private:
  // Returns how many of the following words belong to this one.
  std::size_t take(const std::string& word, std::size_t at) {
    const auto equals = word.find('=');
    const bool attached = equals != std::string::npos;
    const Theirs* option = named(word.substr(2, attached ? equals - 2 : equals));
    if (!option) {
      words_.push_back(word);
      return 0;
    }
    has_mode_ |= option->name == "mode";
    buffers_ |= option->name == "multi-buffer";
    number_of_buffers_ |= option->name == "num-multi-buffer";
    const bool follows = option->has_value && !attached && at + 1 < typed_.size();
    const std::string value = attached ? word.substr(equals + 1) : follows ? typed_[at + 1] : "";
    const bool is_default = option->name == "memory-buffer-allocator" && value == "DEFAULT";
    if (!option->instead.empty() && !is_default)
      throw UsageError(fmt::format("--{}: {}", option->name, option->instead));
    if (attached && !option->has_value)
      throw UsageError(fmt::format("--{}: takes no value; '{}' gives one", option->name, word));
    if (!option->ours.empty()) words_.emplace_back(option->ours);
    if (!option->ours.empty() && !value.empty()) words_.push_back(value);
    return follows ? 1 : 0;
  }

  // By name or unambiguous abbreviation; null: not one of them.
  const Theirs* named(const std::string& stem) const {
    std::vector<std::string> names;
    for (const auto& option : known_) names.emplace_back(option.name);
    const auto found = beginning_with(stem, names);
    if (found.size() > 1)
      throw UsageError(fmt::format("--{}: could be --{}", stem, fmt::join(found, " or --")));
    for (const auto& option : known_)
      if (!found.empty() && option.name == found[0]) return &option;
    return nullptr;
  }

  const std::vector<std::string>& typed_;
  const std::vector<Theirs> known_ = known_of_linktest2();
  std::vector<std::string> words_;
  bool has_mode_ = false, buffers_ = false, number_of_buffers_ = false;
};

long long whole_number(const std::string& text, const std::string& option, long long least) {
  const auto value = parse_integer(text, option);
  if (value < least)
    throw UsageError(fmt::format("{}: {} is too small; use {} or more", option, text, least));
  return value;
}

// An option of LinkTest 1.2: a letter, followed by its value as a separate word.
struct Letter {
  char letter;
  std::string_view value, brief, default_text;  // brief "": that of our option
};

constexpr Letter of_linktest1[] = {
    {'a', "0|1", "", "0"},
    {'i', "N", "", "3"},
    {'I', "N", "", "0"},
    {'s', "BYTES", "message size; K, M and G are powers of 1024", "131072"},
    {'k', "KIB", "message size in KiB; of -s and -k the later one counts", ""},
    {'M', "0|1", "measure in a random order of the ranks", "0"},
    {'S', "0|1", "", "0"},
    {'T', "MINUTES", "", "off"},
    {'W', "0|1", "write a results file", "1"},
    {'Y', "0|1", "either way each rank writes its own part of the results file", "1"},
    {'Z', "N", "re-measure the N slowest pairs at the end, at most one per rank", "one per rank"},
};

// Our option for this letter.
const Option& ours_of(char letter) {
  for (const auto& option : all_options())
    if (option.linktest1.find(letter) != std::string::npos) return option;
  throw std::logic_error(fmt::format("-{} has no option of ours", letter));
}

// Options that LinkTest 1.2's own help does not mention.
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
      if (word.starts_with("--")) {  // ours, with its values
        words_.push_back(word);
        while (i + 1 < typed.size() && !typed[i + 1].starts_with("-")) words_.push_back(typed[++i]);
      } else if (word == "-V" || word == "-h") {
        words_.push_back(word);
      } else {
        const auto& option = known(word);
        if (i + 1 == typed.size())
          throw UsageError(fmt::format("{} requires a value: {}", word, option.value));
        take(option.letter, word, typed[++i]);
      }
    }
    for (const char letter : {'a', 'S'})
      if (is_set(letter)) words_.push_back(ours_of(letter).name());
    if (is_set('M')) words_.push_back(ours_of('M').name() + "=1");
    if (switches_.contains('W') && !is_set('W')) words_.push_back(ours_of('W').name());
  }

  std::vector<std::string> words() && { return std::move(words_); }

 private:
  static const Letter& known(const std::string& word) {
    for (const auto& option : of_linktest1)
      if (word.size() == 2 && word[0] == '-' && word[1] == option.letter) return option;
    for (const auto& [letter, instead] : old_without_us)
      if (word.size() == 2 && word[0] == '-' && word[1] == letter)
        throw UsageError(fmt::format("{}: {}", word, instead));
    if (!word.starts_with("-"))
      throw UsageError(
          fmt::format("'{}' is neither an option nor the value of one; --help lists the options", word));
    throw UsageError(
        fmt::format("{}: unknown option; mpilinktest has -a -i -I -k -M -s -S -T -V -W -Y -Z, each "
                    "with a value behind a blank, and the long options of everylink-measure (--help)",
                    word));
  }

  bool is_set(char letter) const {
    const auto found = switches_.find(letter);
    return found != switches_.end() && found->second;
  }

  void take(char letter, const std::string& option, const std::string& value) {
    const auto ours = [&](const std::string& text) {
      words_.insert(words_.end(), {ours_of(letter).name(), text});
    };
    switch (letter) {
      case 'i': return ours(fmt::to_string(whole_number(value, option, 1)));
      case 'I': return ours(fmt::to_string(whole_number(value, option, 0)));
      case 's': return ours(fmt::to_string(parse_bytes(value, option)));
      case 'k': return ours(fmt::format("{}KiB", whole_number(value, option, 0)));
      case 'T': {
        const double minutes = parse_number(value, option);
        if (minutes > 0) ours(fmt::format("{}s", 60 * minutes));  // otherwise off
        return;
      }
      case 'Z': {
        const auto number = parse_integer(value, option);
        return ours(fmt::to_string(number < 0 || number > any_number ? any_number : number));
      }
      default: break;
    }
    if (value != "0" && value != "1")
      throw UsageError(fmt::format("{}: invalid value '{}'; use 0 or 1", option, value));
    switches_[letter] = value == "1";
  }

  std::vector<std::string> words_{"--mode", "mpi"};
  std::map<char, bool> switches_;
};

}  // namespace

Caller caller_of(const std::string& path) {
  constexpr std::string_view with_layer = "linktest.";
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "mpilinktest") return {Program::mpilinktest, "", name};
  if (name == "linktest") return {Program::linktest, "", name};
  if (name.starts_with(with_layer)) return {Program::linktest, name.substr(with_layer.size()), name};
  return {};
}

Line in_our_words(const std::vector<std::string>& typed, std::string_view layer) {
  if (typed.empty()) return {};
  const Caller caller = caller_of(typed.front());
  Line line{{typed.begin() + 1, typed.end()}, defaults_of(caller.program)};
  if (caller.program == Program::mpilinktest) line.words = OfLinkTest1(typed).words();
  if (caller.program == Program::linktest)
    line.words = OfLinkTest2(typed, caller.layer.empty() ? layer : caller.layer).words();
  line.defaults.command = fmt::format("{}", fmt::join(typed, " "));
  return line;
}

Options defaults_of(Program program) {
  Options o;
  o.program = program;
  if (program == Program::everylink_measure) return o;
  o.output = results_file;
  o.force = o.step_lines = true;  // as LinkTest does
  if (program == Program::linktest) return o;
  o.messages = {3};
  o.warmups = 0;
  o.sizes = {131072};
  o.slowest = any_number;
  return o;
}

std::vector<Option> options_of_linktest2() {
  std::vector<Option> options;
  for (const auto& [name, has_value, ours, instead, brief] : known_of_linktest2()) {
    if (!instead.empty()) continue;
    const auto equals = ours.find('=');
    const Option* same = ours.empty() ? nullptr : &option_named(ours.substr(0, equals));
    if (same && ours.substr(2) == name && !is_among(same->linktest2, name)) continue;  // not LinkTest's
    Option option = same && equals == std::string_view::npos ? *same : Option{};
    if (!same)
      option.brief = brief;
    else if (equals != std::string_view::npos)
      option.brief = fmt::format("the same as {}", ours);
    std::erase_if(option.names, [](const auto& one) { return one.starts_with("--"); });
    if (name == "version") option.names.emplace_back("-v");
    option.names.push_back(fmt::format("--{}", name));
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<Option> options_of_linktest1() {
  std::vector<Option> options;
  for (const auto& [letter, value, brief, default_text] : of_linktest1)
    options.push_back({.names = {fmt::format("-{}", letter)},
                       .value = std::string(value),
                       .brief = brief.empty() ? ours_of(letter).brief : std::string(brief),
                       .default_text = std::string(default_text)});
  return options;
}

}  // namespace everylink
