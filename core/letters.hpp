// What ranks and rank 0 tell each other in rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts.hpp"
#include "record/recorder.hpp"
#include "sample.hpp"
#include "words.hpp"

namespace everylink {

// Rank 0's word: what everybody does next. Whole in itself, so that a rank which slept can go on from any of
// them.
struct Order {
  enum class What : std::uint8_t { stop, hand_in, calibrate, measure };
  What what = What::stop;
  std::int32_t exit_code = 0;                      // stop
  bool clean = true;                               // stop: no library holds anything of ours that never ends
  std::uint32_t iteration = 0;                     // measure
  std::uint64_t relabelling = 0;                   // of this iteration; 0: natural order
  std::int64_t schedule_step = 0;                  // the pairs of this step of the plan ...
  std::int32_t first = no_rank, second = no_rank;  // ... or this one pair
  std::uint32_t step = 0;                          // row of /steps
  Attempt attempt = Attempt::main;
  std::vector<Tuning> tunings;  // a value a size

  Blob packed() const;
  static Order unpacked(View);
};

// The first word: who is here and what was drawn or read for all.
struct Introduction {
  std::vector<std::int32_t> host_of;
  std::vector<char> crowded;
  bool one_machine = false;
  std::uint64_t seed = 0;
  std::string schedule_option;  // contents of the file of pairs
  Order first;

  Blob packed() const;
  static Introduction unpacked(View);
};

// What one end saw of the other's messages, for one size.
struct Note {
  std::int32_t arrived = -1;  // while the other led
  bool corrupt = false;
};

// What a rank hands in after a step. The first one carries what its transport tells of itself.
struct Report {
  Carrier carrier;
  std::string fault;  // why this rank cannot take part; "": it can
  std::int32_t fault_exit = 0;
  std::uint32_t step = 0;
  std::int32_t rank = no_rank, peer = no_rank;
  bool buried = false;  // a library may still hold our buffers
  Seconds busy = 0;
  LinkRows led;               // the link from us to the peer
  std::vector<Note> notes;    // the link from the peer to us: a value a size
  std::vector<Tuning> needs;  // calibration: a value a size

  Blob packed() const;
  static Report unpacked(View);
};

}  // namespace everylink
