// Looks at this process and this machine, and at MPI libraries in child processes: two of them in one process
// do not get along.
#include "host/mpi_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/environment.hpp"
#include "base/units.hpp"
#include "host/modules.hpp"
#include "host/mpi_choice.hpp"
#include "host/probe.hpp"
#include "host/signals.hpp"
#include "mpi_built_with.hpp"  // made by CMake

namespace everylink {
namespace {

constexpr int most_parents = 32;
constexpr Seconds look_limit = 30;     // a slow file system
constexpr int longest_version = 8192;  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH; Open MPI has less

// A process's executable, or only its name where it belongs to another user; "": it does not exist.
std::string program_of(pid_t process) {
  const auto folder = fmt::format("/proc/{}/", process);
  std::error_code error;
  auto path = std::filesystem::read_symlink(folder + "exe", error).string();
  if (error) std::getline(std::ifstream(folder + "comm"), path);
  return path;
}

pid_t parent_of(pid_t process) {
  std::string text;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), text);
  const auto name = text.rfind(')');  // the name may have any character
  int parent = 0;
  if (name != text.npos) std::sscanf(text.c_str() + name + 1, " %*c %d", &parent);
  return parent;
}

std::vector<std::string> parents() {
  std::vector<std::string> all;
  for (pid_t process = ::getppid(); process > 1 && std::ssize(all) < most_parents;
       process = parent_of(process))
    all.push_back(program_of(process));
  return all;
}

std::string mpiexec_on_path() {
  for (const auto& folder : split(variable("PATH"), ':')) {
    std::error_code error;
    const auto path = folder + "/mpiexec";
    if (!folder.empty() && ::access(path.c_str(), X_OK) == 0)
      return std::filesystem::canonical(path, error).string();
  }
  return "";
}

std::string loaded_library() {
  Dl_info found{};
  void* const call = ::dlsym(RTLD_DEFAULT, "MPI_Init");
  return call && ::dladdr(call, &found) && found.dli_fname ? found.dli_fname : "";
}

std::string version_of(void* library) {
  auto* const ask = reinterpret_cast<int (*)(char*, int*)>(::dlsym(library, "MPI_Get_library_version"));
  if (!ask) return "";
  std::string text(longest_version, '\0');
  int length = 0;
  ask(text.data(), &length);
  text.resize(static_cast<std::size_t>(std::clamp(length, 0, longest_version)));
  return short_version(text);
}

std::string abi_of(void* library, const std::string& path, const std::string& version) {
  if (::dlsym(library, "ompi_mpi_comm_world")) return "openmpi";
  if (path.find("libmpi_abi.so") != path.npos) return "abi";
  for (const auto* maker : {"MPICH", "Intel(R) MPI", "MVAPICH"})
    if (version.find(maker) != version.npos) return "mpich";
  return "";
}

// In a child: the path, the ABI and the version, or what the loader said.
std::string looked_at(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) return fmt::format("-\n{}", ::dlerror());
  link_map* map = nullptr;
  ::dlinfo(library, RTLD_DI_LINKMAP, &map);
  const auto path = std::filesystem::absolute(map->l_name).string();
  const auto version = version_of(library);
  return fmt::format("+\n{}\n{}\n{}", path, abi_of(library, path, version), version);
}

std::string mpiexec_of(const std::string& path) {
  const auto prefix = std::filesystem::path(path).parent_path().parent_path();
  const auto mpiexec = (prefix / "bin/mpiexec").string();
  return ::access(mpiexec.c_str(), X_OK) == 0 ? mpiexec : "";
}

MpiLibrary look_at(const std::string& file) {
  if (file.find('/') != file.npos && ::access(file.c_str(), F_OK) != 0) return {};
  const auto answer = tried_in_child([&] { return looked_at(file); }, look_limit);
  const auto lines = split(answer, '\n');
  if (lines.size() >= 2 && lines[0] == "-" && lines[1].starts_with(file + ": cannot open shared object file"))
    return {};
  if (lines.size() >= 2 && lines[0] == "-") return {file, "", "", lines[1]};
  if (lines.size() != 4 || lines[0] != "+") return {file, "", "", answer};
  if (lines[2].empty())
    return {lines[1], "", lines[3], "it is not a library of MPICH, Intel MPI, Open MPI or the standard ABI"};
  return {lines[1], lines[2], lines[3], "", mpiexec_of(lines[1])};
}

bool has_modules(std::string_view abi) { return has_module(fmt::format("mpi_{}", abi)); }

MpiSurroundings surroundings() {
  return {.variable = variable,
          .parents = parents(),
          .mpiexec = mpiexec_on_path(),
          .loaded = loaded_library(),
          .built_with = mpi_built_with,
          .has_modules = has_modules,
          .look_at = look_at};
}

const MpiChoice& this_choice() {
  static const MpiChoice choice = choose_mpi(surroundings());
  return choice;
}

bool has_any_modules() {
  const auto all = mpi_abis();
  return std::any_of(all.begin(), all.end(), [](const MpiAbi& abi) { return has_modules(abi.name); });
}

}  // namespace

std::string mpi_module(const std::string& name, std::string& why) {
  if (!has_any_modules()) return name + "_*";  // which is in no folder
  const auto& choice = this_choice();
  why = choice.why_not;
  if (choice.library.path.empty()) return "";
  const KeptSignals kept;
  // Global: the module has the names of MPI's functions, but not of a library.
  if (::dlopen(choice.library.path.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return fmt::format("{}_{}", name, choice.library.abi);
  why = ::dlerror();
  return "";
}

std::vector<MpiAbiState> mpi_abi_states() {
  std::vector<MpiAbiState> states;
  const auto here = surroundings();
  for (const auto& abi : mpi_abis()) {
    const auto& chosen = this_choice();
    const bool is_chosen = chosen.library.abi == abi.name;
    const auto library = is_chosen ? chosen.library : mpi_library_of(abi.name, here);
    std::string text = fmt::format("{}, {}", abi.files[0], abi.makers);
    if (!has_modules(abi.name)) text += "; no module";
    if (is_chosen)
      text += fmt::format("; used here: {} ({}), {}", library.path, library.version, chosen.reason);
    else if (library.path.empty())
      text += "; no library found";
    else
      text += fmt::format("; not used here: {} ({})", library.path, library.version);
    states.push_back({abi.name, text});
  }
  return states;
}

}  // namespace everylink
