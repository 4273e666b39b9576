// How two ranks come by sockets to each other.
#include "net/door.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "errors.hpp"
#include "pack.hpp"

namespace everylink {

// What the peer needs: where we listen, that it is us, and which machine we are (loopback reaches only that
// one).
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

}  // namespace

Door::Door(int rank, const std::string& interface, bool one_machine)
    : rank_(rank), interfaces_(chosen_interfaces(interface, one_machine)) {
  if (interfaces_.empty())
    throw MachineError("this machine has no network interface that is up, not even loopback");
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
    if (!one) any = parse_address(any.family() == AF_INET ? "0.0.0.0:0" : "[::]:0", "interface");
    waiting.listener = listen_on(any.with_port(0), 64);
    const int port = local_address(waiting.listener).port();
    for (const auto& i : interfaces_)
      if (i.address.family() == any.family()) offer.addresses.push_back(i.address.with_port(port));
  }
  return offer.packed();
}

std::vector<Socket> Door::connect(int peer, std::uint64_t epoch, View peer_offer, int count, Seconds until) {
  const Offer theirs = Offer::unpacked(peer_offer);
  const auto found = waiting_.find({epoch, peer});
  if (found == waiting_.end()) return {};  // we have made no offer
  const Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  const bool calls = rank_ < peer;
  const auto us = static_cast<std::uint32_t>(rank_), them = static_cast<std::uint32_t>(peer);
  const Hello hello{calls ? theirs.nonce : waiting.nonce, epoch, calls ? us : them, calls ? them : us, 0, 0};
  auto sockets = calls ? call(hello, theirs, waiting.nonce, count, until)
                       : answer(hello, theirs, waiting.listener, count, until);
  for (const auto& socket : sockets) send_at_once(socket);
  return sockets;
}

// The same machine by loopback, if that is among the addresses; else a network that both are in; else in
// their order.
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

std::vector<Socket> Door::call(const Hello& hello, const Offer& theirs, const Nonce& ours, int count,
                               Seconds until) const {
  const auto addresses = best_first(theirs);
  for (std::size_t tried = 0; tried < addresses.size(); ++tried) {
    // One that swallows calls must not take the time of the others.
    const Seconds now = steady_now();
    const Seconds share = now + (until - now) / static_cast<double>(addresses.size() - tried);
    std::vector<Socket> sockets;
    for (int i = 0; i < count; ++i) {
      Hello mine = hello;
      mine.stream = static_cast<std::uint32_t>(i);
      Socket socket = connect_to(addresses[tried], share);
      Nonce echo;
      if (!socket || !send_all(socket, std::as_bytes(std::span(&mine, 1)), until) ||
          !receive_all(socket, echo, until) || echo != ours)
        break;
      sockets.push_back(std::move(socket));
    }
    if (static_cast<int>(sockets.size()) == count) return sockets;
  }
  return {};
}

std::vector<Socket> Door::answer(const Hello& expected, const Offer& theirs, const Socket& listener,
                                 int count, Seconds until) {
  struct Caller {
    Socket socket;
    Hello hello{};
    std::size_t got = 0;
  };
  std::vector<Caller> callers;
  std::vector<Socket> sockets(static_cast<std::size_t>(count));
  int found = 0;
  // A caller who has said all of its hello is either the one we expect, or nobody.
  const auto hear = [&](Caller& caller) {
    const auto room = std::as_writable_bytes(std::span(&caller.hello, 1)).subspan(caller.got);
    const ssize_t n = ::recv(caller.socket.fd(), room.data(), room.size(), 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return void(caller.socket = Socket());
    caller.got += static_cast<std::size_t>(n);
    if (caller.got < sizeof(Hello)) return;
    const Hello& h = caller.hello;
    const bool ours = h.to_nonce == expected.to_nonce && h.epoch == expected.epoch &&
                      h.from == expected.from && h.to == expected.to && h.stream < sockets.size() &&
                      !sockets[h.stream];
    if (ours && send_all(caller.socket, theirs.nonce, until)) {
      sockets[h.stream] = std::move(caller.socket);
      ++found;
    }
    caller.socket = Socket();
  };
  while (found < count && steady_now() < until) {
    std::vector<pollfd> polled{{listener.fd(), POLLIN, 0}};
    for (const auto& caller : callers) polled.push_back({caller.socket.fd(), POLLIN, 0});
    const Seconds left = std::max(0.0, until - steady_now());
    if (::poll(polled.data(), polled.size(), static_cast<int>(std::min(left, 60.0) * 1000) + 1) < 0 &&
        errno != EINTR)
      throw_errno("poll");
    for (auto& caller : callers) hear(caller);
    while (Socket socket = accept_from(listener)) callers.push_back({std::move(socket), {}, 0});
    std::erase_if(callers, [](const Caller& caller) { return !caller.socket; });
  }
  if (found < count) sockets.clear();
  return sockets;
}

}  // namespace everylink
