// One rank's part in a scene of a pattern: a link for each of its flows, and one loop that moves them all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sample.hpp"
#include "load/pattern.hpp"
#include "transport/transport.hpp"

namespace everylink {

// Where the messages of a scene's flows lie: the same offsets at both ends.
struct FlowLayout {
  std::size_t bytes;       // of a message
  std::size_t ping_bytes;  // of a ping: at least a note, and no more than a message
  int window;              // messages of a block
  int lanes;               // flows at a rank, one way: each has notes of its own
  int buffers;             // lanes that have buffers of their own; the others share them

  static FlowLayout of(std::size_t bytes, std::size_t ping_bytes, int window, int degree);
  std::size_t memory_bytes() const {
    return notes_bytes() + static_cast<std::size_t>(buffers) * buffer_bytes();
  }
  Slice note(int lane, std::uint64_t block) const;
  Slice ping(int lane, std::uint64_t lap) const;
  Slice slot(int lane, std::uint64_t block, int message) const;
  // Of flows that are asked for: where a client has the bytes of a request, and all places of a server.
  Slice asked(int lane, std::uint64_t request) const;
  Slice served(int place) const;
  int places() const { return buffers * 2 * window; }
  bool shares_buffers() const { return 2 * buffers < lanes; }

 private:
  Slice numbered(int lane, std::uint64_t number) const;
  std::size_t stride() const { return (bytes + 63) / 64 * 64; }
  std::size_t buffer_bytes() const;
  std::size_t notes_bytes() const;
};

inline constexpr std::size_t note_bytes = 8;

// The messages of a block unless the user says how many: a MiB, or 16 of them.
int usual_window(std::size_t bytes);
inline constexpr int largest_flow_window = 31;  // two blocks and their notes fit into 64 tickets

// With a request: `most` where nothing is known yet, then by what others took, `least` anyhow.
struct Patience {
  Seconds least, most;
};

class FlowDriver;
struct Desk;

class Flows {
 public:
  struct Work {
    Staged staged;
    FlowLayout layout;
    int rank;
    Seconds duration;             // of bulk flows and pings ...
    std::uint64_t messages;       // ... or messages of a bulk flow; 0: as many as fit
    Asking asking;                // of flows that are asked for ...
    Patience patience;            // ... with a peer
    bool check;                   // every byte of these
    bool crowded;                 // more ranks than cores on this machine
    const TransportEntry& entry;  // of the transport
    bool waits_in_turn;           // for one link after the other, because none can be tested
  };
  Flows(Work, Transport&, Memory& out, Memory& in);
  ~Flows();

  // The peer to connect to in this turn, or no_rank.
  int peer_in(int turn) const;
  // Both ends call it with each other's offer; gives what the transport knows of a fault.
  std::string connect(int turn, std::uint64_t epoch, View peer_offer, Seconds until);
  // All flows whose links stand; each has a limit of its own part, and none outlasts `until`.
  std::vector<FlowEnd> run(Seconds until);
  // False: a library may still hold our buffers, which are never to be touched again.
  bool close(Seconds until);

 private:
  std::vector<FlowDriver*> in_order_of_turns() const;
  void give_up(FlowDriver&);
  void shut(FlowDriver&);

  const Work work_;
  Transport& transport_;
  Memory &out_, &in_;
  std::unique_ptr<Desk> desk_;
  bool is_clean_ = true;  // no library holds anything of ours
  std::vector<FlowEnd> unconnected_;
  std::vector<std::unique_ptr<FlowDriver>> drivers_;  // who send first, then who receive
};

}  // namespace everylink
