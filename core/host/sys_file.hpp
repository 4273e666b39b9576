// Files of /sys with one line.
#pragma once

#include <filesystem>
#include <string>

namespace everylink {

std::string line_in(const std::filesystem::path& file);  // "": there is no such file
int number_in(const std::filesystem::path& file);        // -1: there is no number in it

}  // namespace everylink
