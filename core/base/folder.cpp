// Reads the names in a folder.
#include "base/folder.hpp"

#include <dirent.h>

#include <memory>

namespace everylink {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

}  // namespace everylink
