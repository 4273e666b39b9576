// How bytes move between two ranks: the contract of every transport (tests/core/transport_contract_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/run_id.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "memory/memory.hpp"

namespace everylink {

// This rank's end of the connection to one peer, for one step. The destructor frees and never waits. The i-th
// send matches the peer's i-th receive, which has the same offset and length.
class Link {
 public:
  virtual ~Link() = default;
  // Both return a ticket and never wait. At least 64 tickets may be open each way; wait for them in any
  // order.
  virtual int start_send(Slice of_out) = 0;
  virtual int start_recv(Slice of_in) = 0;
  // Progresses ALL open tickets, both ways, until this one is done. After timeout the ticket stays open;
  // `until` 0 is a test. A peer that sends bytes slowly does not extend the limit.
  virtual Outcome wait(int ticket, Seconds until) = 0;
  // Returns once both ends have called it. Everything that the peer started before has then begun, and the
  // peer no longer needs our CPU.
  virtual Outcome meet(Seconds until) = 0;
  // As meet, for a rank that goes on using the link at once: the peer may still need our CPU.
  virtual Outcome begin(Seconds until) { return meet(until); }
  // ok: nobody accesses our buffers any more. After any other outcome the caller abandons this link, its
  // transport and both memories, and makes new ones.
  virtual Outcome close(Seconds until) = 0;
};

// The result of start_put and start_get for an offset outside the peer's memory. Nothing was started, and
// `wait` returns broken for it.
inline constexpr int no_ticket = -1;

// Puts into the peer's `in` and gets out of its `out`, while the peer's kernel does something else. A second
// interface of a Link, over the same connection as its messages (docs/decisions/0005-one-sided.md;
// tests/core/one_sided_test.cpp).
class OneSided {
 public:
  virtual ~OneSided() = default;
  // Both return a ticket of the link and never wait; at least 64 may be open. Link::wait: a put is ok when
  // our bytes may be overwritten, a get when its bytes have arrived.
  virtual int start_put(Slice of_out, std::size_t at) = 0;
  virtual int start_get(Slice of_in, std::size_t at) = 0;
  // ok: all earlier puts are in the peer's memory, so a message sent now arrives after them, and their
  // tickets are done. The peer may have to be in a wait, a meet or a flush on any of its links. A flush that
  // ends with timeout stays in flight: the next call continues it, and need not cover puts started in
  // between.
  virtual Outcome flush(Seconds until) = 0;
};

// Sends that begin when a receive is complete, without the processor. A third interface of a Link.
class Chained {
 public:
  virtual ~Chained() = default;
  // A ticket of the link that stands for a receive: it is complete once `release` was called with it. What
  // waits for it can be started before.
  virtual int hold() = 0;
  virtual void release(int held) = 0;
  // As start_send, but the message leaves once the ticket of `after`, a receive or what `hold` returned, is
  // complete.
  virtual int start_send_after(int after, Slice of_out) = 0;
};

// What a link can do beside its messages; null: it cannot.
struct Sides {
  OneSided* one_sided = nullptr;  // unless the kernel is `one_sided`, null
  Chained* chained = nullptr;
};

// The result of `connect`.
struct Connection {
  std::unique_ptr<Link> link;  // null: not connected (before `until`: refused or reset)
  std::string fault = {};      // the reason if not connected and known: "answered by rank 7"
  bool is_local = false;       // the reason is on this host, not in the network: "too many open files"
  Seconds began = 0;           // in virtual time, when both ends had begun; 0: in real time
};

class Transport {
 public:
  virtual ~Transport() = default;
  // The clock of laps and of every `until`.
  virtual Seconds now() const { return steady_now(); }
  virtual Carrier carrier() const = 0;
  // What `peer` needs to connect to this rank in this epoch; never waits. Throws LocalFault if this machine
  // lacks what it takes.
  virtual Blob offer(int peer, std::uint64_t epoch) = 0;
  // Both ends call it with each other's offer. May throw LocalFault; connect_or_explain catches it.
  virtual Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) = 0;
};

// Transport::connect. What this machine lacks becomes the fault of the connection.
inline Connection connect_or_explain(Transport& transport, int peer, std::uint64_t epoch, View peer_offer,
                                     Seconds until) {
  Connection made;
  const auto lacks = local_fault_of([&] { made = transport.connect(peer, epoch, peer_offer, until); });
  return lacks ? Connection{.link = nullptr, .fault = lacks->cause, .is_local = true} : std::move(made);
}

// The time of a transport that simulates its network. Each rank has its own clock, which only waits and
// connects advance: a test with limit 0 never succeeds.
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
  Settings options;        // after the colon of --mode
  bool crowded;            // more ranks than cores on this machine: yield the core between polls
  bool contents_matter;    // bytes will be verified
  bool one_machine;        // every rank is on this machine
  bool one_way = false;    // the kernel's messages go one way at a time, many in flight at once
  RunId run = {};          // the same for all ranks of a run, different in any other run
  bool one_sided = false;  // links will be asked for OneSided
};
// How many bytes of our memories a peer may put into and get out of; part of an offer.
struct Reachable {
  std::uint64_t out, in;
  static Reachable of(const Setup& setup) { return {setup.out.region().bytes, setup.in.region().bytes}; }
};
// Throws UsageError unless every option is among `known`.
void refuse_unknown_options(const Settings&, std::string_view transport,
                            std::initializer_list<std::string_view> known);

// An all-to-all of `bytes` to each rank, called by every rank. Returns the time it took, or NaN if it did not
// end in time.
using AllToAll = std::function<Seconds(std::size_t bytes, Seconds until)>;

// The one symbol, `entry`, of a transport's module.
struct TransportEntry {
  int abi;
  std::string_view name, summary;
  std::string (*why_unusable)();  // "": it can run here; otherwise one sentence for --list
  // Local: never waits for another rank. Throws UsageError for a wrong option.
  std::unique_ptr<Transport> (*make)(const Setup&);

  // Optional capabilities; null: not supported.
  OneSided& (*one_sided)(Link&) = nullptr;  // of its links, if Setup::one_sided
  std::string_view one_sided_by = "";  // what performs it: "messages" (the peer's CPU answers), "UCX", ...
  VirtualTime& (*virtual_time)(Transport&) = nullptr;
  std::string (*host_name)(int rank, int size, const Settings&) = nullptr;  // on a simulated network
  AllToAll (*all_to_all)(int size) = nullptr;
  // Whether, with these options, `wait` blocks until its ticket is done, whatever the limit.
  bool (*blocks)(const Settings&) = nullptr;
  Chained& (*chained)(Link&) = nullptr;  // of its links
  // It moves messages in memory of a GPU, unless `make` throws because its library here cannot.
  bool gpu_memory = false;
  // Peers open each other's memory: between hosts, memory of a GPU then takes a handle that is valid there.
  bool opens_memory = false;
  // Offers may be made several steps ahead, and `connect` does not wait for the peer, or only in real time
  // while laps are in virtual time.
  bool steps_ahead = false;
  // Segments that this end of a link has sent again so far, because they or their acknowledgements were lost.
  std::uint64_t (*retransmits)(const Link&) = nullptr;
};
inline constexpr int transport_abi = 9;

inline std::string always_usable() { return {}; }

inline VirtualTime* virtual_time_of(const TransportEntry& entry, Transport& transport) {
  return entry.virtual_time ? &entry.virtual_time(transport) : nullptr;
}
// The time at which both ends of a link begin and from which its limits count. In virtual time, the later of
// the two clocks.
inline Seconds begin_link(const TransportEntry& entry, Transport& transport, View peer_offer) {
  if (auto* time = virtual_time_of(entry, transport)) time->advance_to(time->time_in(peer_offer));
  return transport.now();
}
// Whether a rank must wait for several links one after another, because a test with limit 0 never succeeds.
inline bool waits_in_turn(const TransportEntry& entry, const Settings& options) {
  return entry.virtual_time || (entry.blocks && entry.blocks(options));
}

// Every transport of this project, built or not.
struct TransportState {
  std::string name, summary;
  std::string why_unusable;  // "": it can run here
};
std::vector<TransportState> transport_states();
std::vector<std::string> transport_names();  // without loading any
// Loads the transport's module, if it is one. Throws UsageError for an unknown name (listing the known ones),
// and for a transport that was not built or cannot run here.
const TransportEntry& transport_named(std::string_view name);

}  // namespace everylink
