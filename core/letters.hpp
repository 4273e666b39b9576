// What ranks and rank 0 tell each other in rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts.hpp"
#include "flows.hpp"
#include "parts.hpp"
#include "record/recorder.hpp"
#include "sample.hpp"
#include "words.hpp"

namespace everylink {

// Near: two ranks of one host. What carries them differs by far, so each is judged by its own kind.
enum class Reach : std::uint8_t { near = 0, far = 1 };

// How one rank is treated towards those within one reach (health.hpp).
struct Care {
  std::int32_t rank;
  Reach reach;
  bool suspect;            // little time
  bool dark;               // not tried in this step
  std::uint32_t messages;  // at most, a turn; 0: all
};

// Rank 0's word: what everybody does next. Whole in itself, so that a rank which slept can go on from any of
// them.
struct Order {
  // save, finish: each rank writes its own part of a .sion file, while the run goes on or at its end.
  // connect, flow: of a pattern, one turn of connecting, and then all flows of the scene.
  enum class What : std::uint8_t { stop, hand_in, calibrate, measure, save, finish, connect, flow };
  What what = What::stop;
  std::int32_t exit_code = 0;                      // stop
  bool clean = true;                               // stop: no library holds anything of ours that never ends
  std::uint32_t iteration = 0;                     // measure
  std::uint64_t relabelling = 0;                   // of this iteration; 0: natural order
  std::int64_t schedule_step = 0;                  // the pairs of this step of the plan ...
  std::int32_t first = no_rank, second = no_rank;  // ... or this one pair
  std::uint32_t step = 0;                          // row of /steps
  Attempt attempt = Attempt::main;
  std::vector<Tuning> tunings;        // a value a size
  Seconds patience[2] = {0, 0};       // with a pair of each reach; 0: not known
  std::vector<Care> care;             // of ranks that look dark or slow
  std::uint64_t committed = 0;        // rounds before this one brought what the file now holds
  std::vector<std::int32_t> corrupt;  // save, finish: links, from, to, from, ...: only `to` knows of it

  std::int64_t scene = 0;             // connect, flow: counted through all sizes
  std::uint32_t turn = 0;             // connect
  std::vector<std::int32_t> dark;     // connect: ranks that are not tried
  Seconds begins = 0;                 // flow: on made-up clocks, which have no common time else
  Seconds patience_of_scene = 0;      // flow: by what earlier scenes took; 0: not known
  std::vector<std::int32_t> severed;  // connect: links that are not tried, from, to, from, to, ...

  bool leaves_out(int a, int b) const;  // connect: a pair that would fail again
  bool plays() const { return what == What::connect || what == What::flow; }
  bool measures() const { return what == What::calibrate || what == What::measure; }
  bool writes() const { return what == What::save || what == What::finish; }

  Blob packed() const;
  static Order unpacked(View);
};

// The first word: who is here and what was drawn or read for all.
struct Introduction {
  RunId run{};
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
  bool buried = false;         // a library may still hold our buffers
  bool interrupted = false;    // a signal asked this rank for the end of the run
  Seconds busy = 0;            // with the messages
  Seconds took = 0;            // with the pair, connecting included
  std::string fault_of_link;   // what the transport knows of a link that failed
  LinkRows led;                // the link from us to the peer
  std::vector<Note> notes;     // the link from the peer to us: a value a size
  std::vector<Tuning> needs;   // calibration: a value a size
  std::vector<FlowEnd> flows;  // of a scene
  Seconds now = 0;             // on a made-up clock

  Blob packed() const;
  static Report unpacked(View);
  // Throws MachineError unless it may come from this rank in a run of so many ranks and sizes.
  void check(int from, int ranks, std::size_t sizes) const;
};

}  // namespace everylink
