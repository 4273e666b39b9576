// Searches for modules and loads them.
#include "host/modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/units.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> all;
  if (const char* path = std::getenv("EVERYLINK_TRANSPORT_PATH"); path && *path) all = split(path, ':');
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
  all.push_back(here + "/modules");           // the build tree
  all.push_back(here + "/../lib/everylink");  // cmake --install
  glob_t found{};                             // pip install
  if (::glob((here + "/../lib/python3*/site-packages/everylink/transports").c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) all.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return all;
}

}  // namespace

void* module_symbol(const std::string& name, const char* symbol, std::string& why) {
  for (const auto& folder : folders()) {
    const std::string path = fmt::format("{}/{}.so", folder, name);
    if (::access(path.c_str(), F_OK) != 0) continue;
    const KeptSignals kept;
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* found = module ? ::dlsym(module, symbol) : nullptr;
    if (!found) why = ::dlerror();
    return found;
  }
  why = fmt::format("its module {}.so is not in {}", name, fmt::join(folders(), ", "));
  return nullptr;
}

}  // namespace everylink
