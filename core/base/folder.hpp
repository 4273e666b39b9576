// What a folder holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace everylink {

// The names in a folder, in no order, without those that begin with a dot; none if it cannot be read. The
// iterator of the standard library ends the process where memory is short, and throws where a disk fails.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace everylink
