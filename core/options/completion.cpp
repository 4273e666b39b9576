// --help=bash, zsh and fish: the completion of each shell.
#include <fmt/format.h>

#include <algorithm>

#include "options/manual.hpp"

namespace everylink {
namespace {

using Words = std::vector<std::string>;

std::string identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// The user types what follows a colon: offers "sample:" for "sample:K", and "screen" for "screen[:K]".
Words offered(const Option& option) {
  Words words;
  for (const auto& choice : option.choices) words.push_back(choice.substr(0, choice.find_first_of(":[") + 1));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].empty())
      words[i] = option.choices[i];
    else if (words[i].ends_with('['))
      words[i].pop_back();
  return words;
}

Words names_of_patterns(const Manual& manual) {
  Words names;
  for (const auto& pattern : manual.patterns)
    names.push_back(pattern.name.substr(manual.page.name.size() + 1));
  return names;
}

std::vector<Option> options_on(const Page& page) {
  std::vector<Option> options;
  for (const auto& section : page.sections)
    options.insert(options.end(), section.options.begin(), section.options.end());
  return options;
}

std::vector<Option> all_of(const Manual& manual) {
  auto options = options_on(manual.page);
  for (const auto& pattern : manual.patterns)
    for (auto& option : options_on(pattern)) options.push_back(std::move(option));
  return options;
}

Words unique(Words words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

template <class Predicate>
std::string names_where(const std::vector<Option>& options, const char* separator, Predicate holds) {
  Words names;
  for (const auto& option : options)
    if (holds(option)) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(unique(std::move(names)), separator));
}

bool takes_file(const Option& option) { return option.unit == Quantity::file; }
bool takes_value(const Option& option) { return !option.is_flag() && !option.is_optional; }
bool takes_anything(const Option& option) {
  return takes_value(option) && !takes_file(option) && option.choices.empty();
}

// A branch of the shell's `case` with the options of a command.
std::string bash_case(const std::string& command, const Page& page) {
  return fmt::format("    {}) options='{}' ;;\n", command,
                     names_where(options_on(page), " ", [](const Option&) { return true; }));
}

constexpr const char* in_single_quotes = "'\\''";

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += in_single_quotes;
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const Option& option) {
  if (option.is_flag()) return {};
  const std::string action =
      takes_file(option) ? "_files"
      : option.choices.empty()
          ? ""
          : fmt::format("({})", escaped(fmt::format("{}", fmt::join(offered(option), " ")), ":"));
  return fmt::format("{}{}:{}", option.is_optional ? "::" : ":", escaped(option.value, ":[]"), action);
}

std::string zsh_spec(const Option& option) {
  std::string specs;
  for (const auto& name : option.names) {
    const bool is_long = name.starts_with("--");
    const char* sign = option.is_flag() ? "" : option.is_optional ? "=-" : is_long ? "=" : "+";
    specs += fmt::format(" \\\n        '({}){}{}[{}]{}'", fmt::join(option.names, " "), name, sign,
                         escaped(option.brief, ":[]"), zsh_value(option));
  }
  return specs;
}

std::string zsh_case(const std::string& command, const Page& page, const std::string& first) {
  std::string text = fmt::format("    {}) _arguments -s", command);
  for (const auto& option : options_on(page)) text += zsh_spec(option);
  return text + first + " ;;\n";
}

std::string fish_line(const std::string& program, const std::string& condition, const Option& option) {
  std::string line = fmt::format("complete -c {}{}", program, condition);
  for (const auto& name : option.names)
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  if (takes_file(option)) line += " -r -F";
  if (takes_value(option) && !takes_file(option)) line += " -x";
  if (takes_value(option) && !option.choices.empty())
    line += fmt::format(" -a '{}'", fmt::join(offered(option), " "));
  return line + fmt::format(" -d '{}'\n", escaped(option.brief, "\\"));
}

// Branches of the shell's `case` that offer the choices of options.
template <class Predicate>
std::string bash_choices(const Page& page, Predicate holds) {
  std::string text;
  for (const auto& option : options_on(page))
    if (!option.choices.empty() && holds(option))
      text += fmt::format("    {}) COMPREPLY=($(IFS=' ' compgen -W '{}' -- \"$current\")); return ;;\n",
                          fmt::join(option.names, "|"), fmt::join(offered(option), " "));
  return text;
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  const auto all = all_of(manual);
  const auto patterns = names_of_patterns(manual);
  const auto function = "_" + identifier(manual.page.name);
  std::string text = fmt::format(
      "# bash completion of {0}, generated by {0} --help=bash\n"
      "{1}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=pairs "
      "options i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "    {2}) [[ ${{COMP_WORDS[i + 1]}} == '=' ]] && ((++i)); ((++i)) ;;\n",
      manual.page.name, function, names_where(all, "|", takes_value));
  if (!patterns.empty())
    text += fmt::format("    {}) command=${{COMP_WORDS[i]}} ;;\n", fmt::join(patterns, "|"));
  text +=
      "    esac\n"
      "  done\n"
      "  if [[ $current == '=' ]]; then\n"
      "    current=\n"
      "  elif [[ $previous == '=' ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  local IFS=$'\\n'\n"
      "  case $previous in\n";
  text += bash_choices(manual.page, [](const Option&) { return true; });
  for (const auto& pattern : manual.patterns) text += bash_choices(pattern, is_of_one_pattern);
  text += fmt::format(
      "    {}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
      "    {}) COMPREPLY=(); return ;;\n"
      "  esac\n"
      "  case $command in\n",
      names_where(all, "|", takes_file), names_where(all, "|", takes_anything));
  text += bash_case("pairs", manual.page);
  for (std::size_t i = 0; i < patterns.size(); ++i) text += bash_case(patterns[i], manual.patterns[i]);
  text += fmt::format(
      "  esac\n"
      "  [[ $current == -* || $command != pairs ]] || options='{}'\n"
      "  COMPREPLY=($(IFS=' ' compgen -W \"$options\" -- \"$current\"))\n"
      "}}\n"
      "complete -F {} {}\n",
      fmt::join(patterns, " "), function, manual.page.name);
  return text;
}

std::string zsh_completion(const Manual& manual) {
  const auto patterns = names_of_patterns(manual);
  const auto function = "_" + identifier(manual.page.name);
  std::string text = fmt::format(
      "#compdef {0}\n"
      "# zsh completion of {0}, generated by {0} --help=zsh\n"
      "{1}() {{\n"
      "  local command=pairs word\n"
      "  for word in ${{words[2,CURRENT-1]}}; do\n"
      "    case $word in\n",
      manual.page.name, function);
  if (!patterns.empty()) text += fmt::format("    ({}) command=$word ;;\n", fmt::join(patterns, "|"));
  text += "    esac\n  done\n  case $command in\n";
  const std::string first =
      patterns.empty() ? "" : fmt::format(" \\\n        '1:load pattern:({})'", fmt::join(patterns, " "));
  text += zsh_case("pairs", manual.page, first);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    text += zsh_case(patterns[i], manual.patterns[i], " \\\n        '1:load pattern:'");
  return text + fmt::format("  esac\n}}\n{} \"$@\"\n", function);
}

std::string fish_completion(const Manual& manual) {
  const std::string& program = manual.page.name;
  const auto patterns = names_of_patterns(manual);
  const auto function = fmt::format("__{}_is", identifier(program));
  std::string text = fmt::format("# fish completion of {0}, generated by {0} --help=fish\n", program);
  if (!patterns.empty())
    text += fmt::format(
        "function {0}\n"
        "  set -l command pairs\n"
        "  for word in (commandline -opc)[2..]\n"
        "    contains -- $word {1}; and set command $word\n"
        "  end\n"
        "  contains -- $command $argv\n"
        "end\n",
        function, fmt::join(patterns, " "));
  text += fmt::format("complete -c {} -f\n", program);
  for (const auto& pattern : manual.patterns)
    text += fmt::format("complete -c {} -n '{} pairs' -a {} -d '{}'\n", program, function,
                        pattern.name.substr(program.size() + 1), escaped(pattern.summary, "\\"));
  for (const auto& option : manual.options) {
    if (option.names.empty()) continue;
    const auto where = option.applies_to.empty()
                           ? ""
                           : fmt::format(" -n '{} {}'", function, fmt::join(option.applies_to, " "));
    text += fish_line(program, patterns.empty() ? "" : where, option);
    for (const auto& [pattern, in_pattern] : option.in_patterns)
      if (!in_pattern.more_names.empty()) {
        Option other = option;
        other.names = in_pattern.more_names;
        text += fish_line(program, fmt::format(" -n '{} {}'", function, pattern), other);
      }
  }
  return text;
}

}  // namespace everylink
