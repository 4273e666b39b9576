// MPI's C interface: of the library's own mpi.h, or of the standard ABI.
#pragma once

#ifdef EVERYLINK_MPI_STANDARD_ABI
#include <mpi_abi.h>  // IWYU pragma: export
#else
#include <mpi.h>  // IWYU pragma: export
#endif
