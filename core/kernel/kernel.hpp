// What one pair does in its turn: the interface of kernels, and the clock readings that they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/options.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink {

// The work of one turn. Message i uses buffer i modulo `buffers`; buffers are `stride` bytes apart.
struct Turn {
  std::size_t bytes;
  int messages, warmups;   // each way
  int window;              // messages in flight at once; 1 in a kernel without a window
  int rounds_per_reading;  // rounds of the kernel (laps) between two readings of the clock
  int buffers;
  std::size_t stride;
  Seconds until;
  int first = 0;  // number of the first message

  Slice slice(int message) const {
    return {static_cast<std::size_t>((first + message) % buffers) * stride, bytes};
  }
};

// The results of a turn at one end: one-way times in seconds, by the clock of the leading rank.
struct Laps {
  std::vector<float> one_way;  // one value per reading, without warm-ups
  int arrived = 0;  // messages received, with warm-ups; -1: unknown to the target of a one-sided transfer
  Seconds longest = 0, last = 0;  // the longest reading, and when the last one ended
};

// Groups rounds into readings of the clock. Warm-ups run the same code, but are not kept.
class Readings {
 public:
  Readings(const Transport& clock, int warmups, int rounds, int rounds_per_reading, Laps& laps)
      : clock_(clock),
        warmups_(warmups),
        last_(warmups + rounds - 1),
        per_(rounds_per_reading),
        laps_(laps) {}
  void before(int round) {
    if (in_reading(round) == 0) begin_ = clock_.now();
  }
  // `one_way_times`: the number of one-way times in one round.
  void after(int round, int one_way_times) {
    held_ += one_way_times;
    if (in_reading(round) != per_ - 1 && round != warmups_ - 1 && round != last_) return;
    const Seconds end = clock_.now();
    if (round >= warmups_) laps_.one_way.push_back(static_cast<float>((end - begin_) / held_));
    laps_.longest = std::max(laps_.longest, end - begin_);
    laps_.last = end;
    held_ = 0;
  }

 private:
  int in_reading(int round) const { return (round < warmups_ ? round : round - warmups_) % per_; }
  const Transport& clock_;
  int warmups_, last_, per_;
  Laps& laps_;
  Seconds begin_ = 0;
  int held_ = 0;
};

struct Kernel {
  std::string_view name, summary;
  // Begins with Link::begin; receives are posted before the peer may send. Ends when this end's part is done:
  // who then leaves the link first meets the peer. A broken or late link ends it early, and the laps so far
  // are kept.
  Outcome (*run)(Link&, const Sides&, const Transport& clock, bool leads, const Turn&, Laps&);
  bool both_lead;                        // one turn measures both links
  bool replies;                          // the follower sends messages too
  bool windowed;                         // --window applies
  int (*messages_per_lap)(const Turn&);  // each way
  bool one_sided = false;                // puts or gets
  bool fetches = false;                  // messages go to the leader
};

std::span<const Kernel> kernels();
const Kernel& kernel_named(std::string_view name);  // throws UsageError

// Derived from the options and their kernel.
inline constexpr int largest_window = 1 << 20;
int window_used(const Options&);           // 1 in a kernel without a window
int buffers_used(const Options&);          // one buffer per message that may be in flight and is verified
std::size_t memory_bytes(const Options&);  // of each of the two memories

// Runs the kernel lap by lap. Every byte of every message is written before its lap and verified after it,
// outside the timed region. `wrong` counts messages with wrong contents. The keys, the same at both ends,
// seed the contents.
struct Checking {
  Memory &out, &in;
  std::uint64_t out_key, in_key;
  int wrong = 0;
};
Outcome run_checked(const Kernel&, Link&, const Sides&, const Transport& clock, bool leads, const Turn&,
                    Laps&, Checking&);
// Runs the whole turn. The buffers of its first and its last message are written before it and verified after
// it.
Outcome run_with_verified_ends(const Kernel&, Link&, const Sides&, const Transport& clock, bool leads,
                               const Turn&, Laps&, Checking&);

}  // namespace everylink
