// One rank's part in a scene of a pattern: one link per flow, and one loop that drives them all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/host_reading.hpp"
#include "base/seconds.hpp"
#include "load/pattern.hpp"
#include "transport/transport.hpp"

namespace everylink {

// The offsets of the messages of a scene's flows: the same at both ends.
struct FlowLayout {
  std::size_t bytes;       // of a message
  std::size_t ping_bytes;  // of a ping: at least a note, at most a message
  int window;              // messages per block
  int lanes;               // flows of a rank in one direction; each lane has its own notes
  int buffers;             // lanes with buffers of their own; the other lanes share these
  int spare = 0;           // places of a server beyond those

  static FlowLayout of(std::size_t bytes, std::size_t ping_bytes, int window, int degree);
  void add_spare(int places);  // fewer if they exceed 256 MiB
  std::size_t memory_bytes() const {
    return notes_bytes() + static_cast<std::size_t>(buffers) * buffer_bytes() +
           static_cast<std::size_t>(spare) * stride();
  }
  Slice note(int lane, std::uint64_t block) const;
  Slice ping(int lane, std::uint64_t lap) const;
  Slice slot(int lane, std::uint64_t block, int message) const;
  // Flows that carry requests: the bytes of a request at its client, and each place of a server.
  Slice client_slice(int lane, std::uint64_t request) const;
  Slice server_slice(int place) const;
  int places() const { return buffers * 2 * window; }
  bool shares_buffers() const { return 2 * buffers < lanes; }

 private:
  Slice numbered(int lane, std::uint64_t number) const;
  std::size_t stride() const { return (bytes + 63) / 64 * 64; }
  std::size_t buffer_bytes() const;
  std::size_t notes_bytes() const;
};

inline constexpr std::size_t note_bytes = 8;

// Messages per block unless the user gives --window: 1 MiB, at most 16 messages.
int usual_window(std::size_t bytes);
inline constexpr int largest_flow_window = 31;  // two blocks and their notes fit into 64 tickets

// How long a request may take: `most` while nothing is known, then a multiple of the longest time so far, but
// at least `least`.
struct ReplyTimeout {
  Seconds least, most;
};

class FlowDriver;
struct RequestQueues;

class Flows {
 public:
  struct Work {
    AssignedScene assigned;
    FlowLayout layout;
    int rank;
    Seconds duration;        // of bulk flows and pings ...
    std::uint64_t messages;  // ... or the messages of a bulk flow; 0: as many as fit
    RequestLoad request_load;
    ReplyTimeout reply_timeout;
    bool check;  // verify every byte of requests
    // The seed of the contents of the first and the last message of each flow, the same on every rank; none:
    // they are not verified.
    std::optional<std::uint64_t> contents;
    bool crowded;  // more ranks than cores on this machine
    const TransportEntry& entry;
    bool waits_in_turn;  // the transport can wait for a ticket, but not test it
  };
  // Null, all three: this machine lacks what it takes, so that this rank connects to nobody.
  Flows(Work, Transport*, Memory* out, Memory* in);
  ~Flows();

  // The peer to connect to in this turn, or no_rank.
  int peer_in(int turn) const;
  // Both ends call it with each other's offer. Returns what the transport says about a fault, without a link.
  Connection connect(int turn, std::uint64_t epoch, View peer_offer, Seconds until);
  // Instead of `connect`, where this machine lacks what it takes.
  void leave_unconnected(int turn);
  // Runs all connected flows, until `until` at the latest.
  std::vector<FlowEnd> run(Seconds until);
  // What this machine lacked so far: why flows could not be measured. "": nothing.
  const std::string& lacks() const { return lacks_; }
  const Carried& carried() const { return carried_; }
  const std::vector<Retransmits>& retransmits() const { return retransmits_; }
  // False: a library may still hold our buffers, so nothing may touch them again.
  bool close(Seconds until);

 private:
  std::vector<FlowDriver*> in_order_of_turns() const;
  void note_unconnected(std::size_t flow, Outcome);
  void drive(Seconds until);
  void verify();
  void give_up(FlowDriver&);
  Outcome closed(FlowDriver&);
  void count(const FlowDriver&);
  void shut(FlowDriver&);

  const Work work_;
  Transport* const transport_;
  Memory *const out_, *const in_;
  std::unique_ptr<RequestQueues> queues_;
  Carried carried_;
  std::vector<Retransmits> retransmits_;
  bool is_clean_ = true;  // no library holds our buffers
  std::string lacks_;
  std::vector<FlowEnd> unconnected_;
  std::vector<std::unique_ptr<FlowDriver>> drivers_;  // senders first, then receivers
};

}  // namespace everylink
