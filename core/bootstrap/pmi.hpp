// PMI-1, the text protocol on the descriptor in PMI_FD, by which hydra (MPICH, Intel MPI) and `srun
// --mpi=pmi2` serve what they start.
#pragma once

#include <memory>

#include "bootstrap/launcher.hpp"

namespace everylink {

std::unique_ptr<Launcher> join_by_pmi();  // throws UsageError, MachineError

}  // namespace everylink
