// The parser: CLI11 splits words; the table defines the options.
#include "options/parser.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "base/errors.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "options/table.hpp"

namespace everylink {
namespace {

using Words = std::vector<std::string>;

Words long_names(const std::vector<Option>& options) {
  Words names;
  for (const auto& option : options)
    for (const auto& name : option.names)
      if (name.starts_with("--") && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

const Option* option_of(const std::vector<Option>& options, std::string_view name) {
  for (const auto& option : options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  return nullptr;
}

bool is_long(std::string_view word) { return word.starts_with("--") && word.size() > 2; }

// An option that other commands have, but this one does not.
std::string where_it_applies(std::string_view typed, std::string_view command) {
  Words names;
  for (const auto& option : all_options())
    if (std::find(option.names.begin(), option.names.end(), typed) != option.names.end())
      names.insert(names.end(), option.applies_to.begin(), option.applies_to.end());
  if (names.empty()) return {};
  const bool is_of_pairs = names.front() == of_pairs;
  return is_of_pairs ? fmt::format(
                           "{}: does not apply to the pattern {}; everylink-measure {} --help lists "
                           "its options",
                           typed, command, command)
         : command == of_pairs
             ? fmt::format("{}: applies only to the pattern{} {}; --help lists the options", typed,
                           names.size() > 1 ? "s" : "", fmt::join(names, ", "))
             : fmt::format(
                   "{}: applies to the pattern{} {}, not to {}; everylink-measure {} --help lists its "
                   "options",
                   typed, names.size() > 1 ? "s" : "", fmt::join(names, ", "), command, command);
}

[[noreturn]] void refuse_unknown(const std::string& typed, const std::vector<Option>& options,
                                 std::string_view command) {
  const auto in_pattern = where_it_applies(typed, command);
  throw UsageError(!in_pattern.empty() ? in_pattern
                                       : fmt::format("{}: unknown option{}; --help lists the options", typed,
                                                     did_you_mean(typed, long_names(options))));
}

// Expands an unambiguous abbreviation of a long option: `--bidirection` to `--bidirectional`.
std::string whole_option(const std::vector<Option>& options, const std::string& word,
                         std::string_view command) {
  if (!is_long(word)) return word;
  const auto equals = word.find('=');
  const std::string typed = word.substr(0, equals);
  const auto found = beginning_with(typed, long_names(options));
  if (found.empty()) refuse_unknown(typed, options, command);
  if (found.size() > 1) throw UsageError(fmt::format("{}: could be {}", typed, fmt::join(found, " or ")));
  return found[0] + (equals == std::string::npos ? "" : word.substr(equals));
}

bool is_value(const std::string& word) {
  // A negative number counts as a value, so that the refusal names it; any other word with a minus does not.
  return !word.starts_with("-") || word.size() == 1 || std::isdigit(static_cast<unsigned char>(word[1]));
}

// Joins values to their options, because CLI11's messages about a missing value, or about a flag with a
// value, are unclear.
Words whole_words(const std::vector<Option>& options, const Words& typed, std::string_view command) {
  Words words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    words.push_back(whole_option(options, typed[i], command));
    const auto equals = is_long(words.back()) ? words.back().find('=') : std::string::npos;
    const auto* option = option_of(options, words.back().substr(0, equals));
    if (!option || option->is_optional) continue;
    if (equals != std::string::npos) {
      if (option->is_flag())
        throw UsageError(fmt::format("{}: takes no value; '{}' gives one", option->name(), typed[i]));
      continue;
    }
    if (option->is_flag()) continue;
    if (i + 1 == typed.size() || typed[i + 1].empty())
      throw UsageError(fmt::format("{} requires a value: {}", typed[i], option->brief));
    const std::string& value = typed[++i];
    if (!is_value(value))
      throw UsageError(fmt::format("{} requires a value, but {} is an option", typed[i - 1], value));
    words.back() += (is_long(words.back()) ? "=" : "") + value;
  }
  return words;
}

std::string neither(const std::vector<std::string>& words, std::string_view command, bool has_patterns) {
  const auto& word = words.front();
  if (!has_patterns && !word.starts_with("-"))
    return fmt::format("'{}' is neither an option nor the value of one; --help lists the options", word);
  if (command != of_pairs || word.starts_with("-"))
    return fmt::format("{}: unknown option; --help lists the options", word);
  return fmt::format("'{}' is neither an option nor a load pattern{}; the patterns are {}", word,
                     did_you_mean(word, pattern_names()), fmt::join(pattern_names(), ", "));
}

long long number_in_range(const Option& option, const std::string& text) {
  const auto value = parse_integer(text, option.both_names());
  if (value >= option.least && value <= option.most) return value;
  if (option.most >= std::numeric_limits<int>::max())
    throw UsageError(
        fmt::format("{}: {} is too small; use {} or more", option.both_names(), text, option.least));
  throw UsageError(fmt::format("{}: {} is out of range; use {} to {}", option.both_names(), text,
                               option.least, option.most));
}

std::size_t index_of_choice(const Option& option, const std::string& text) {
  const auto found = std::find(option.choices.begin(), option.choices.end(), text);
  if (found == option.choices.end())
    throw UsageError(option.name() + ": " + unknown_name("value", text, option.choices));
  return static_cast<std::size_t>(found - option.choices.begin());
}

// Applies one kind of Effect.
struct Apply {
  const Option& option;
  const std::string& value;
  Options& o;

  void operator()(std::monostate) const {}
  void operator()(bool Options::*flag) const { o.*flag = true; }
  void operator()(int Options::*number) const { o.*number = count(); }
  void operator()(std::optional<int> Options::*number) const { o.*number = count(); }
  void operator()(Seconds Options::*time) const { o.*time = parse_seconds(value, option.both_names()); }
  void operator()(std::string Options::*text) const { o.*text = value; }
  void operator()(std::vector<int> Options::*numbers) const {
    (o.*numbers).clear();
    for (const auto& one : split(value, ','))
      (o.*numbers).push_back(static_cast<int>(number_in_range(option, one)));
  }
  void operator()(std::vector<std::size_t> Options::*sizes) const {
    o.*sizes = parse_sizes(value, option.both_names());
  }
  void operator()(void (*flag)(Options&)) const { flag(o); }
  void operator()(void (*text)(Options&, const std::string&)) const { text(o, value); }
  void operator()(void (*choice)(Options&, std::size_t)) const { choice(o, index_of_choice(option, value)); }

 private:
  int count() const { return static_cast<int>(number_in_range(option, value)); }
};

// Checks counts and choices against the table, whatever their effect.
void check_value(const Option& option, const std::string& value) {
  if (option.unit == Quantity::choice) index_of_choice(option, value);
  if (option.unit != Quantity::count || option.is_flag()) return;
  for (const auto& one : option.is_list ? split(value, ',') : Words{value}) number_in_range(option, one);
}

}  // namespace

std::string take_pattern(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (pattern_named(words[i])) {
      const auto name = words[i];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return name;
    }
    if (!words[i].starts_with("-") || (is_long(words[i]) && words[i].find('=') != std::string::npos))
      continue;
    const auto found =
        is_long(words[i]) ? beginning_with(words[i], long_names(all_options())) : Words{words[i]};
    const auto* option = found.size() == 1 ? option_of(all_options(), found[0]) : nullptr;
    const bool is_joined = !is_long(words[i]) && words[i].size() > 2;
    if (!is_joined && (!option || !(option->is_flag() || option->is_optional))) ++i;  // its value
  }
  return {};
}

Given parse_words(const std::vector<std::string>& words, std::string_view command, bool has_patterns) {
  const auto options = options_of(command);
  CLI::App app;
  app.set_help_flag();
  std::vector<std::pair<const Option*, CLI::Option*>> known;
  std::vector<std::string> values(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& option = options[i];
    const auto names = fmt::format("{}", fmt::join(option.names, ","));
    CLI::Option* entry = option.is_flag() ? app.add_flag(names)
                         : option.is_optional
                             ? app.add_flag(names + "{" + option.default_text + "}", values[i])
                             : app.add_option(names, values[i]);
    if (!option.is_flag())
      entry->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // as job scripts expect
    known.emplace_back(&option, entry);
  }
  app.allow_extras();
  auto line = whole_words(options, words, command);
  std::reverse(line.begin(), line.end());
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (!app.remaining().empty()) throw UsageError(neither(app.remaining(), command, has_patterns));
  Given given;
  for (std::size_t i = 0; i < options.size(); ++i)
    if (known[i].second->count() > 0) given.set(options[i].name(), values[i]);
  return given;
}

void apply(const Option& option, const std::string& value, Options& o) {
  check_value(option, value);
  std::visit(Apply{option, value, o}, option.effect);
}

void apply(const std::vector<Option>& options, const Given& given, Options& o) {
  for (const auto& option : options)
    if (given.has(option.name())) apply(option, given.value(option.name()), o);
}

}  // namespace everylink
