// The module through which MPI starts and ends this process: rank, size, one broadcast, and the way out.
#include <fmt/format.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "bootstrap/launcher.hpp"
#include "host/mpi_api.hpp"

namespace everylink {
namespace {

class MpiLauncher final : public Launcher {
 public:
  MpiLauncher() {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw MachineError("MPI_Init failed");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const auto hint = launcher_hint();
    const bool is_alone = size_ == 1 && hint.size > 1;
    if (is_alone || (hint.size > 0 && hint.size != size_ && hint.name != "Slurm")) {
      char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
      int length = 0;
      MPI_Get_library_version(text, &length);
      const std::string version(text, static_cast<std::size_t>(length));
      throw UsageError(
          fmt::format("{} started {} ranks, but {} sees {}: they do not work together; start with the "
                      "mpiexec of that library, "
                      "{}or name another one in EVERYLINK_MPI_LIBRARY",
                      hint.name, hint.size, version.substr(0, version.find_first_of(",\n")), size_,
                      hint.name == "Slurm" ? "with another --mpi of srun, " : ""));
    }
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
