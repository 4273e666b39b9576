// Places from the environment, and from MPI through its module.
#include "bootstrap/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "errors.hpp"
#include "modules.hpp"
#include "net/interfaces.hpp"
#include "pack.hpp"
#include "units.hpp"

namespace everylink {
namespace {

constexpr std::size_t longest_key = 1024;
constexpr int backlog = 4096;

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

// Where we listen: at the chosen interface, whose address this gives; at none chosen, nothing.
Address address_of(const std::string& interface) {
  return interface.empty() ? Address{} : interfaces_named(interface, "--interface ").front().address;
}

Key key_in_file(const std::string& path) {
  const Socket file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto complain = [&](const std::string& why) {
    throw UsageError(fmt::format("EVERYLINK_KEY_FILE={}: {}", path, why));
  };
  struct stat about {};
  if (!file || ::fstat(file.fd(), &about) < 0) complain(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) complain("is not a file");
  if (about.st_mode & (S_IRGRP | S_IROTH)) complain("others can read it; chmod 600 keeps them out");
  char text[longest_key + 2];
  const ssize_t n = ::read(file.fd(), text, sizeof text);
  if (n < 0) complain(std::strerror(errno));
  std::string_view key(text, static_cast<std::size_t>(n));
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.remove_suffix(1);
  if (key.empty()) complain("is empty; openssl rand -hex 32 makes a key");
  if (key.size() > longest_key) complain(fmt::format("is longer than {} bytes", longest_key));
  const View bytes = std::as_bytes(std::span(key));
  return {bytes.begin(), bytes.end()};
}

// Without a key anybody who reaches the port could take part, so only this machine may.
Key key_from_variables(const std::vector<Address>& rendezvous) {
  const std::string text = variable("EVERYLINK_KEY"), path = variable("EVERYLINK_KEY_FILE");
  if (!text.empty() && !path.empty())
    throw UsageError("EVERYLINK_KEY and EVERYLINK_KEY_FILE are both set; set one of them");
  if (text.size() > longest_key)
    throw UsageError(fmt::format("EVERYLINK_KEY is longer than {} bytes", longest_key));
  if (!path.empty()) return key_in_file(path);
  const View bytes = std::as_bytes(std::span(text));
  if (!text.empty()) return {bytes.begin(), bytes.end()};
  for (const auto& address : rendezvous)
    if (!address.is_loopback())
      throw UsageError(fmt::format(
          "EVERYLINK_RENDEZVOUS={} can be reached from other machines, so the ranks must share a "
          "key: set EVERYLINK_KEY, or EVERYLINK_KEY_FILE=PATH, to the same for each (openssl rand "
          "-hex 32 makes one)",
          variable("EVERYLINK_RENDEZVOUS")));
  return {};
}

}  // namespace

std::vector<Address> addresses_of(const Socket& listener) {
  const Address bound = local_address(listener);
  if (!bound.is_any()) return {bound};
  std::vector<Address> far, near;
  for (const auto& one : interfaces())
    if (one.address.family() == bound.family())
      (one.is_loopback ? near : far).push_back(one.address.with_port(bound.port()));
  return far.empty() ? near : far;
}

bool variables_are_set() { return !variable("EVERYLINK_RANK").empty(); }

Place place_from_variables(const std::string& interface) {
  for (const char* name : {"EVERYLINK_RANK", "EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS"})
    if (variable(name).empty())
      throw UsageError(fmt::format(
          "{} is not set; a rank wants EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS=host:port",
          name));
  Place place{number_in("EVERYLINK_RANK"), number_in("EVERYLINK_SIZE"), "tcp", {}, Socket(), nullptr};
  if (place.rank >= place.size)
    throw UsageError(fmt::format("EVERYLINK_RANK={}: with EVERYLINK_SIZE={} a rank is 0 to {}", place.rank,
                                 place.size, place.size - 1));
  std::vector<Address> all;
  for (const auto& one : split(variable("EVERYLINK_RENDEZVOUS"), ','))
    all.push_back(parse_address(one, "EVERYLINK_RENDEZVOUS"));
  place.key = key_from_variables(all);
  place.own = address_of(interface);
  place.rendezvous = {all[0]};
  for (std::size_t k = 1; k < all.size() && k < static_cast<std::size_t>(place.size); ++k)
    place.relays.push_back({static_cast<int>(k), {all[k]}});
  if (place.rank < static_cast<int>(all.size()))
    place.listener = listen_on(all[static_cast<std::size_t>(place.rank)], backlog);
  return place;
}

Place place_from_mpi(const std::string& interface) {
  std::string why;
  const auto* entry = static_cast<const LauncherEntry*>(module_symbol("launch_mpi", "launcher", why));
  if (!entry) throw UsageError("these ranks were started by MPI, but MPI cannot be used: " + why);
  if (entry->abi != launcher_abi)
    throw UsageError("the module launch_mpi.so is of another version of Everylink");
  Place place{0, 0, "mpi", {}, Socket(), entry->join()};
  place.rank = place.launcher->rank();
  place.size = place.launcher->size();
  place.own = address_of(interface);
  if (place.rank == 0) {
    place.listener = listen_on(place.own.length ? place.own : any_address(AF_INET), backlog);
    place.rendezvous = addresses_of(place.listener);
    place.key = random_key();
  }
  const Blob told = place.launcher->tell_all(Packer().add(place.rendezvous).add(place.key).take());
  Unpacker in(told);
  place.rendezvous = in.list<Address>();
  place.key = in.list<std::byte>();
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
