// Names that a user abbreviates or misspells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everylink {

// The names that begin with `typed`; only that name if `typed` is one of them.
std::vector<std::string> beginning_with(std::string_view typed, const std::vector<std::string>& names);

// The name that the user probably meant; "": none is close. Ignores case.
std::string nearest_to(std::string_view typed, const std::vector<std::string>& names);

// " (did you mean --check?)", or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names,
                         std::string_view before = "");

// "unknown mode 'tpc' (did you mean tcp?); use tcp, sim": the text of a UsageError, after the option.
std::string unknown_name(std::string_view what, std::string_view typed,
                         const std::vector<std::string>& names);

}  // namespace everylink
