// Places from the environment, and from MPI through its module.
#include "bootstrap/place.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "errors.hpp"
#include "modules.hpp"
#include "pack.hpp"
#include "units.hpp"

namespace everylink {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int number_in(const char* name) {
  const auto text = variable(name);
  const auto value = parse_integer(text, name);
  if (value < 0 || value > (1 << 24)) throw UsageError(fmt::format("{}={}: out of range", name, text));
  return static_cast<int>(value);
}

// Every address of this machine by which others may reach it, loopback last.
std::vector<Address> own_addresses() {
  std::vector<Address> addresses;
  for (const bool loopback : {false, true})
    for (const auto& one : interfaces())
      if (one.is_loopback == loopback && one.address.family() == AF_INET) addresses.push_back(one.address);
  return addresses;
}

}  // namespace

bool variables_are_set() { return !variable("EVERYLINK_RANK").empty(); }

Place place_from_variables() {
  for (const char* name : {"EVERYLINK_RANK", "EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS"})
    if (variable(name).empty())
      throw UsageError(fmt::format(
          "{} is not set; a rank wants EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS=host:port",
          name));
  Place place{number_in("EVERYLINK_RANK"), number_in("EVERYLINK_SIZE"), "tcp", {}, Socket(), nullptr};
  if (place.rank >= place.size)
    throw UsageError(fmt::format("EVERYLINK_RANK={}: with EVERYLINK_SIZE={} a rank is 0 to {}", place.rank,
                                 place.size, place.size - 1));
  place.rendezvous = {parse_address(variable("EVERYLINK_RENDEZVOUS"), "EVERYLINK_RENDEZVOUS")};
  if (place.rank == 0) place.listener = listen_on(place.rendezvous[0], 1024);
  return place;
}

Place place_from_mpi() {
  std::string why;
  const auto* entry = static_cast<const LauncherEntry*>(module_symbol("launch_mpi", "launcher", why));
  if (!entry) throw UsageError("these ranks were started by MPI, but MPI cannot be used: " + why);
  if (entry->abi != launcher_abi)
    throw UsageError("the module launch_mpi.so is of another version of Everylink");
  Place place{0, 0, "mpi", {}, Socket(), entry->join()};
  place.rank = place.launcher->rank();
  place.size = place.launcher->size();
  if (place.rank == 0) {
    place.listener = listen_on(parse_address("0.0.0.0:0", "rendezvous"), 1024);
    const int port = local_address(place.listener).port();
    for (const auto& address : own_addresses()) place.rendezvous.push_back(address.with_port(port));
  }
  const Blob told = place.launcher->tell_all(Packer().add(place.rendezvous).take());
  place.rendezvous = Unpacker(told).list<Address>();
  return place;
}

LauncherHint launcher_hint() {
  struct Known {
    const char *name, *rank, *size;
  };
  constexpr Known known[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                             {"MPICH or PMI", "PMI_RANK", "PMI_SIZE"},
                             {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& one : known)
    if (!variable(one.rank).empty() && !variable(one.size).empty())
      return {one.name, number_in(one.rank), number_in(one.size)};
  return {};
}

}  // namespace everylink
