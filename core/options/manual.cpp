// The manual of everylink-measure, generated from the tables of options and patterns.
#include "options/manual.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "load/pattern.hpp"
#include "options/table.hpp"

namespace everylink {
namespace {

constexpr const char* program = "everylink-measure";

std::vector<Example> examples() {
  return {{"Measure every pair of 8 processes on this machine:", "everylink-measure --np 8 -s 1,64K,1M"},
          {"Measure 16 random matchings of 512 ranks over MPI:",
           "mpirun -n 512 everylink-measure -m mpi --schedule sample:16 -s 1M -o run.h5"},
          {"Send from an increasing number of ranks to one, in a simulated network with one slow host:",
           "everylink-measure incast --np 8 --mode sim:hosts=8,slow-host=3*0.5"}};
}

std::vector<Paragraph> notes() {
  return {
      {"Sizes and times",
       "A size is in bytes unless it has a unit: K, M, G and T are powers of 1024, as in LinkTest, the same "
       "as KiB, MiB, GiB and TiB; KB, MB, GB and TB are powers of 1000. A time is in seconds unless it has a "
       "unit: ns, us, ms, s, min, h."},
      {"Abbreviations",
       "A long option may be abbreviated while it is unambiguous: --bidir for --bidirectional. If an option "
       "is given twice, the last one counts."},
      {"Exit status",
       "0: every link was measured. 1: an error of the machine, or a signal ended the run. 2: a mistake in "
       "the command; nothing was measured. 3: some links failed; all others were measured."},
      {"Environment",
       "EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS=host:port start a rank without a launcher; "
       "EVERYLINK_KEY or EVERYLINK_KEY_FILE is the secret that all ranks share. EVERYLINK_TRANSPORT_PATH "
       "lists the folders of transport modules, separated by colons. EVERYLINK_MPI_LIBRARY is the MPI "
       "library "
       "that --mode mpi uses, instead of the launcher's. EVERYLINK_SYSFS is the root of the "
       "files that describe this host (/); none: it is not read."}};
}

bool has(const std::vector<Option>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const Option& one) { return one.name() == name; });
}

// Adds what the option requires, and which of `all` it excludes.
Option explained(Option option, const std::vector<Option>& all) {
  const auto say = [&option](const std::string& text) {
    option.more += (option.more.empty() ? "" : " ") + text;
  };
  if (!option.kernels.empty()) say(fmt::format("Only with --{}.", fmt::join(option.kernels, ", --")));
  if (!option.modes.empty()) say(fmt::format("Only with --mode {}.", fmt::join(option.modes, ", ")));
  std::vector<std::string> others;
  for (const auto& [options, reason] : exclusions())
    if (std::find(options.begin(), options.end(), option.name()) != options.end())
      std::copy_if(options.begin(), options.end(), std::back_inserter(others),
                   [&](const std::string& other) { return other != option.name() && has(all, other); });
  if (!others.empty()) say(fmt::format("Not with {}.", fmt::join(others, ", ")));
  return option;
}

Page page_of(const Pattern& pattern) {
  const std::string name = fmt::format("{} {}", program, pattern.name);
  return {.name = name,
          .summary = std::string(pattern.summary),
          .usage = {name + " [OPTIONS]"},
          .sections = sections_of(options_of(pattern.name))};
}

}  // namespace

bool is_of_one_pattern(const Option& option) {
  return option.applies_to.size() == 1 && option.applies_to.front() != of_pairs;
}

bool differs_in_patterns(const Option& option) {
  return !option.in_patterns.empty() || (!option.applies(of_pairs) && !is_of_one_pattern(option));
}

std::string names_in_patterns(const Option& option) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const auto& [pattern, in_pattern] : option.in_patterns)
    for (const auto& name : in_pattern.more_names) by_name[name].push_back(pattern);
  std::string text;
  for (const auto& [name, patterns] : by_name)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(patterns, ", "));
  return text;
}

// The default of most patterns comes first, without their names.
std::string defaults_in_patterns(const Option& option) {
  std::map<std::string, std::vector<std::string>> by_default;
  for (const auto& [pattern, in_pattern] : option.in_patterns)
    by_default[in_pattern.default_text].push_back(pattern);
  if (by_default.empty()) return option.default_text;
  const auto usual = std::max_element(by_default.begin(), by_default.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  std::string text = usual->first;
  for (const auto& [default_text, patterns] : by_default)
    if (default_text != usual->first)
      text += fmt::format("; {}: {}", default_text, fmt::join(patterns, ", "));
  return text;
}

std::vector<Section> sections_of(const std::vector<Option>& options) {
  std::vector<Section> sections;
  for (const auto& option : options) {
    auto found = std::find_if(sections.begin(), sections.end(),
                              [&](const Section& section) { return section.title == option.group; });
    if (found == sections.end()) found = sections.insert(found, {option.group, {}});
    found->options.push_back(explained(option, options));
  }
  return sections;
}

Manual manual_of_everylink_measure() {
  Manual manual{.page = {.name = program,
                         .summary = "measure every point-to-point connection of a cluster",
                         .usage = {"everylink-measure [OPTIONS]", "everylink-measure PATTERN [OPTIONS]"},
                         .sections = sections_of(options_of(of_pairs)),
                         .examples = examples(),
                         .notes = notes()},
                .options = all_options(),
                .exclusions = exclusions()};
  for (const auto* pattern : patterns()) manual.patterns.push_back(page_of(*pattern));
  return manual;
}

std::string help_of(const Manual& manual, const std::string& form, const std::string& pattern,
                    std::size_t width) {
  if (form == "json") return json_of(manual);
  if (form == "man") return man_page(manual);
  if (form == "bash") return bash_completion(manual);
  if (form == "zsh") return zsh_completion(manual);
  if (form == "fish") return fish_completion(manual);
  const auto found = std::find_if(manual.patterns.begin(), manual.patterns.end(), [&](const Page& page) {
    return page.name == fmt::format("{} {}", program, pattern);
  });
  const bool is_own = found == manual.patterns.end();
  const Page& page = is_own ? manual.page : *found;
  const auto patterns = is_own ? manual.patterns : std::vector<Page>();
  return form == "short" ? short_help(page, patterns, width) : long_help(page, patterns, width);
}

std::string sentence(std::string phrase) {
  if (!phrase.empty()) phrase[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(phrase[0])));
  return phrase + ".";
}

std::size_t help_width() {
  constexpr std::size_t usual = 80, least = 40;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return usual;
  return std::max<std::size_t>(size.ws_col, least);
}

}  // namespace everylink
