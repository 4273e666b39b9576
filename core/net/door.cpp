// Connects two ranks: one listens, the other calls.
#include "net/door.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "net/callers.hpp"
#include "net/tcp_network.hpp"

namespace everylink {

// What the peer needs: our addresses, our half of the key of this connection, and our machine (loopback
// reaches only that one).
struct Door::Offer {
  Nonce nonce;
  std::string machine;
  std::vector<Address> addresses;

  Blob packed() const { return Packer().add(nonce).add(machine).add(addresses).take(); }
  static Offer unpacked(View bytes, bool is_unix) {
    Unpacker in(bytes);
    Offer offer;
    offer.nonce = in.get<Nonce>();
    offer.machine = in.text();
    offer.addresses = in.list<Address>();
    in.end();
    for (const auto& address : offer.addresses)
      Unpacker::must(is_unix ? address.is_abstract() : address.is_whole());
    return offer;
  }
};

namespace {

std::string this_machine() {
  static const std::string id = boot_id() + network_namespace();
  return id;
}

// Within one machine a single address is enough: loopback, of whichever family it has here.
std::vector<Interface> chosen_interfaces(const std::string& wanted, bool one_machine) {
  auto all = wanted.empty() ? interfaces() : interfaces_named(wanted, "interface=");
  if (!one_machine || all.empty()) return all;
  const auto loopback = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.is_loopback; });
  return {loopback == all.end() ? all.front() : *loopback};
}

// What an error of `connect` before anything was sent says of this machine; "": nothing.
std::string cause_at_once(int error) {
  if (error == ENETUNREACH) return "no route to the peer's network";
  if (error == EACCES || error == EPERM) return "a rule of this host forbids connecting";
  return local_cause(error);
}

std::string text_of_families(const std::set<int>& families) {
  if (families.empty()) return "none but loopback";
  if (families.size() > 1) return "IPv4 and IPv6";
  return *families.begin() == AF_INET ? "IPv4" : "IPv6";
}

Nonce fresh_nonce() {
  Nonce nonce;
  draw(nonce);
  return nonce;
}

// Sent in place of the proof to a caller that reached the wrong rank.
constexpr char this_is_rank[12] = {'i', ' ', 'a', 'm', ' ', 'e', 'v', 'e', 'r', 'y', 'l', 'k'};

Mac named(std::int32_t rank) {
  Mac name{};
  std::memcpy(name.data(), this_is_rank, sizeof this_is_rank);
  std::memcpy(name.data() + sizeof this_is_rank, &rank, sizeof rank);
  return name;
}

int rank_in(const Mac& name) {
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

Door Door::unmeasured(int rank, bool one_machine) {
  Door door(rank, "", one_machine);
  door.unix_ = one_machine;
  return door;
}

Blob Door::offer(int peer, std::uint64_t epoch) {
  waiting_.erase(waiting_.begin(), waiting_.lower_bound({epoch - std::min(epoch, most_epochs_ahead), 0}));
  Waiting& waiting = waiting_[{epoch, peer}];
  waiting.nonce = fresh_nonce();
  Offer offer{waiting.nonce, this_machine(), {}};
  int port = 0;
  if (unix_) {
    if (rank_ > peer) waiting.listener = listen_on(unnamed_unix_address(), 128);
    if (rank_ > peer) offer.addresses.push_back(local_address(waiting.listener));
    return offer.packed();
  }
  if (rank_ > peer) {
    const Address at = listening_at(interfaces_);
    waiting.listener = one_machine_ ? listen_on(at, 64) : open_at_common_port(at, epoch);
    port = local_address(waiting.listener).port();
  }
  for (const auto& i : interfaces_) offer.addresses.push_back(i.address.with_port(port));
  return offer.packed();
}

std::vector<Socket> Door::connect(int peer, std::uint64_t epoch, View peer_offer, int count, Seconds until,
                                  std::uint64_t* note_of_caller) {
  last_fault_.clear();
  std::uint64_t note = note_of_caller ? *note_of_caller : 0;
  const Offer theirs = Offer::unpacked(peer_offer, unix_);
  waiting_.erase(waiting_.begin(), waiting_.lower_bound({epoch, 0}));
  const auto found = waiting_.find({epoch, peer});
  if (found == waiting_.end()) return {};  // no offer was made
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (!unix_) must_share_a_family(theirs);
  const bool calls = rank_ < peer;
  const auto us = static_cast<std::uint32_t>(rank_), them = static_cast<std::uint32_t>(peer);
  const Hello hello{.epoch = epoch,
                    .from = calls ? us : them,
                    .to = calls ? them : us,
                    .stream = 0,
                    .reserved = 0,
                    .note = note,
                    .proof = {}};
  const std::array<Nonce, 2> both = {calls ? waiting.nonce : theirs.nonce,
                                     calls ? theirs.nonce : waiting.nonce};
  const View key = bytes_of(both);
  auto sockets = calls ? call(hello, theirs, key, count, until, note)
                       : answer(hello, theirs, key, std::move(waiting.listener), count, until, note);
  if (!unix_)
    for (const auto& socket : sockets) send_at_once(socket);
  if (note_of_caller && !sockets.empty()) *note_of_caller = note;
  return sockets;
}

Mac Door::proof(View key, const char* end, const Hello& hello) {
  const std::string_view name(end);
  return hmac_sha256(key, {std::as_bytes(std::span(name)), bytes_of(hello).first(offsetof(Hello, proof))});
}

Door::Answer Door::answer_to(const Hello& hello, View key, std::uint64_t note) {
  Hello said = hello;
  said.note = note;
  return {proof(key, "listener", said), note};
}

// Both ends find this out by themselves, from each other's addresses.
void Door::must_share_a_family(const Offer& theirs) const {
  const bool here = theirs.machine == this_machine();
  std::set<int> of_ours, of_theirs, shared;
  for (const auto& ours : interfaces_)
    if (here || !ours.address.is_loopback()) of_ours.insert(ours.address.family());
  for (const auto& address : theirs.addresses)
    if (here || !address.is_loopback()) of_theirs.insert(address.family());
  std::set_intersection(of_ours.begin(), of_ours.end(), of_theirs.begin(), of_theirs.end(),
                        std::inserter(shared, shared.end()));
  if (!shared.empty()) return;
  const auto cause = fmt::format("no address family in common with the peer: {} here, {} there",
                                 text_of_families(of_ours), text_of_families(of_theirs));
  throw LocalFault(cause, cause);
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
    if (here || !address.is_loopback()) sorted.push_back(address);
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
Socket Door::reach(const Address& address, const Offer& theirs, Seconds until, std::string& local) const {
  Socket socket = start_connecting(address, device_towards(theirs));
  while (!socket && unix_ && errno == EAGAIN && steady_now() < until) {  // others wait to be accepted
    ::poll(nullptr, 0, 1);
    socket = start_connecting(address);
  }
  if (!socket && errno == EPERM && same_network(interfaces_.front(), address))
    socket = start_connecting(address);
  const bool at_once = !socket;
  if (socket) socket = connected(std::move(socket), until);
  const int error = errno;
  local = socket ? "" : at_once ? cause_at_once(error) : local_cause(error);
  errno = error;
  return socket;
}

std::vector<Socket> Door::call(const Hello& hello, const Offer& theirs, View key, int count, Seconds until,
                               std::uint64_t& note) {
  const auto addresses = best_first(theirs);
  std::string cause;  // what this machine lacks, while no address failed for another reason
  for (std::size_t tried = 0; tried < addresses.size(); ++tried) {
    // An address that does not answer must leave time for the others.
    const Seconds now = steady_now();
    const Seconds share = now + (until - now) / static_cast<double>(addresses.size() - tried);
    std::vector<Socket> sockets;
    std::string local;
    for (int i = 0; i < count; ++i) {
      Hello mine = hello;
      mine.stream = static_cast<std::uint32_t>(i);
      mine.proof = proof(key, "caller", mine);
      Socket socket = reach(addresses[tried], theirs, share, local);
      if (!socket) note_fault(fmt::format("{}: {}", addresses[tried].text(), std::strerror(errno)));
      Answer answer;
      if (!socket || !send_all(socket, bytes_of(mine), until) ||
          !receive_all(socket, std::as_writable_bytes(std::span(&answer, 1)), until))
        break;
      if (!same(answer.proof, answer_to(mine, key, answer.note).proof)) {
        if (const int other = rank_in(answer.proof); other != no_rank)
          last_fault_ = fmt::format("answered by rank {}", other);
        break;
      }
      note = answer.note;
      sockets.push_back(std::move(socket));
    }
    if (static_cast<int>(sockets.size()) == count) return sockets;
    cause = tried == 0 || !cause.empty() ? local : "";
  }
  if (!cause.empty()) throw LocalFault(last_fault_, cause);
  return {};
}

std::vector<Socket> Door::answer(const Hello& expected, const Offer& theirs, View key, Socket listener,
                                 int count, Seconds until, std::uint64_t& note) {
  const std::uint64_t own_note = note;
  Callers callers(tcp_network(), steady_clock(), listener_on(std::move(listener)), sizeof(Hello));
  std::vector<Socket> sockets(static_cast<std::size_t>(count));
  int found = 0;
  // A caller with a complete hello is either the expected one or a stranger. A caller that wants another rank
  // is told which rank it has reached: the other rank's address leads here.
  const auto hear = [&](Callers::Caller caller) {
    Hello h;
    std::memcpy(&h, caller.said.data(), sizeof h);
    const bool ours = h.epoch == expected.epoch && h.from == expected.from && h.to == expected.to &&
                      h.stream < sockets.size() && !sockets[h.stream] &&
                      same(h.proof, proof(key, "caller", h));
    Socket socket = socket_of(std::move(caller.connection));
    if (h.to != expected.to) {
      const Answer name{named(rank_), 0};
      ::send(socket.fd(), &name, sizeof name, MSG_NOSIGNAL);
    } else if (ours && send_all(socket, bytes_of(answer_to(h, key, own_note)), until)) {
      note = h.note;
      if (const auto device = device_towards(theirs); !device.empty()) leave_by(socket, device);
      sockets[h.stream] = std::move(socket);
      ++found;
    }
  };
  while (found < count && steady_now() < until) {
    const Watched watched{&callers.source()};
    tcp_network().wait({&watched, 1}, std::min({until - steady_now(), 1.0, callers.longest_wait()}));
    callers.serve(hear, [](const Callers::Caller&, const std::string&) {});
  }
  if (found == count) return sockets;
  if (auto cause = local_cause(callers.shortage()); !cause.empty())
    throw LocalFault("accept: " + cause, cause);
  return {};
}

}  // namespace everylink
