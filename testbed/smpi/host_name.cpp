// Replaces gethostname (ld's --wrap): a rank's host is the simulated one.
#include <mpi.h>

#include <cstdio>

extern "C" int __wrap_gethostname(char* name, std::size_t length) {
  char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
  int letters = 0;
  MPI_Get_processor_name(host, &letters);
  std::snprintf(name, length, "%s", host);
  return 0;
}
