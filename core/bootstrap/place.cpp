// Places from the three variables; the key.
#include "bootstrap/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"
#include "net/interfaces.hpp"

namespace everylink {
namespace {

constexpr std::size_t longest_key = 1024;
constexpr int backlog = 4096;

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

}  // namespace

Key key_from_variables() {
  const std::string text = variable("EVERYLINK_KEY"), path = variable("EVERYLINK_KEY_FILE");
  if (!text.empty() && !path.empty())
    throw UsageError("EVERYLINK_KEY and EVERYLINK_KEY_FILE are both set; set one of them");
  if (text.size() > longest_key)
    throw UsageError(fmt::format("EVERYLINK_KEY is longer than {} bytes", longest_key));
  if (!path.empty()) return key_in_file(path);
  const View bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void must_share_a_key(const Key& key, const std::string& where) {
  if (key.empty())
    throw UsageError(fmt::format(
        "{} can be reached from other machines, so the ranks must share a key: set EVERYLINK_KEY, or "
        "EVERYLINK_KEY_FILE=PATH, to the same for each (openssl rand -hex 32 makes one)",
        where));
}

Address address_of(const std::string& interface) {
  return interface.empty() ? Address{} : interfaces_named(interface, "--interface ").front().address;
}

Socket listener_at(const Address& address) { return listen_on(address, backlog); }

Socket listener_of_rank_0(const Address& own, int port) {
  return listener_at((own.length ? own : any_address(AF_INET)).with_port(port));
}

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
  // Without a key anybody who reaches the port could take part, so only this machine may.
  place.key = key_from_variables();
  if (!std::all_of(all.begin(), all.end(), [](const Address& one) { return one.is_loopback(); }))
    must_share_a_key(place.key, "EVERYLINK_RENDEZVOUS=" + variable("EVERYLINK_RENDEZVOUS"));
  place.own = address_of(interface);
  place.rendezvous = {all[0]};
  for (std::size_t k = 1; k < all.size() && k < static_cast<std::size_t>(place.size); ++k)
    place.relays.push_back({static_cast<int>(k), {all[k]}});
  if (place.rank < static_cast<int>(all.size()))
    place.listener = listener_at(all[static_cast<std::size_t>(place.rank)]);
  return place;
}

}  // namespace everylink
