// Connects two ranks by sockets: the upper rank listens and the lower one calls. Their offers travel
// encrypted and hold a nonce each. Both nonces together are the key with which each proves to the other that
// it belongs to this run, this pair and this epoch; the nonces themselves are never sent here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/seconds.hpp"
#include "net/cipher.hpp"
#include "net/interfaces.hpp"
#include "net/socket.hpp"

namespace everylink {

using Nonce = std::array<std::byte, 16>;

class Door {
 public:
  // Unix sockets where every rank is on this machine, else TCP: for links whose sockets are not measured.
  // Throws as below.
  static Door unmeasured(int rank, bool one_machine);
  // `interface`: name or address of the interface to listen on; "": all of them, or loopback only if every
  // rank is on this machine. Throws UsageError if there is none.
  // `bound`: sockets to other machines use that interface, whatever the routes say.
  Door(int rank, const std::string& interface, bool one_machine, bool bound = false);

  // Opens the listener if this is the upper rank. `connect`, for this or a later epoch, closes it, and so
  // does an offer for an epoch that is more than `most_epochs_ahead` later. Throws LocalFault if this machine
  // cannot listen.
  static constexpr std::uint64_t most_epochs_ahead = 32;
  Blob offer(int peer, std::uint64_t epoch);
  // `count` sockets to the peer, or none: not connected. A half-open caller, or one of another epoch, is
  // dropped and does not use up the limit. Throws LocalFault if the reason is on this machine alone.
  // `note`: a number for the other end; then the other end's, if connected.
  std::vector<Socket> connect(int peer, std::uint64_t epoch, View peer_offer, int count, Seconds until,
                              std::uint64_t* note = nullptr);

  // Why the last connect returned none, if known: "answered by rank 7" if two hosts share an address.
  const std::string& last_fault() const { return last_fault_; }

  const std::vector<Interface>& interfaces() const { return interfaces_; }

 private:
  struct Hello {
    std::uint64_t epoch;
    std::uint32_t from, to, stream, reserved;
    std::uint64_t note;
    Mac proof;
  };
  struct Answer {
    Mac proof;
    std::uint64_t note;
  };
  struct Offer;
  // Waits for one peer in one epoch.
  struct Waiting {
    Nonce nonce;
    Socket listener;
  };
  // `hello`: of the first stream, without its proof; `key`: both nonces.
  std::vector<Socket> call(const Hello&, const Offer& theirs, View key, int count, Seconds until,
                           std::uint64_t& note);
  std::vector<Socket> answer(const Hello&, const Offer& theirs, View key, Socket listener, int count,
                             Seconds until, std::uint64_t& note);
  static Mac proof(View key, const char* end, const Hello&);
  static Answer answer_to(const Hello&, View key, std::uint64_t note);
  void note_fault(const std::string& why);
  std::vector<Address> best_first(const Offer& theirs) const;
  std::string device_towards(const Offer& theirs) const;
  void must_share_a_family(const Offer& theirs) const;
  // `local`: what this machine lacks, if that is why it is not connected.
  Socket reach(const Address&, const Offer& theirs, Seconds until, std::string& local) const;

  int rank_;
  bool one_machine_, bound_, unix_ = false;
  std::vector<Interface> interfaces_;
  std::map<std::pair<std::uint64_t, int>, Waiting> waiting_;  // by epoch and peer
  std::string last_fault_;
};

}  // namespace everylink
