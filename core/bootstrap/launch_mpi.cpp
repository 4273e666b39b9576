// The module through which MPI starts and ends this process: rank, size, one broadcast, and the way out.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "bootstrap/launcher.hpp"
#include "host/mpi_api.hpp"
#include "host/streams.hpp"

namespace everylink {
namespace {

bool is_in_slurm() { return !variable("SLURM_PROCID").empty() && variable("OMPI_COMM_WORLD_RANK").empty(); }

// "Slurm with PMIx", "Open MPI"
std::string launcher_name() {
  if (!is_in_slurm()) return launcher_hint().name.empty() ? "this launcher" : launcher_hint().name;
  if (!variable("PMIX_NAMESPACE").empty()) return "Slurm with PMIx";
  return variable("PMI_FD").empty() ? "Slurm with neither PMIx nor PMI" : "Slurm with PMI";
}

std::string what_to_do() {
  return fmt::format("start with {} of that library, or name another library in EVERYLINK_MPI_LIBRARY",
                     is_in_slurm() ? "another --mpi of srun, or the mpiexec" : "the mpiexec");
}

// Some libraries end the process in MPI_Init where nothing serves them.
void start() {
  static bool is_starting = false;
  std::atexit([] {
    if (!is_starting) return;
    if (launcher_hint().rank <= 0)
      complain(
          fmt::format("{} cannot start under {}; {}", mpi_library_version(), launcher_name(), what_to_do()));
    ::_exit(exit_usage);
  });
  is_starting = true;
  const int rc = MPI_Init(nullptr, nullptr);
  is_starting = false;
  if (rc != MPI_SUCCESS) throw MachineError("MPI_Init failed");
}

class MpiLauncher final : public Launcher {
 public:
  MpiLauncher() {
    start();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const auto hint = launcher_hint();
    const bool is_alone = size_ == 1 && hint.size > 1;
    if (is_alone || (hint.size > 0 && hint.size != size_ && hint.name != "Slurm"))
      throw UsageError(fmt::format("{} started {} ranks, but {} sees {}: they do not work together; {}",
                                   launcher_name(), hint.size, mpi_library_version(), size_, what_to_do()));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Blob tell_all(View from_rank_0) override {
    unsigned long long bytes = from_rank_0.size();
    MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    Blob told(from_rank_0.begin(), from_rank_0.end());
    told.resize(bytes);
    MPI_Bcast(told.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
    return told;
  }

  // Measured: the first rank that leaves on its own ends rank 0 before it has written. So the others sleep,
  // and rank 0 ends all.
  void leave(int exit_code, bool clean) override {
    if (clean) {
      MPI_Finalize();
      return;
    }
    if (rank_ == 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
    ::sleep(60);
    ::_exit(exit_code);
  }

 private:
  int rank_ = 0, size_ = 0;
};

}  // namespace

extern "C" const LauncherEntry launcher{
    launcher_abi, "mpi", []() -> std::unique_ptr<Launcher> { return std::make_unique<MpiLauncher>(); }};

}  // namespace everylink
