// Words of a command line to options and their values: abbreviations, spellings, refusals of what is no
// option.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/option.hpp"

namespace everylink {

// What was given, by the option's name ("--size-messages"); of an option given twice the last value. A flag
// has "".
class Given {
 public:
  bool has(const std::string& option) const { return values_.contains(option); }
  std::string value(const std::string& option) const { return has(option) ? values_.at(option) : ""; }
  void set(const std::string& option, std::string value) { values_[option] = std::move(value); }

 private:
  std::map<std::string, std::string> values_;
};

// The pattern among the words, which is taken out; "": there is none. It stands first, or anywhere except as
// an option's value.
std::string take_pattern(std::vector<std::string>& words);

// `command`: "pairs" or a pattern. Throws UsageError.
Given parse_words(const std::vector<std::string>& words, std::string_view command);

// Applies what was given, in the order of the table. Throws UsageError for a value that is not one.
void apply(const std::vector<Option>&, const Given&, Options&);
void apply(const Option&, const std::string& value, Options&);

}  // namespace everylink
