// The manual of a program as a value: help, man page, completion and --help=json are generated from it.
#pragma once

#include <string>
#include <vector>

#include "base/option.hpp"

namespace everylink {

struct Section {
  std::string title;
  std::vector<Option> options;
};

struct Example {
  std::string what, line;
};

struct Paragraph {
  std::string title, text;
};

// A program or one of its patterns.
struct Page {
  std::string name;     // "everylink-measure incast"
  std::string summary;  // a phrase, without a full stop
  std::vector<std::string> usage;
  std::vector<Section> sections;
  std::vector<Example> examples = {};
  std::vector<Paragraph> notes = {};
};

struct Manual {
  Page page;
  std::vector<Page> patterns = {};   // in the order of the table
  std::vector<Option> options = {};  // of all pages, each once
  std::vector<Exclusion> exclusions = {};
};

Manual manual_of_everylink_measure();
// By group, in the order of each group's first option. Adds to `more` what an option requires and excludes.
std::vector<Section> sections_of(const std::vector<Option>&);

bool is_of_one_pattern(const Option&);    // the pattern's own option
bool differs_in_patterns(const Option&);  // from the option of pairs, or pairs have none
// "--bsize: client-server, all-to-all", ...; "": no other names.
std::string names_in_patterns(const Option&);
std::string defaults_in_patterns(const Option&);  // "256KiB; 1 to 4MiB, doubled: client-server, all-to-all"

// `form`: a choice of --help. `pattern`: the pattern whose page text and short show; "": the program's page.
std::string help_of(const Manual&, const std::string& form, const std::string& pattern, std::size_t width);

std::string sentence(std::string phrase);  // "Phrase."
std::size_t help_width();                  // of the terminal; 80 if standard output is not a terminal

// The forms, which help_of calls.
std::string long_help(const Page&, const std::vector<Page>& patterns, std::size_t width);
std::string short_help(const Page&, const std::vector<Page>& patterns, std::size_t width);
std::string man_page(const Manual&);
std::string json_of(const Manual&);
std::string bash_completion(const Manual&);
std::string zsh_completion(const Manual&);
std::string fish_completion(const Manual&);

}  // namespace everylink
