// everylink-measure: measures every point-to-point connection of a cluster, and judges nothing.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/errors.hpp"
#include "bootstrap/place.hpp"
#include "kernel/kernel.hpp"
#include "memory/memory.hpp"
#include "options/command_line.hpp"
#include "options/list.hpp"
#include "rank/run.hpp"
#include "record/recorder.hpp"
#include "transport/transport.hpp"

namespace {

using namespace everylink;

// How this process is one of the ranks. `auto` takes the first that is there: --np, the three variables, MPI
// where it measures, PMIx, PMI, Slurm's variables, MPI.
std::string bootstrap_for(const Options& o) {
  if (o.np > 0) return "local";
  if (o.bootstrap == "local")
    throw UsageError("--bootstrap local wants --np N, the number of ranks to start here");
  if (o.bootstrap != "auto") return o.bootstrap;
  if (variables_are_set()) return "tcp";
  if (o.mode == "mpi") return "mpi";
  for (const char* name : {"pmix", "pmi"})
    if (launcher_is_here(name)) return name;
  if (slurm_is_here()) return "slurm";
  if (launcher_is_here("mpi")) return "mpi";
  throw UsageError(
      "no ranks: --np N starts N on this machine; else start by mpirun or srun, or set EVERYLINK_RANK, "
      "EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS=host:port for each");
}

// This process's rank, as soon as anything tells it.
int this_rank = no_rank;
bool supervised = false;

int rank_so_far() {
  if (this_rank != no_rank) return this_rank;
  const char* variable = std::getenv("EVERYLINK_RANK");
  return variable && *variable ? std::atoi(variable) : launcher_hint().rank;
}

int complain(const std::string& who, const char* what, int code) {
  std::fflush(stdout);
  fmt::print(stderr, "everylink-measure: {}{}\n", who, what);
  return code;
}

// Every rank sees a wrong option, and rank 0 says it. A launcher kills the others as soon as one ends in
// error, so that they give rank 0 the time to be the first.
int complain_once(const char* what) {
  if (rank_so_far() <= 0) return complain("", what, exit_usage);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return exit_usage;
}

int measure(const Options& options) {
  transport_named(options.mode);  // before anything is started
  const std::string bootstrap = bootstrap_for(options);
  const bool starts_ranks = bootstrap == "local" || bootstrap == "stdin";
  if (starts_ranks && options.mode == "mpi")
    throw UsageError(fmt::format(
        "{0} starts ranks without MPI; for {1} start them with mpirun -n N everylink-measure {1}{2}",
        bootstrap == "local" ? "--np" : "--bootstrap stdin",
        options.preset.empty() ? "--mode mpi" : "--preset " + options.preset,
        options.preset.empty() ? "" : " (everylink run: --launcher mpiexec); with --mode tcp it runs here"));
  const auto may_start = [&] {
    if (!options.no_output && !options.resume) check_output(options);
  };
  const auto body = [&](Place place) {
    this_rank = place.rank;
    supervised = true;
    return run(options, std::move(place));
  };
  if (bootstrap == "stdin") return run_on_host(options.interface, may_start, body);
  if (bootstrap == "local") return may_start(), run_here(options.np, body);
  if (bootstrap == "tcp")
    this_rank = 0;  // wrong variables are this process's own: it says so, whatever rank it may be
  Place place = bootstrap == "tcp"     ? place_from_variables(options.interface)
                : bootstrap == "slurm" ? place_from_slurm(options.interface)
                                       : place_from_launcher(bootstrap, options.interface);
  this_rank = place.rank;
  if (place.size < 2) throw UsageError(fmt::format("{} rank has no link; start 2 or more", place.size));
  return run(options, std::move(place));
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe or a file that grows too large is an error of a call, which says more than a signal.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  try {
    const auto options = parse_command_line(argc, argv);
    if (!options) return exit_ok;
    if (options->list) return print_list(), exit_ok;
    return measure(*options);
  } catch (const UsageError& error) {
    return complain_once(error.what());
  } catch (const RunLost& error) {
    return supervised ? exit_machine
                      : complain(fmt::format("rank {}: ", this_rank), error.what(), exit_machine);
  } catch (const std::exception& error) {
    const int rank = rank_so_far();
    return complain(rank == no_rank ? "" : fmt::format("rank {}: ", rank), error.what(), exit_machine);
  }
}
