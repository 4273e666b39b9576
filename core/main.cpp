// everylink-measure: measures every point-to-point connection of a cluster, and judges nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/version.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/place.hpp"
#include "host/open_files.hpp"
#include "host/streams.hpp"
#include "linktest/manual.hpp"
#include "options/command_line.hpp"
#include "options/list.hpp"
#include "rank/run.hpp"
#include "record/recorder.hpp"
#include "transport/transport.hpp"

namespace {

using namespace everylink;

// How this process becomes one of the ranks. `auto` takes the first way that is available: --np, the three
// variables, MPI with --mode mpi, PMIx, PMI, Slurm's variables, MPI.
StartBy bootstrap_for(const Options& o) {
  if (o.np > 0 && o.bootstrap == StartBy::automatic && variables_are_set())
    throw UsageError(fmt::format(
        "--np {0} and EVERYLINK_RANK: add --bootstrap tcp to start {0} ranks in each of EVERYLINK_SIZE "
        "processes, or --bootstrap local to start {0} in all",
        o.np));
  if (o.np > 0 && o.bootstrap != StartBy::tcp) return StartBy::local;
  if (o.bootstrap == StartBy::local)
    throw UsageError("--bootstrap local requires --np N, the number of ranks to start here");
  if (o.bootstrap != StartBy::automatic) return o.bootstrap;
  if (variables_are_set()) return StartBy::tcp;
  if (o.mode == "mpi") return StartBy::mpi;
  if (launcher_is_here("pmix")) return StartBy::pmix;
  if (launcher_is_here("pmi")) return StartBy::pmi;
  if (slurm_is_here()) return StartBy::slurm;
  if (launcher_is_here("mpi")) return StartBy::mpi;
  throw UsageError(
      "no ranks: --np N starts N on this machine; else start by mpirun or srun, or set EVERYLINK_RANK, "
      "EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS=host:port for each");
}

// This process's rank; no_rank until it is known.
int this_rank = no_rank;
bool supervised = false;

int rank_so_far() {
  if (this_rank != no_rank) return this_rank;
  const char* variable = std::getenv("EVERYLINK_RANK");
  if (variable && *variable) return std::atoi(variable);
  try {
    return launcher_hint().rank;
  } catch (const UsageError&) {  // of a launcher's variable that is no number
    return no_rank;
  }
}

int report(std::string_view rank, std::string_view what, int code) {
  complain(fmt::format("{}{}", rank, what));
  return code;
}

int report_of_rank(const std::string& what) {
  const int rank = rank_so_far();
  return report(rank == no_rank ? "" : fmt::format("rank {}: ", rank), what, exit_machine);
}

// Every rank finds a wrong option, and only rank 0 reports it. A launcher other than our supervisor may kill
// all ranks as soon as one ends in error, so the others wait until rank 0 has ended.
int report_once(const char* what) {
  if (rank_so_far() <= 0) return report("", what, exit_usage);
  if (!supervised) std::this_thread::sleep_for(std::chrono::seconds(3));
  return exit_usage;
}

void refuse_ranks_without_mpi(const Options& o, StartBy bootstrap, const std::string& program) {
  if (o.mode != "mpi" || (o.np == 0 && bootstrap != StartBy::hosts)) return;
  const bool by_preset = o.preset == Preset::jupiter;
  throw UsageError(fmt::format(
      "{0} starts ranks without MPI; for {1} start them with mpirun -n N {2} {1}{3}",
      o.np > 0 ? "--np" : "--bootstrap stdin", by_preset ? "--preset jupiter" : "--mode mpi", program,
      by_preset ? " (everylink run: --launcher mpiexec); with --mode tcp it runs here" : ""));
}

Place place_by(StartBy bootstrap, const std::string& interface, Seconds join_limit) {
  switch (bootstrap) {
    case StartBy::tcp: return place_from_variables(interface, join_limit);
    case StartBy::slurm: return place_from_slurm(interface);
    case StartBy::pmix: return place_from_launcher("pmix", interface);
    case StartBy::pmi: return place_from_launcher("pmi", interface);
    default: return place_from_launcher("mpi", interface);
  }
}

int measure(const Options& options, const std::string& program) {
  transport_named(options.mode);  // throws before any rank is started
  const StartBy bootstrap = bootstrap_for(options);
  refuse_ranks_without_mpi(options, bootstrap, program);
  allow_open_files(std::min(options.np, usual_tree_above));
  const auto may_start = [&] {
    if (!options.no_output && !options.resume) check_output(options);
  };
  const auto body = [&](Place place) {
    this_rank = place.rank;
    supervised = bootstrap != StartBy::tcp;  // else nobody but this rank says what ended it
    return run(options, std::move(place));
  };
  if (bootstrap == StartBy::hosts) return run_on_host(options.interface, may_start, body);
  if (bootstrap == StartBy::local) return may_start(), run_here(options.np, body);
  if (bootstrap == StartBy::tcp) this_rank = 0;  // this process reports its own wrong variables
  Place place = place_by(bootstrap, options.interface, options.join_limit);
  if (options.np > 0) return run_at_place(std::move(place), options.np, body);
  this_rank = place.rank;
  if (place.size < 2)
    throw UsageError(fmt::format(
        "a single rank has nothing to measure; start at least 2, for example with mpirun -n 2 {}", program));
  return run(options, std::move(place));
}

int execute(const std::vector<std::string>& typed) {
  const Caller caller = typed.empty() ? Caller{} : caller_of(typed.front());
  complain_as(caller.name);
  const Command command = parse(in_our_words(typed, variable("LINKTEST_VCLUSTER_IMPL")));
  if (command.action == Action::measure) return measure(command.options, caller.name);
  if (rank_so_far() > 0) return exit_ok;  // under a launcher, rank 0 prints for all
  switch (command.action) {
    case Action::measure:
    case Action::list: print(list_text()); break;
    case Action::show_version: print(fmt::format("everylink-measure {}\n", version)); break;
    case Action::show_help:
      print(help_of(manual_of(caller), command.form, command.options.pattern, help_width()));
  }
  return exit_ok;
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_streams();
  // Makes a closed pipe or a too large file an error of a call, which has a better message than a signal.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  try {
    const int code = execute({argv, argv + argc});
    const auto fault = fault_of_output();
    return fault.empty() ? code : report("", fault, exit_machine);
  } catch (const UsageError& error) {
    return report_once(error.what());
  } catch (const RunLost& error) {
    return supervised ? exit_machine
                      : report(fmt::format("rank {}: ", this_rank), error.what(), exit_machine);
  } catch (const std::bad_alloc&) {
    return report_of_rank(local_cause(ENOMEM));
  } catch (const std::exception& error) {
    return report_of_rank(error.what());
  }
}
