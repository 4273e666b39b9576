// Which MPI library this process uses: the one that belongs to what started it. Each ABI has modules of its
// own. Here is the choice alone: what it looks at comes from outside.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everylink {

// An ABI: its modules are mpi_NAME.so and launch_mpi_NAME.so.
struct MpiAbi {
  std::string_view name, makers, package;  // `package` is Debian's
  std::vector<std::string_view> files;     // names of its library, for the loader
};
std::span<const MpiAbi> mpi_abis();

struct MpiLibrary {
  std::string path;  // "": there is none
  std::string abi;   // "": it cannot be used, and `fault` says why
  std::string version, fault;
  std::string mpiexec = {};  // of the same installation; "": not found
};

// What the choice depends on.
struct MpiSurroundings {
  std::function<std::string(const char* name)> variable;  // "": not set
  std::vector<std::string> parents;  // executables of the processes above this one, nearest first
  std::string mpiexec;               // the first on PATH, without links; "": there is none
  std::string loaded;                // the MPI library that is already in this process; "": none
  std::string built_with;            // the one that CMake found; "": none
  std::function<bool(std::string_view abi)> has_modules;
  std::function<MpiLibrary(const std::string& file)> look_at;  // a path, or a name for the loader
};

struct MpiChoice {
  MpiLibrary library;  // without a path: there is none to use, and `why_not` has one sentence
  std::string reason;  // why this one: "beside /opt/mpich/bin/hydra_pmi_proxy"
  std::string why_not;
};
MpiChoice choose_mpi(const MpiSurroundings& here);

// What MPI_Get_library_version returns, to the first comma or end of line, with single spaces: "Open MPI
// v4.1.4".
std::string short_version(std::string_view text);

// The first library of that ABI, whether or not it can be used.
MpiLibrary mpi_library_of(std::string_view abi, const MpiSurroundings& here);

}  // namespace everylink
