// Parses the words of a command line into options and values: expands abbreviations, suggests spellings, and
// refuses unknown options.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/option.hpp"

namespace everylink {

// The given values, by the option's name ("--size-messages"). The last value of a repeated option counts; a
// flag has "".
class Given {
 public:
  bool has(const std::string& option) const { return values_.contains(option); }
  std::string value(const std::string& option) const { return has(option) ? values_.at(option) : ""; }
  void set(const std::string& option, std::string value) { values_[option] = std::move(value); }

 private:
  std::map<std::string, std::string> values_;
};

// Removes the pattern from the words and returns it; "": there is none. It may be anywhere except in place of
// an option's value.
std::string take_pattern(std::vector<std::string>& words);

// `command`: "pairs" or a pattern. Throws UsageError.
Given parse_words(const std::vector<std::string>& words, std::string_view command, bool has_patterns = true);

// Applies the given options in the order of the table. Throws UsageError for an invalid value.
void apply(const std::vector<Option>&, const Given&, Options&);
void apply(const Option&, const std::string& value, Options&);

}  // namespace everylink
