// Lists the network interfaces of this machine with getifaddrs.
#include "net/interfaces.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <span>

#include "base/errors.hpp"

namespace everylink {
namespace {

std::span<const unsigned char> network_bytes(const Address& address) {
  if (address.family() == AF_INET)
    return {reinterpret_cast<const unsigned char*>(
                &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr),
            4};
  return {reinterpret_cast<const unsigned char*>(
              &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr),
          16};
}

bool is_link_local(const Address& address) {
  return address.family() == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* list = nullptr;
  check_errno(::getifaddrs(&list), "getifaddrs");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<Interface> found;
  for (const ifaddrs* at = list; at; at = at->ifa_next) {
    if (!at->ifa_addr || !at->ifa_netmask || !(at->ifa_flags & IFF_UP)) continue;
    const int family = at->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    Interface one{at->ifa_name, make_address(at->ifa_addr, length), 0, (at->ifa_flags & IFF_LOOPBACK) != 0};
    const Address mask = make_address(at->ifa_netmask, length);
    for (const unsigned char byte : network_bytes(mask))
      one.prefix += static_cast<unsigned>(std::popcount(byte));
    if (!is_link_local(one.address)) found.push_back(one);
  }
  return found;
}

std::vector<Interface> interfaces_named(const std::string& wanted, const std::string& option) {
  std::string known;
  std::vector<Interface> chosen;
  for (const auto& one : interfaces()) {
    if (one.name == wanted || one.address.host_text() == wanted) chosen.push_back(one);
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", one.name, one.address.host_text());
  }
  if (chosen.empty())
    throw UsageError(fmt::format("{}{}: no such interface here; available: {}", option, wanted, known));
  return chosen;
}

Address listening_at(const std::vector<Interface>& all) {
  if (all.size() == 1) return all.front().address;
  const bool six = std::any_of(all.begin(), all.end(),
                               [](const Interface& one) { return one.address.family() == AF_INET6; });
  return any_address(six ? AF_INET6 : AF_INET);
}

bool same_network(const Interface& ours, const Address& theirs) {
  if (ours.address.family() != theirs.family()) return false;
  const auto a = network_bytes(ours.address), b = network_bytes(theirs);
  for (unsigned bit = 0; bit < ours.prefix; ++bit)
    if ((a[bit / 8] ^ b[bit / 8]) & (0x80u >> bit % 8)) return false;
  return true;
}

}  // namespace everylink
