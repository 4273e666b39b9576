// The launchers, and a Place from one.
#include "bootstrap/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "bootstrap/place.hpp"
#include "host/modules.hpp"
#include "host/streams.hpp"
#include "launchers_not_built.hpp"  // made by CMake

namespace everylink {
namespace {

constexpr Seconds library_start_limit = 300;  // 100,000 processes do not start in a minute

struct Known {
  std::string_view name, summary;
  const char* sign;                     // the variable that marks a process that it started
  const char* module;                   // null: built in
  std::string_view why_not_built = {};  // empty: it was built
};
constexpr Known launchers[] = {
    {"pmix", "PMIx: mpirun of Open MPI, srun --mpi=pmix", "PMIX_NAMESPACE", "launch_pmix", no_pmix},
    {"pmi", "PMI-1: mpiexec of MPICH and Intel MPI, srun --mpi=pmi2", "PMI_FD", nullptr},
    {"mpi", "MPI itself", nullptr, "launch_mpi", no_mpi}};

const Known& known(std::string_view name) {
  for (const auto& one : launchers)
    if (one.name == name) return one;
  throw MachineError(fmt::format("unknown launcher {}", name));
}

const LauncherEntry* module_of(const Known& one, std::string& why) {
  if (!one.why_not_built.empty()) {
    why = fmt::format("not built: {}", one.why_not_built);
    return nullptr;
  }
  return module_entry<LauncherEntry>(one.module, "launcher", launcher_abi, why);
}

std::unique_ptr<Launcher> join(const Known& one) {
  if (!one.module) return join_by_pmi();
  std::string why;
  const auto* entry = module_of(one, why);
  if (!entry) throw UsageError(fmt::format("--bootstrap {}: {}", one.name, why));
  return entry->join();
}

}  // namespace

std::vector<LauncherState> launcher_states() {
  std::vector<LauncherState> states;
  for (const auto& one : launchers) {
    std::string why;
    if (one.module) module_of(one, why);
    states.push_back({one.name, one.summary, why});
  }
  return states;
}

bool launcher_is_here(std::string_view name) {
  const Known& one = known(name);
  std::string why;
  const bool started = one.sign ? !variable(one.sign).empty() : launcher_hint().size >= 0;
  return started && (!one.module || module_of(one, why));
}

LauncherHint launcher_hint() {
  struct Variables {
    const char *name, *rank, *size;
  };
  constexpr Variables all[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                               {"MPICH or PMI", "PMI_RANK", "PMI_SIZE"},
                               {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& one : all)
    if (!variable(one.rank).empty() && !variable(one.size).empty())
      return {one.name, number_in(one.rank), number_in(one.size)};
  return {};
}

Place place_from_launcher(const std::string& name, const std::string& interface) {
  const auto hint = launcher_hint();
  const CallLimit limit(
      library_start_limit, fmt::format("joining the other ranks by {}", name),
      hint.rank != 0
          ? ""
          : fmt::format("waiting for all {} ranks to join by {}, which does not say which are missing; after "
                        "{:g} s the run ends",
                        hint.size, name, library_start_limit));
  Place place{.bootstrap = name, .launcher = join(known(name)), .ends_together = true};
  place.rank = place.launcher->rank();
  place.size = place.launcher->size();
  place.own = address_of(interface);
  if (place.rank == 0) {
    place.listener = listener_of_rank_0(place.own);
    place.rendezvous = place.listener->addresses();
    place.key = random_key();
  }
  const Blob told = place.launcher->tell_all(Packer().add(place.rendezvous).add(place.key).take());
  Unpacker in(told);
  place.rendezvous = in.list<Address>();
  place.key = in.list<std::byte>();
  in.end();
  Unpacker::must(!place.rendezvous.empty());
  for (const auto& address : place.rendezvous) Unpacker::must(address.is_whole());
  return place;
}

struct CallLimit::Watch {
  std::mutex mutex;
  std::condition_variable over;
  bool is_over = false;
  std::thread thread;
};

CallLimit::CallLimit(Seconds limit, std::string what, std::string notice)
    : watch_(std::make_unique<Watch>()) {
  watch_->thread = std::thread([watch = watch_.get(), limit, what = std::move(what),
                                notice = std::move(notice)] {
    std::unique_lock lock(watch->mutex);
    const auto is_over_within = [&](Seconds time) {
      return watch->over.wait_for(lock, std::chrono::duration<Seconds>(time), [&] { return watch->is_over; });
    };
    if (is_over_within(quiet_limit)) return;
    if (!notice.empty()) complain(notice);
    if (is_over_within(limit - quiet_limit)) return;
    complain(fmt::format("{} did not finish within {} s", what, limit));
    ::_exit(exit_machine);
  });
}

CallLimit::~CallLimit() {
  {
    const std::lock_guard lock(watch_->mutex);
    watch_->is_over = true;
  }
  watch_->over.notify_one();
  watch_->thread.join();
}

}  // namespace everylink
