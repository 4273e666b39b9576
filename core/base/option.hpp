// A command-line option as a value. The parser, help, man page and completion are generated from it.
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

// The type of a value. A choice must be one of Option::choices; text may be one of them.
enum class Quantity : std::uint8_t { text, choice, count, bytes, seconds, file };

// What an option does to Options. A function receives the value as given ("" for a flag), or the index of a
// choice. None: the value is a setting of the pattern, or the command line combines it with other options.
using Effect = std::variant<std::monostate, bool Options::*, int Options::*, std::optional<int> Options::*,
                            std::vector<int> Options::*, Seconds Options::*, std::string Options::*,
                            std::vector<std::size_t> Options::*, void (*)(Options&),
                            void (*)(Options&, const std::string&), void (*)(Options&, std::size_t)>;

inline constexpr std::string_view of_pairs = "pairs";  // in `applies_to`, next to names of patterns

struct Option {
  // What differs in a pattern.
  struct InPattern {
    std::vector<std::string> more_names = {};
    std::string default_text = {};
  };

  std::vector<std::string> names = {};  // "-s", "--size-messages": the first long one identifies it
  std::string value = {};               // "SIZES"; "": a flag
  Quantity unit = Quantity::text;
  bool is_list = false;                                         // values separated by commas
  bool is_optional = false;                                     // the value is optional and follows '='
  long long least = 0, most = std::numeric_limits<int>::max();  // of a count
  std::vector<std::string> choices = {};                        // all values, or those to suggest
  std::string group = {};
  std::string brief = {};                    // without a full stop
  std::string more = {};                     // sentences
  std::string default_text = {};             // the default; "": none, or `brief` gives it
  std::vector<std::string> applies_to = {};  // "pairs", patterns
  std::map<std::string, InPattern> in_patterns = {};
  std::vector<std::string> kernels = {}, modes = {};  // requires one of these; empty: any
  std::vector<std::string> linktest2 = {};            // LinkTest 2's names, without dashes
  std::string linktest1 = {};                         // LinkTest 1.2's letters
  Effect effect = {};

  bool is_flag() const { return value.empty(); }
  const std::string& name() const;  // "--size-messages"
  std::string both_names() const;   // "-s/--size-messages": all of them, for messages
  bool applies(std::string_view command) const;
};

// Options that cannot be given together.
struct Exclusion {
  std::vector<std::string> options;  // any two of them
  std::string reason;
};

}  // namespace everylink
