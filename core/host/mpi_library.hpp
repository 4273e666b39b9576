// Loads the MPI library that this process uses, before the modules that call it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everylink {

// The module of `name` ("mpi", "launch_mpi") for the library, which is in the process from then on:
// "mpi_openmpi".
// "": there is none to use; `why` has one sentence.
std::string mpi_module(const std::string& name, std::string& why);

// The ABIs, for --list.
struct MpiAbiState {
  std::string_view name;
  std::string text;  // its libraries, and whether and why one of them is used
};
std::vector<MpiAbiState> mpi_abi_states();

}  // namespace everylink
