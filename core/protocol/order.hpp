// Rank 0's word: what everybody does next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.hpp"
#include "base/sample.hpp"
#include "base/types.hpp"
#include "schedule/schedule.hpp"

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

inline std::size_t index(Reach reach) { return static_cast<std::size_t>(reach); }
inline Reach reach_of(std::span<const std::int32_t> host_of, int a, int b) {
  return host_of[static_cast<std::size_t>(a)] == host_of[static_cast<std::size_t>(b)] ? Reach::near
                                                                                      : Reach::far;
}

// What an order says of one pair.
bool is_tried(const Order&, Reach, int a, int b);
Seconds budget_of(const Order&, Reach, int a, int b);          // for all its sizes; infinite: not known yet
Seconds longest_budget(const Order&, Reach);                   // of any pair
std::uint32_t messages_of(const Order&, Reach, int a, int b);  // at most, a turn; 0: all

// The partner of a rank in an order's step, or no_rank.
int partner_in(const Order&, const Plan&, int rank);
// Which step of the schedule an order is of, from 1; the pairs of a step that are measured one by one share
// it.
std::int32_t step_number(const Order&, bool serial, int ranks);

}  // namespace everylink
