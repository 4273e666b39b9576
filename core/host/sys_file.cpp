#include "host/sys_file.hpp"

#include <fstream>

namespace everylink {

std::string line_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

int number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  int number = -1;
  return in >> number ? number : -1;
}

}  // namespace everylink
