// Tests that the launcher's MPI library is chosen, on simulated machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/mpi_choice.hpp"

namespace everylink {
namespace {

const MpiLibrary of_open_mpi{"", "openmpi", "Open MPI v5.0.11", ""},
    of_mpich{"", "mpich", "MPICH Version: 5.0.2", ""},
    of_intel{"", "mpich", "Intel(R) MPI Library 2021.18", ""},
    abi_of_mpich{"", "abi", "MPICH Version: 5.0.2", ""}, abi_of_open_mpi{"", "abi", "Open MPI v6.0.0", ""};

// Libraries by path; the loader finds those of the folder /usr/lib.
struct Machine {
  std::map<std::string, std::string> variables;
  std::vector<std::string> parents;
  std::map<std::string, MpiLibrary> libraries;
  std::set<std::string, std::less<>> modules{"mpich", "openmpi", "abi"};
  std::string mpiexec, loaded, built_with;

  MpiSurroundings here() const {
    return {.variable =
                [this](const char* name) {
                  const auto found = variables.find(name);
                  return found == variables.end() ? "" : found->second;
                },
            .parents = parents,
            .mpiexec = mpiexec,
            .loaded = loaded,
            .built_with = built_with,
            .has_modules = [this](std::string_view abi) { return modules.contains(abi); },
            .look_at =
                [this](const std::string& file) {
                  const bool is_path = file.find('/') != file.npos;
                  const auto found = libraries.find(is_path ? file : "/usr/lib/" + file);
                  if (found == libraries.end()) return MpiLibrary{};
                  MpiLibrary library = found->second;
                  library.path = found->first;
                  return library;
                }};
  }
  MpiChoice choice() const { return choose_mpi(here()); }
  std::string path() const {
    const auto made = choice();
    EXPECT_EQ(made.why_not, "");
    return made.library.path;
  }
  std::string why_not() const {
    const auto made = choice();
    EXPECT_EQ(made.library.path, "");
    return made.why_not;
  }
};

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words) EXPECT_NE(text.find(word), text.npos) << word << " is not in: " << text;
  EXPECT_EQ(text.find('\n'), text.npos);
}

using Variables = std::map<std::string, std::string>;
const Variables by_open_mpi{{"OMPI_COMM_WORLD_RANK", "0"}, {"PMIX_NAMESPACE", "1"}},
    by_hydra{{"PMI_RANK", "0"}, {"PMI_FD", "9"}, {"HYDI_CONTROL_FD", "7"}},
    by_intel{{"PMI_RANK", "0"}, {"PMI_FD", "9"}, {"I_MPI_HYDRA_UUID", "1"}},
    by_srun_pmix{{"PMIX_NAMESPACE", "1"}, {"SLURM_PROCID", "0"}},
    by_srun_pmi{{"PMI_FD", "9"}, {"SLURM_PROCID", "0"}}, by_srun{{"SLURM_PROCID", "0"}};

// All three ABIs, where the loader finds them.
const std::map<std::string, MpiLibrary> all{{"/usr/lib/libmpi.so.40", of_open_mpi},
                                            {"/usr/lib/libmpi.so.12", of_mpich},
                                            {"/usr/lib/libmpi_abi.so.1", abi_of_mpich}};

TEST(MpiChoice, the_library_beside_the_launcher_comes_before_that_of_the_loader) {
  Machine machine{
      .variables = by_hydra, .parents = {"/usr/bin/bash", "/v/bin/hydra_pmi_proxy"}, .libraries = all};
  machine.libraries["/v/lib/libmpi.so.12"] = of_intel;
  EXPECT_EQ(machine.path(), "/v/lib/libmpi.so.12");
  EXPECT_EQ(machine.choice().reason, "beside /v/bin/hydra_pmi_proxy");
  machine.libraries.erase("/v/lib/libmpi.so.12");
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.12");
  EXPECT_EQ(machine.choice().reason, "found by the loader");
  machine.libraries["/v/lib/libmpi_abi.so.1"] = abi_of_mpich;
  EXPECT_EQ(machine.path(), "/v/lib/libmpi_abi.so.1") << "the other library of the launcher";
}

TEST(MpiChoice, each_launcher_gets_its_own_library_where_the_loader_finds_all) {
  const std::vector<std::pair<Variables, std::string>> cases{
      {by_open_mpi, "libmpi.so.40"}, {by_hydra, "libmpi.so.12"},
      {by_intel, "libmpi.so.12"},    {by_srun_pmix, "libmpi.so.40"},
      {by_srun_pmi, "libmpi.so.12"}, {by_srun, "libmpi.so.40"},
      {{}, "libmpi.so.40"}};
  for (const auto& [variables, file] : cases)
    EXPECT_EQ((Machine{.variables = variables, .libraries = all}.path()), "/usr/lib/" + file);
}

TEST(MpiChoice, the_nearest_launcher_counts_not_the_variables_of_one_further_up) {
  auto variables = by_open_mpi;
  variables.insert(by_hydra.begin(), by_hydra.end());
  Machine machine{
      .variables = variables, .parents = {"/v/bin/hydra_pmi_proxy", "/w/bin/prterun"}, .libraries = all};
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.12");
  machine.parents = {"prted", "/v/bin/hydra_pmi_proxy"};  // of another user: only its name is known
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.40");
}

TEST(MpiChoice, the_standard_abi_serves_the_launcher_of_its_maker_alone) {
  Machine machine{.variables = by_open_mpi, .libraries = {{"/usr/lib/libmpi_abi.so.1", abi_of_open_mpi}}};
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi_abi.so.1");
  machine.variables = by_hydra;
  expect_words(machine.why_not(),
               {"mpiexec of MPICH or Intel MPI started", "Open MPI v6.0.0", "libmpi_abi.so.1"});
  machine.libraries["/usr/lib/libmpi_abi.so.1"] = abi_of_mpich;
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi_abi.so.1");
}

TEST(MpiChoice, a_library_of_another_mpi_than_the_launchers_is_refused_with_both_names) {
  auto mpich = of_mpich;
  mpich.mpiexec = "/v/bin/mpiexec";
  Machine machine{.variables = by_open_mpi,
                  .parents = {"/usr/bin/orterun"},
                  .libraries = {{"/usr/lib/libmpi.so.12", mpich}}};
  EXPECT_EQ(
      machine.why_not(),
      "mpirun of Open MPI (/usr/bin/orterun) started these ranks, but the MPI library is MPICH Version: "
      "5.0.2 "
      "(/usr/lib/libmpi.so.12); name the folder of the launcher's own libmpi.so.40 in LD_LIBRARY_PATH, or "
      "start with "
      "/v/bin/mpiexec");
  machine = {.variables = by_hydra, .libraries = {{"/usr/lib/libmpi.so.40", of_open_mpi}}};
  expect_words(machine.why_not(), {"mpiexec of MPICH or Intel MPI started", "Open MPI v5.0.11",
                                   "libmpi.so.12", "start with that library's mpiexec"});
  machine.libraries = {{"/usr/lib/libmpi.so.12", of_open_mpi}};  // Open MPI 1.10 had that name
  expect_words(machine.why_not(), {"Open MPI v5.0.11", "/usr/lib/libmpi.so.12"});
}

TEST(MpiChoice, a_library_that_the_user_names_is_used_or_refused_but_never_replaced) {
  Machine machine{.variables = by_hydra, .libraries = all};
  machine.variables["EVERYLINK_MPI_LIBRARY"] = "/usr/lib/libmpi_abi.so.1";
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi_abi.so.1");
  machine.variables["EVERYLINK_MPI_LIBRARY"] = "/usr/lib/libmpi.so.40";
  expect_words(machine.why_not(), {"EVERYLINK_MPI_LIBRARY: mpiexec of MPICH or Intel MPI started", "Open MPI",
                                   "name the launcher's own libmpi.so.12 in EVERYLINK_MPI_LIBRARY"});
  machine.variables["EVERYLINK_MPI_LIBRARY"] = "/nowhere.so";
  expect_words(machine.why_not(), {"EVERYLINK_MPI_LIBRARY=/nowhere.so: there is no such library"});
  machine.libraries["/nowhere.so"] = {"", "", "", "invalid ELF header"};
  expect_words(machine.why_not(), {"EVERYLINK_MPI_LIBRARY=/nowhere.so: invalid ELF header"});
}

TEST(MpiChoice, an_abi_without_a_module_is_passed_over_or_named) {
  Machine machine{.variables = by_hydra, .libraries = all, .modules = {"openmpi", "abi"}};
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi_abi.so.1");
  machine.modules = {"openmpi"};
  expect_words(machine.why_not(), {"MPICH Version: 5.0.2", "/usr/lib/libmpi.so.12", "mpi_mpich.so",
                                   "-DEVERYLINK_MPI_HEADERS=mpich=FOLDER"});
}

TEST(MpiChoice, a_library_that_does_not_load_is_named_with_the_loaders_reason) {
  Machine machine{.variables = by_open_mpi, .parents = {"/v/bin/prterun"}};
  machine.libraries["/v/lib/libmpi.so.40"] = {"", "", "", "libpmix.so.2: cannot open shared object file"};
  expect_words(machine.why_not(), {"/v/lib/libmpi.so.40: libpmix.so.2: cannot open"});
  machine.libraries["/usr/lib/libmpi.so.40"] = of_open_mpi;
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.40");
}

TEST(MpiChoice, without_any_library_the_searched_names_and_a_package_are_named) {
  Machine machine{.variables = by_hydra, .parents = {"/v/bin/hydra_pmi_proxy"}};
  expect_words(machine.why_not(),
               {"mpiexec of MPICH or Intel MPI (/v/bin/hydra_pmi_proxy) started", "libmpi.so.12",
                "libmpi_abi.so.1", "apt install libmpich12", "EVERYLINK_MPI_LIBRARY"});
  expect_words(Machine{}.why_not(),
               {"no libmpi.so.40 (Open MPI)", "libmpi.so.12", "apt install libopenmpi3"});
}

TEST(MpiChoice, without_a_launcher_the_library_of_the_mpiexec_on_path_is_the_first) {
  Machine machine{.libraries = all, .mpiexec = "/v/bin/mpiexec"};
  machine.libraries["/v/lib/libmpi.so.12"] = of_mpich;
  EXPECT_EQ(machine.path(), "/v/lib/libmpi.so.12");
  machine.mpiexec = "/usr/bin/mpiexec.hydra";
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.12");
  machine.libraries = {{"/usr/lib/libmpi.so.40", of_open_mpi}};
  expect_words(machine.why_not(),
               {"the mpiexec on PATH is mpiexec of MPICH or Intel MPI (/usr/bin/mpiexec.hydra)"});
}

TEST(MpiChoice, a_loaded_library_comes_first_and_that_of_the_build_last) {
  Machine machine{.variables = by_srun, .libraries = all, .built_with = "/site/libmpi.so.40"};
  machine.libraries["/site/libmpi.so.40"] = of_open_mpi;
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi.so.40");
  machine.libraries.erase("/usr/lib/libmpi.so.40");
  machine.modules = {"openmpi"};
  EXPECT_EQ(machine.path(), "/site/libmpi.so.40");
  machine.modules = {"openmpi", "abi"};
  machine.loaded = "/usr/lib/libmpi_abi.so.1";
  EXPECT_EQ(machine.path(), "/usr/lib/libmpi_abi.so.1");
}

TEST(MpiChoice, each_abi_is_listed_with_its_own_library_whatever_the_launcher) {
  const Machine machine{.variables = by_hydra, .libraries = all};
  for (const auto& abi : mpi_abis())
    EXPECT_EQ(mpi_library_of(abi.name, machine.here()).path, fmt::format("/usr/lib/{}", abi.files[0]));
}

TEST(MpiChoice, a_version_is_the_first_line_to_its_comma_with_single_spaces) {
  EXPECT_EQ(short_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI v4.1.4");
  EXPECT_EQ(short_version("MPICH Version:      5.0.2\nMPICH Release date: ..."), "MPICH Version: 5.0.2");
  EXPECT_EQ(short_version(""), "");
}

}  // namespace
}  // namespace everylink
