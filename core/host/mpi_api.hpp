// MPI's C interface, of the library's own mpi.h or of the standard ABI, and which library it calls.
#pragma once

#ifdef EVERYLINK_MPI_STANDARD_ABI
#include <mpi_abi.h>  // IWYU pragma: export
#else
#include <mpi.h>  // IWYU pragma: export
#endif

#include <cstddef>
#include <string>

#include "host/mpi_choice.hpp"

namespace everylink {

// "Open MPI v4.1.4"
inline std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return short_version({text, static_cast<std::size_t>(length)});
}

}  // namespace everylink
