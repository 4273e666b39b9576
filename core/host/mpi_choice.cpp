// What started this process, the libraries that may belong to it, and the first of them that does.
#include "host/mpi_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

namespace everylink {
namespace {

constexpr auto library_variable = "EVERYLINK_MPI_LIBRARY";

enum class Kind { unknown, open_mpi, hydra, other };

struct Start {
  Kind kind = Kind::unknown;
  std::string program;      // "": only variables tell
  bool has_started = true;  // false: it is merely the mpiexec on PATH
};

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Kind kind_of_program(const std::string& path) {
  static constexpr std::array open_mpi{"orterun", "orted", "prterun", "prted", "prte"};
  static constexpr std::array hydra{"hydra_pmi_proxy", "hydra_bstrap_proxy", "mpiexec.hydra", "mpispawn"};
  static constexpr std::array other{"slurmstepd", "palsd", "flux-shell", "pbs_mom"};
  const auto is_one_of = [name = name_of(path)](const auto& names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view one) { return name == one; });
  };
  if (is_one_of(open_mpi)) return Kind::open_mpi;
  if (is_one_of(hydra)) return Kind::hydra;
  return is_one_of(other) ? Kind::other : Kind::unknown;
}

Kind kind_by_variables(const MpiSurroundings& here) {
  const auto any_of = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](auto* name) { return !here.variable(name).empty(); });
  };
  const bool open_mpi = any_of({"OMPI_COMM_WORLD_RANK"});
  const bool hydra = any_of({"HYDI_CONTROL_FD", "I_MPI_HYDRA_UUID", "HYDRA_BSTRAP_LOCALHOST"}) ||
                     (any_of({"PMI_RANK"}) && any_of({"MPI_LOCALRANKID"}));
  if (open_mpi != hydra) return open_mpi ? Kind::open_mpi : Kind::hydra;
  const bool other = any_of({"PMIX_NAMESPACE", "PMI_RANK", "PMI_FD", "SLURM_PROCID"});
  return open_mpi || other ? Kind::other : Kind::unknown;
}

// The nearest launcher above this process is certain; variables may come from one further up.
Start start_of(const MpiSurroundings& here) {
  for (const auto& program : here.parents)
    if (const Kind kind = kind_of_program(program); kind != Kind::unknown) return {kind, program};
  if (const Kind kind = kind_by_variables(here); kind != Kind::unknown) return {kind, ""};
  return {kind_of_program(here.mpiexec), here.mpiexec, false};
}

// The ABIs of libraries that may belong to it, the likeliest first.
std::vector<std::string_view> abis_for(const Start& start, const MpiSurroundings& here) {
  if (start.kind == Kind::open_mpi) return {"openmpi", "abi"};
  if (start.kind == Kind::hydra) return {"mpich", "abi"};
  const bool pmi = !here.variable("PMI_FD").empty() || !here.variable("PMI_RANK").empty();
  if (pmi) return {"mpich", "abi", "openmpi"};
  return {"openmpi", "mpich", "abi"};
}

bool is_by_open_mpi(const MpiLibrary& library) {
  return library.abi == "openmpi" || library.version.starts_with("Open MPI");
}

bool belongs(const MpiLibrary& library, const Start& start) {
  if (start.kind == Kind::open_mpi) return is_by_open_mpi(library);
  return start.kind != Kind::hydra || !is_by_open_mpi(library);
}

const MpiAbi& abi_named(std::string_view name) {
  const auto all = mpi_abis();
  return *std::find_if(all.begin(), all.end(), [&](const MpiAbi& abi) { return abi.name == name; });
}

struct Candidate {
  std::string file, reason;
};

// The folders of libraries of the installation that `program` belongs to.
std::vector<std::string> folders_beside(const std::string& program) {
  const auto bin = program.rfind('/');
  if (bin == program.npos || bin == 0) return {};
  const std::string prefix = program.substr(0, program.rfind('/', bin - 1));
  return {prefix + "/lib", prefix + "/lib64", prefix + "/lib/release"};
}

std::vector<Candidate> candidates(const std::vector<std::string_view>& abis, const Start& start,
                                  const MpiSurroundings& here) {
  std::vector<Candidate> all;
  for (const auto& folder : folders_beside(start.program))
    for (const auto abi : abis)
      for (const auto file : abi_named(abi).files)
        all.push_back({fmt::format("{}/{}", folder, file), "beside " + start.program});
  for (const auto abi : abis)
    for (const auto file : abi_named(abi).files) all.push_back({std::string(file), "found by the loader"});
  if (!here.built_with.empty()) all.push_back({here.built_with, "Everylink was built with it"});
  return all;
}

std::string described(const MpiLibrary& library) {
  return fmt::format("{} ({})", library.version, library.path);
}

// "mpirun of Open MPI (/usr/bin/orterun) started these ranks"
std::string described(const Start& start) {
  const std::string at = start.program.empty() ? "" : fmt::format(" ({})", start.program);
  const auto what = start.kind == Kind::open_mpi ? "mpirun of Open MPI" : "mpiexec of MPICH or Intel MPI";
  return start.has_started ? fmt::format("{}{} started these ranks", what, at)
                           : fmt::format("the mpiexec on PATH is {}{}", what, at);
}

std::string files_of(const std::vector<std::string_view>& abis) {
  std::vector<std::string> files;
  for (const auto abi : abis)
    files.push_back(fmt::format("{} ({})", abi_named(abi).files[0], abi_named(abi).makers));
  return fmt::format("{}", fmt::join(files, " or "));
}

std::string clash(const Start& start, const MpiLibrary& library, bool is_named) {
  const auto file = abi_named(start.kind == Kind::open_mpi ? "openmpi" : "mpich").files[0];
  return fmt::format("{}, but the MPI library is {}; name {} in {}, or start with {}", described(start),
                     described(library),
                     is_named ? fmt::format("the launcher's own {}", file)
                              : fmt::format("the folder of the launcher's own {}", file),
                     is_named ? library_variable : "LD_LIBRARY_PATH",
                     library.mpiexec.empty() ? "that library's mpiexec" : library.mpiexec);
}

std::string lacks_module(const MpiLibrary& library) {
  return fmt::format(
      "{} requires the module mpi_{}.so, which this Everylink does not have; build it again with the "
      "library's mpiexec first in PATH, or with -DEVERYLINK_MPI_HEADERS={}=FOLDER, the folder of its {}",
      described(library), library.abi, library.abi, library.abi == "abi" ? "mpi_abi.h" : "mpi.h");
}

std::string nothing_found(const std::vector<std::string_view>& abis, const Start& start) {
  const std::string beside = start.program.empty() ? "" : fmt::format("beside {}, ", start.program);
  const bool is_bound = start.kind == Kind::open_mpi || start.kind == Kind::hydra;
  return fmt::format(
      "{}no {} was found {}in LD_LIBRARY_PATH or by the loader; apt install {}, or name the "
      "library in {}",
      is_bound ? described(start) + ", but " : "", files_of(abis), beside, abi_named(abis[0]).package,
      library_variable);
}

// What stands against the use of `library`; "": nothing.
std::string objection(const MpiLibrary& library, const Start& start, const MpiSurroundings& here,
                      bool is_named = false) {
  if (!belongs(library, start)) return clash(start, library, is_named);
  return here.has_modules(library.abi) ? "" : lacks_module(library);
}

MpiChoice named_by_user(const std::string& file, const Start& start, const MpiSurroundings& here) {
  const auto library = here.look_at(file);
  if (library.abi.empty())
    return {{},
            "",
            fmt::format("{}={}: {}; name the libmpi.so of MPICH, Intel MPI or Open MPI, or leave it out",
                        library_variable, file,
                        library.path.empty() ? "there is no such library" : library.fault)};
  const auto against = objection(library, start, here, true);
  if (!against.empty()) return {{}, "", fmt::format("{}: {}", library_variable, against)};
  return {library, fmt::format("named by {}", library_variable), ""};
}

}  // namespace

std::span<const MpiAbi> mpi_abis() {
  static const std::array<MpiAbi, 3> all{
      MpiAbi{"mpich", "MPICH, Intel MPI, MVAPICH or Cray", "libmpich12", {"libmpi.so.12", "libmpich.so.12"}},
      MpiAbi{"openmpi", "Open MPI", "libopenmpi3", {"libmpi.so.40"}},
      MpiAbi{"abi", "the standard ABI of MPI 5", "libopenmpi3", {"libmpi_abi.so.1"}}};
  return all;
}

std::string short_version(std::string_view text) {
  std::string words;
  for (const char letter : text.substr(0, text.find_first_of(",\n"))) {
    const bool is_space = letter == ' ' || letter == '\t';
    if (!is_space || !words.ends_with(' ')) words += is_space ? ' ' : letter;
  }
  return words;
}

MpiLibrary mpi_library_of(std::string_view abi, const MpiSurroundings& here) {
  for (const auto& candidate : candidates({abi}, start_of(here), here))
    if (auto library = here.look_at(candidate.file); library.abi == abi) return library;
  return {};
}

MpiChoice choose_mpi(const MpiSurroundings& here) {
  const Start start = start_of(here);
  if (const auto file = here.variable(library_variable); !file.empty())
    return named_by_user(file, start, here);
  std::string clashes, lacks, broken;
  const auto try_one = [&](const Candidate& candidate) -> std::optional<MpiChoice> {
    const auto library = here.look_at(candidate.file);
    if (library.path.empty()) return {};
    std::string& why = library.abi.empty() ? broken : belongs(library, start) ? lacks : clashes;
    const auto against = library.abi.empty() ? fmt::format("{}: {}", library.path, library.fault)
                                             : objection(library, start, here);
    if (against.empty()) return MpiChoice{library, candidate.reason, ""};
    if (why.empty()) why = against;
    return {};
  };
  if (!here.loaded.empty())
    if (auto choice = try_one({here.loaded, "already in the process"})) return *choice;
  const auto abis = abis_for(start, here);
  for (const auto& candidate : candidates(abis, start, here))
    if (auto choice = try_one(candidate)) return *choice;
  for (const auto& abi : mpi_abis())  // for the message only: they do not belong
    if (clashes.empty() && std::find(abis.begin(), abis.end(), abi.name) == abis.end())
      for (const auto file : abi.files) try_one({std::string(file), ""});
  for (const auto& why : {lacks, broken, clashes})
    if (!why.empty()) return {{}, "", why};
  return {{}, "", nothing_found(abis, start)};
}

}  // namespace everylink
