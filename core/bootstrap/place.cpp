// A Place from the three variables; where a rank listens.
#include "bootstrap/place.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"
#include "host/signals.hpp"
#include "host/streams.hpp"
#include "net/interfaces.hpp"
#include "net/tcp_network.hpp"

namespace everylink {
namespace {

constexpr int backlog = 4096, relay_backlog = 1024;

std::set<int> families_of(const std::vector<Address>& all) {
  std::set<int> families;
  for (const auto& one : all) families.insert(one.family());
  return families;
}

// The name of a machine may become known only when the machine starts, as that of a pod of Kubernetes does.
std::vector<Address> addresses_once_known(const std::string& text, Seconds patience) {
  const Seconds until = steady_clock().now() + patience;
  for (bool first = true;; first = false) {
    try {
      return parse_addresses(text, "EVERYLINK_RENDEZVOUS");
    } catch (const UnknownName& unknown) {
      if (steady_clock().now() >= until) throw;
      if (first)
        complain(fmt::format("warning: {}; waiting up to {:g} s for that name", unknown.what(), patience));
    }
    if (first) handle_signals();  // as the first process of a container, this one would else ignore them
    if (end_is_wanted()) throw RunLost("interrupted before this rank had joined");
    std::this_thread::sleep_for(std::chrono::duration<Seconds>(0.5));
  }
}

bool has_ipv6() { return listening_at(interfaces()).family() == AF_INET6; }

}  // namespace

std::unique_ptr<Listener> listener_for(const Place& place, Network& network) {
  if (place.bootstrap == "local") return {};
  const Address& rank_0 = place.rendezvous.at(0);
  if (place.own.length) return network.listen(place.own.with_port(0), relay_backlog);
  if (rank_0.is_loopback()) return network.listen(rank_0.with_port(0), relay_backlog);
  const bool both = families_of(place.rendezvous).size() > 1 && has_ipv6();
  return network.listen(any_address(both ? AF_INET6 : rank_0.family()), relay_backlog);
}

Mac host_hash(const Place& place) {
  const std::string text = place.host.empty() ? boot_id() + network_namespace() : place.host;
  return hmac_sha256({}, {std::as_bytes(std::span(text))});
}

Address address_of(const std::string& interface) {
  return interface.empty() ? Address{} : interfaces_named(interface, "--interface ").front().address;
}

std::unique_ptr<Listener> listener_at(const std::vector<Address>& all) {
  const Address& first = all.at(0);
  const bool near = std::all_of(all.begin(), all.end(), [](const Address& one) { return one.is_loopback(); });
  if (!near && families_of(all).size() > 1 && has_ipv6())
    return tcp_network().listen(any_address(AF_INET6).with_port(first.port()), backlog);
  const auto ours =
      std::find_if(all.begin(), all.end(), [](const Address& one) { return bool(try_listen_on(one, 1)); });
  return tcp_network().listen(ours == all.end() ? first : *ours, backlog);
}

std::unique_ptr<Listener> listener_of_rank_0(const Address& own, int port) {
  return listener_at({(own.length ? own : listening_at(interfaces())).with_port(port)});
}

bool variables_are_set() { return !variable("EVERYLINK_RANK").empty(); }

Place place_from_variables(const std::string& interface, Seconds patience) {
  for (const char* name : {"EVERYLINK_RANK", "EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS"})
    if (variable(name).empty())
      throw UsageError(
          fmt::format("{} is not set; each rank requires EVERYLINK_RANK, EVERYLINK_SIZE and "
                      "EVERYLINK_RENDEZVOUS=host:port",
                      name));
  Place place{.rank = number_in("EVERYLINK_RANK"), .size = number_in("EVERYLINK_SIZE"), .bootstrap = "tcp"};
  if (place.rank >= place.size)
    throw UsageError(fmt::format("EVERYLINK_RANK={}: with EVERYLINK_SIZE={}, ranks are 0 to {}", place.rank,
                                 place.size, place.size - 1));
  std::vector<std::vector<Address>> all;  // by rank
  for (const auto& one : split(variable("EVERYLINK_RENDEZVOUS"), ','))
    all.push_back(addresses_once_known(one, patience));
  // Without a key anybody who reaches the port could take part, so it must be reachable from this machine
  // only.
  place.key = key_from_variables();
  const auto is_near = [](const auto& of_rank) {
    return std::all_of(of_rank.begin(), of_rank.end(), [](const Address& one) { return one.is_loopback(); });
  };
  if (!std::all_of(all.begin(), all.end(), is_near))
    must_share_a_key(place.key, "EVERYLINK_RENDEZVOUS=" + variable("EVERYLINK_RENDEZVOUS"));
  place.own = address_of(interface);
  place.rendezvous = all[0];
  for (std::size_t k = 1; k < all.size() && k < static_cast<std::size_t>(place.size); ++k)
    place.relays.push_back({static_cast<int>(k), all[k]});
  if (place.rank < static_cast<int>(all.size()))
    place.listener = listener_at(all[static_cast<std::size_t>(place.rank)]);
  return place;
}

}  // namespace everylink
