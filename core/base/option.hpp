// An option of a command line as a value: what its parser, its help, the man page and completion are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options.hpp"
#include "base/seconds.hpp"

namespace everylink {

// What a value is made of. A choice is one of Option::choices and nothing else; text may be one of them.
enum class Quantity : std::uint8_t { text, choice, count, bytes, seconds, file };

// What an option does to Options. A function gets the value as given, or "" of a flag; of a choice it gets
// the index. None: the value is a setting of the pattern, or the command line reads it beside other options.
using Effect =
    std::variant<std::monostate, bool Options::*, int Options::*, std::optional<int> Options::*,
                 Seconds Options::*, std::string Options::*, std::vector<std::size_t> Options::*,
                 void (*)(Options&), void (*)(Options&, const std::string&), void (*)(Options&, std::size_t)>;

inline constexpr std::string_view of_pairs = "pairs";  // in `applies_to`, beside names of patterns

struct Option {
  // Where a pattern has other names or another default.
  struct Elsewhere {
    std::vector<std::string> more_names = {};
    std::string standard = {};
  };

  std::vector<std::string> names = {};  // "-s", "--size-messages": the first long one is the name
  std::string value = {};               // "SIZES"; "": a flag
  Quantity unit = Quantity::text;
  bool is_list = false;                                         // values with commas
  bool is_optional = false;                                     // the value may be left out; it follows '='
  long long least = 0, most = std::numeric_limits<int>::max();  // of a count
  std::vector<std::string> choices = {};                        // all of them, or those that are offered
  std::string group = {};
  std::string brief = {};                    // without a full stop
  std::string more = {};                     // sentences
  std::string standard = {};                 // what holds without it; "": nothing does, or `brief` says it
  std::vector<std::string> applies_to = {};  // "pairs", patterns
  std::map<std::string, Elsewhere> in_patterns = {};
  std::vector<std::string> kernels = {}, modes = {};  // it requires one of these; none: it does not matter
  std::vector<std::string> linktest2 = {};            // names without the dashes
  std::string linktest1 = {};                         // letters
  Effect effect = {};

  bool is_flag() const { return value.empty(); }
  const std::string& name() const;  // "--size-messages"
  std::string both_names() const;   // "-s/--size-messages", as messages name it
  bool applies(std::string_view command) const;
};

// Options that cannot be given together.
struct Exclusion {
  std::vector<std::string> options;  // any two of them
  std::string reason;
};

}  // namespace everylink
