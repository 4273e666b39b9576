// How bytes move between two ranks: the contract that every transport keeps
// (tests/core/transport_contract_test.cpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "memory/memory.hpp"

namespace everylink {

// Our end of the connection to one peer; it lives for one step. The destructor frees and never waits.
// The i-th send meets the peer's i-th receive, which has the same offset and length.
class Link {
 public:
  virtual ~Link() = default;
  // Both give a ticket and never wait; at least 64 tickets may be open each way, and be waited for in any
  // order.
  virtual int start_send(Slice of_out) = 0;
  virtual int start_recv(Slice of_in) = 0;
  // Moves ALL open tickets, both ways, until this one is done. timeout leaves the ticket open; `until` 0 is a
  // test. A peer that trickles does not extend the limit.
  virtual Outcome wait(int ticket, Seconds until) = 0;
  // Both ends have called it: what the other started before, is started; the peer needs our CPU no more.
  virtual Outcome meet(Seconds until) = 0;
  // ok: nobody touches our buffers any more. Anything else: the caller leaves this link, its transport and
  // both memories untouched for ever and makes new ones.
  virtual Outcome close(Seconds until) = 0;
};

// What start_put and start_get give where the place is not within the peer's memory: nothing was started, and
// `wait` calls it broken.
inline constexpr int no_ticket = -1;

// Into the peer's `in` and out of its `out`, while its kernel does something else: a side of a Link, over the
// same connection and beside its messages (docs/decisions/0005-one-sided.md; tests/core/one_sided_test.cpp).
class OneSided {
 public:
  virtual ~OneSided() = default;
  // Both give a ticket of the link and never wait; at least 64 may be open. Link::wait: a put is ok when our
  // bytes may be written anew, a get when they are here.
  virtual int start_put(Slice of_out, std::size_t at) = 0;
  virtual int start_get(Slice of_in, std::size_t at) = 0;
  // ok: all that was put before lies in the peer's memory, so that a message sent now comes after it; and its
  // tickets are done. The peer may have to be in a wait, a meet or a flush, of whichever of its links. A
  // flush that ends with timeout stays under way: the next call goes on with it, and need not hold for what
  // was put in between.
  virtual Outcome flush(Seconds until) = 0;
};

// What `connect` returns.
struct Connection {
  std::unique_ptr<Link> link;  // null: not reached (before `until`: refused or reset)
  std::string fault = {};      // then why, as far as it is known: "answered by rank 7"
};

class Transport {
 public:
  virtual ~Transport() = default;
  // The clock of laps and of every `until`.
  virtual Seconds now() const { return steady_now(); }
  virtual Carrier carrier() const = 0;
  // What `peer` needs to know to connect to this rank in this epoch; never waits.
  virtual Blob offer(int peer, std::uint64_t epoch) = 0;
  // Both ends call it with each other's offer.
  virtual Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) = 0;
};

// The time of a transport that simulates its network. Each rank has its own clock, and only waits and
// connects advance it: a test with limit 0 never succeeds.
class VirtualTime {
 public:
  virtual ~VirtualTime() = default;
  // The link's own time: a wait on a slow link does not delay the other links of the rank.
  virtual Seconds now_on(const Link&) const = 0;
  // The peer's clock when it made this offer.
  virtual Seconds time_in(View peer_offer) const = 0;
  // Advances the rank's clock and those of its open links to at least `time`.
  virtual void advance_to(Seconds time) = 0;
};

struct Setup {
  int rank, size;
  Memory &out, &in;        // messages leave from `out` and arrive in `in`
  Settings options;        // behind the colon of --mode
  bool crowded;            // more ranks than cores on this machine: give the core away between polls
  bool contents_matter;    // --check: the bytes will be looked at
  bool one_machine;        // every rank is on this machine
  bool one_way = false;    // the kernel's messages go one way at a time, many under way at once
  RunId run = {};          // the same for all ranks of a run, and no other
  bool one_sided = false;  // links will be asked for their one-sided side
};
// How much of our memory a peer may put into and get out of: part of an offer.
struct Reachable {
  std::uint64_t out, in;
  static Reachable of(const Setup& setup) { return {setup.out.region().bytes, setup.in.region().bytes}; }
};
// Throws UsageError unless every option is among `known`.
void refuse_unknown_options(const Settings&, std::string_view transport,
                            std::initializer_list<std::string_view> known);

// An all-to-all of `bytes` to each rank: seconds it took, or NaN when it did not end in time. Called by every
// rank.
using AllToAll = std::function<Seconds(std::size_t bytes, Seconds until)>;

// The one symbol, `entry`, of a transport's module.
struct TransportEntry {
  int abi;
  std::string_view name, summary;
  std::string (*why_unusable)();  // "" if it can run here, else one sentence for --list
  // Local: never waits for a rank. Throws UsageError for a wrong option.
  std::unique_ptr<Transport> (*make)(const Setup&);

  // What only some transports have; null: this one does not.
  OneSided& (*one_sided)(Link&) = nullptr;  // of its links, if Setup asked for it
  std::string_view one_sided_by = "";  // what performs it: "messages" (the peer's CPU answers), "UCX", ...
  VirtualTime& (*virtual_time)(Transport&) = nullptr;
  std::string (*host_name)(int rank, int size, const Settings&) = nullptr;  // on a simulated network
  AllToAll (*all_to_all)(int size) = nullptr;
  // Whether these options make `wait` block until its ticket is done, whatever the limit.
  bool (*blocks)(const Settings&) = nullptr;
};
inline constexpr int transport_abi = 4;

inline std::string always_usable() { return {}; }

inline VirtualTime* virtual_time_of(const TransportEntry& entry, Transport& transport) {
  return entry.virtual_time ? &entry.virtual_time(transport) : nullptr;
}
// The time at which both ends of a link begin, from which its limits count. In virtual time, the later of the
// two clocks.
inline Seconds begin_link(const TransportEntry& entry, Transport& transport, View peer_offer) {
  if (auto* time = virtual_time_of(entry, transport)) time->advance_to(time->time_in(peer_offer));
  return transport.now();
}
// Whether several links must be waited for one after the other, because a test with limit 0 never succeeds.
inline bool waits_in_turn(const TransportEntry& entry, const Settings& options) {
  return entry.virtual_time || (entry.blocks && entry.blocks(options));
}

// Every transport that this project has, built or not.
struct TransportState {
  std::string name, summary;
  std::string why_unusable;  // "" if it can run here
};
std::vector<TransportState> transport_states();
std::vector<std::string> transport_names();  // loads none
// Loads the module if it is one. Throws UsageError: unknown (names those that exist), not built, not usable
// here.
const TransportEntry& transport_named(std::string_view name);

}  // namespace everylink
