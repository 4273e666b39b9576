// Connects two ranks: one listens, the other calls.
#include "net/door.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "net/callers.hpp"
#include "net/tcp_network.hpp"

namespace everylink {

// What the peer needs: our addresses, a nonce that proves our identity, and our machine (loopback reaches
// only that one).
struct Door::Offer {
  Nonce nonce;
  std::string machine;
  std::vector<Address> addresses;

  Blob packed() const { return Packer().add(nonce).add(machine).add(addresses).take(); }
  static Offer unpacked(View bytes) {
    Unpacker in(bytes);
    Offer offer;
    offer.nonce = in.get<Nonce>();
    offer.machine = in.text();
    offer.addresses = in.list<Address>();
    in.end();
    for (const auto& address : offer.addresses) Unpacker::must(address.is_whole());
    return offer;
  }
};

namespace {

std::string this_machine() {
  static const std::string id = boot_id() + network_namespace();
  return id;
}

std::vector<Interface> chosen_interfaces(const std::string& wanted, bool one_machine) {
  if (!wanted.empty()) return interfaces_named(wanted, "interface=");
  auto all = interfaces();
  if (one_machine && std::any_of(all.begin(), all.end(), [](const auto& one) { return one.is_loopback; }))
    std::erase_if(all, [](const auto& one) { return !one.is_loopback; });
  return all;
}

Nonce fresh_nonce() {
  Nonce nonce;
  draw(nonce);
  return nonce;
}

// Sent in place of the nonce to a caller that reached the wrong rank.
constexpr char this_is_rank[12] = {'i', ' ', 'a', 'm', ' ', 'e', 'v', 'e', 'r', 'y', 'l', 'k'};

Nonce named(std::int32_t rank) {
  Nonce name;
  std::memcpy(name.data(), this_is_rank, sizeof this_is_rank);
  std::memcpy(name.data() + sizeof this_is_rank, &rank, sizeof rank);
  return name;
}

int rank_in(const Nonce& name) {
  std::int32_t rank = no_rank;
  if (std::memcmp(name.data(), this_is_rank, sizeof this_is_rank) == 0)
    std::memcpy(&rank, name.data() + sizeof this_is_rank, sizeof rank);
  return rank;
}

// The i-th rank of each host that listens in an epoch uses the same port, if that is free. If two hosts share
// an address, a rank that reaches the wrong host then finds one of our ranks there, which identifies itself.
Socket open_at_common_port(const Address& any, std::uint64_t epoch) {
  constexpr int lowest = 32768, ports = 28000, tries = 8;  // the kernel assigns these too
  const auto first = static_cast<int>(mix(epoch) % (ports - tries));
  for (int i = 0; i < tries; ++i)
    if (Socket listener = try_listen_on(any.with_port(lowest + first + i), 64)) return listener;
  return listen_on(any.with_port(0), 64);
}

}  // namespace

Door::Door(int rank, const std::string& interface, bool one_machine, bool bound)
    : rank_(rank),
      one_machine_(one_machine),
      bound_(bound),
      interfaces_(chosen_interfaces(interface, one_machine)) {
  if (interfaces_.empty())
    throw MachineError("no network interface of this machine is up, not even loopback");
}

Blob Door::offer(int peer, std::uint64_t epoch) {
  waiting_.erase(waiting_.begin(), waiting_.lower_bound({epoch, 0}));
  Waiting& waiting = waiting_[{epoch, peer}];
  waiting.nonce = fresh_nonce();
  Offer offer{waiting.nonce, this_machine(), {}};
  if (rank_ > peer) {
    // One listener serves all addresses of a family; a chosen interface is bound by its address.
    Address any = interfaces_.front().address;
    const bool one = std::all_of(interfaces_.begin(), interfaces_.end(),
                                 [&](const Interface& i) { return i.name == interfaces_.front().name; });
    if (!one) any = any_address(any.family());
    waiting.listener = one_machine_ ? listen_on(any.with_port(0), 64) : open_at_common_port(any, epoch);
    const int port = local_address(waiting.listener).port();
    for (const auto& i : interfaces_)
      if (i.address.family() == any.family()) offer.addresses.push_back(i.address.with_port(port));
  }
  return offer.packed();
}

std::vector<Socket> Door::connect(int peer, std::uint64_t epoch, View peer_offer, int count, Seconds until) {
  last_fault_.clear();
  const Offer theirs = Offer::unpacked(peer_offer);
  const auto found = waiting_.find({epoch, peer});
  if (found == waiting_.end()) return {};  // no offer was made
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  const bool calls = rank_ < peer;
  const auto us = static_cast<std::uint32_t>(rank_), them = static_cast<std::uint32_t>(peer);
  const Hello hello{.to_nonce = calls ? theirs.nonce : waiting.nonce,
                    .epoch = epoch,
                    .from = calls ? us : them,
                    .to = calls ? them : us,
                    .stream = 0,
                    .reserved = 0};
  auto sockets = calls ? call(hello, theirs, waiting.nonce, count, until)
                       : answer(hello, theirs, std::move(waiting.listener), count, until);
  for (const auto& socket : sockets) send_at_once(socket);
  return sockets;
}

// Of several reasons, keeps an answer by the wrong rank: it explains most.
void Door::note_fault(const std::string& why) {
  if (!last_fault_.starts_with("answered")) last_fault_ = why;
}

// Loopback first if both ranks are on one machine and it is offered; then networks that both are in; then the
// order of the offer.
std::vector<Address> Door::best_first(const Offer& theirs) const {
  const bool here = theirs.machine == this_machine();
  const auto rank_of = [&](const Address& address) {
    int best = 2;
    for (const auto& ours : interfaces_)
      if (same_network(ours, address))
        best = std::min(best, ours.is_loopback == here ? 0 : ours.is_loopback ? 3 : 1);
    return best;
  };
  std::vector<Address> sorted;
  for (const auto& address : theirs.addresses)
    if (here || !address.host_text().starts_with("127.")) sorted.push_back(address);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
  return sorted;
}

// The interface that sockets to this peer are bound to; "": the routes choose.
std::string Door::device_towards(const Offer& theirs) const {
  return bound_ && theirs.machine != this_machine() ? interfaces_.front().name : "";
}

// Kernels before 5.7 let only root bind a socket to a device. Within the interface's own network the routes
// have the same effect.
Socket Door::reach(const Address& address, const Offer& theirs, Seconds until) const {
  Socket socket = connect_to(address, until, device_towards(theirs));
  const bool may_not = !socket && errno == EPERM && same_network(interfaces_.front(), address);
  return may_not ? connect_to(address, until) : std::move(socket);
}

std::vector<Socket> Door::call(const Hello& hello, const Offer& theirs, const Nonce& ours, int count,
                               Seconds until) {
  const auto addresses = best_first(theirs);
  for (std::size_t tried = 0; tried < addresses.size(); ++tried) {
    // An address that does not answer must leave time for the others.
    const Seconds now = steady_now();
    const Seconds share = now + (until - now) / static_cast<double>(addresses.size() - tried);
    std::vector<Socket> sockets;
    for (int i = 0; i < count; ++i) {
      Hello mine = hello;
      mine.stream = static_cast<std::uint32_t>(i);
      Socket socket = reach(addresses[tried], theirs, share);
      if (!socket) note_fault(fmt::format("{}: {}", addresses[tried].text(), std::strerror(errno)));
      Nonce echo;
      if (!socket || !send_all(socket, std::as_bytes(std::span(&mine, 1)), until) ||
          !receive_all(socket, echo, until))
        break;
      if (echo != ours) {
        if (const int other = rank_in(echo); other != no_rank)
          last_fault_ = fmt::format("answered by rank {}", other);
        break;
      }
      sockets.push_back(std::move(socket));
    }
    if (static_cast<int>(sockets.size()) == count) return sockets;
  }
  return {};
}

std::vector<Socket> Door::answer(const Hello& expected, const Offer& theirs, Socket listener, int count,
                                 Seconds until) {
  Callers callers(tcp_network(), steady_clock(), listener_on(std::move(listener)), sizeof(Hello));
  std::vector<Socket> sockets(static_cast<std::size_t>(count));
  int found = 0;
  // A caller with a complete hello is either the expected one or a stranger. A caller that wants another rank
  // is told which rank it has reached: the other rank's address leads here.
  const auto hear = [&](Callers::Caller caller) {
    Hello h;
    std::memcpy(&h, caller.said.data(), sizeof h);
    const bool ours = h.to_nonce == expected.to_nonce && h.epoch == expected.epoch &&
                      h.from == expected.from && h.to == expected.to && h.stream < sockets.size() &&
                      !sockets[h.stream];
    Socket socket = socket_of(std::move(caller.connection));
    if (h.to != expected.to) {
      const Nonce name = named(rank_);
      ::send(socket.fd(), name.data(), name.size(), MSG_NOSIGNAL);
    } else if (ours && send_all(socket, theirs.nonce, until)) {
      if (const auto device = device_towards(theirs); !device.empty()) leave_by(socket, device);
      sockets[h.stream] = std::move(socket);
      ++found;
    }
  };
  while (found < count && steady_now() < until) {
    const Watched watched{&callers.source()};
    tcp_network().wait({&watched, 1}, std::min(until - steady_now(), 1.0));
    callers.serve(hear, [](const Callers::Caller&, const std::string&) {});
  }
  if (found < count) sockets.clear();
  return sockets;
}

}  // namespace everylink
