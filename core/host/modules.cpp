// Searches for modules and loads them.
#include "host/modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "host/mpi_library.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr auto folders_variable = "EVERYLINK_TRANSPORT_PATH";

std::vector<std::string> folders() {
  std::vector<std::string> all;
  if (const char* path = std::getenv(folders_variable); path && *path) all = split(path, ':');
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
  all.push_back(here + "/modules");           // the build tree
  all.push_back(here + "/../lib/everylink");  // cmake --install
  glob_t found{};                             // pip install; Debian's own pip: dist-packages
  if (::glob((here + "/../lib/python3*/*-packages/everylink/transports").c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) all.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return all;
}

// Debian's packages of the libraries that modules need at run time.
struct Packaged {
  std::string_view library, packages;
};
constexpr Packaged packages_of_libraries[] = {{"libhdf5_serial.so", "libhdf5-103-1"},
                                              {"libucp.so", "libucx0"},
                                              {"libfabric.so", "libfabric1"},
                                              {"libibverbs.so", "libibverbs1 ibverbs-providers"},
                                              {"libpsm2.so", "libpsm2-2"},
                                              {"libpmix.so", "libpmix2"}};

// What the dynamic linker said; of a missing library, how to install it; of a missing function, whose it is.
std::string reason_of(const std::string& said) {
  const auto file = said.substr(0, said.find(": undefined symbol: "));
  if (said.find("undefined symbol: _ZN9everylink") != said.npos)  // a function of the core
    return file + " belongs to another version of Everylink";
  if (said.find("undefined symbol: MPI_") != said.npos)
    return fmt::format("{}; the MPI library must be of MPI 3 or later", said);
  if (said.find(": cannot open shared object file") == said.npos) return said;
  const std::string library = said.substr(0, said.find(':'));
  for (const auto& one : packages_of_libraries)
    if (library.starts_with(one.library))
      return fmt::format("{} is missing; apt install {}", library, one.packages);
  return fmt::format("{} is missing; install it, or name its folder in LD_LIBRARY_PATH", library);
}

std::string path_of(const std::string& name) {  // "": not found
  for (const auto& folder : folders())
    if (auto path = fmt::format("{}/{}.so", folder, name); ::access(path.c_str(), F_OK) == 0) return path;
  return "";
}

}  // namespace

void* module_symbol(const std::string& name, const char* symbol, std::string& why) {
  const bool is_of_mpi = name == "mpi" || name == "launch_mpi";
  const auto module_name = is_of_mpi ? mpi_module(name, why) : name;
  if (module_name.empty()) return nullptr;
  const auto path = path_of(module_name);
  if (path.empty()) {
    why = fmt::format(
        "its module {}.so is not in {}; build Everylink again with its library, or name its folder in {}",
        module_name, fmt::join(folders(), ", "), folders_variable);
    return nullptr;
  }
  const KeptSignals kept;
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = module ? ::dlsym(module, symbol) : nullptr;
  if (!found) why = reason_of(::dlerror());
  return found;
}

bool has_module(const std::string& name) { return !path_of(name).empty(); }

}  // namespace everylink
