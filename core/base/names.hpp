// Names that a user types: abbreviated, or nearly right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everylink {

// The names that begin with `typed`; if it is one of them itself, that one alone.
std::vector<std::string> begun_by(std::string_view typed, const std::vector<std::string>& names);

// The name that was probably meant; "": none is near. Upper and lower case count as the same.
std::string nearest_to(std::string_view typed, const std::vector<std::string>& names);

// " (did you mean --check?)", or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names,
                         std::string_view before = "");

// "unknown mode 'tpc' (did you mean tcp?); use tcp, sim": what a UsageError says behind an option.
std::string unknown_name(std::string_view what, std::string_view typed,
                         const std::vector<std::string>& names);

}  // namespace everylink
