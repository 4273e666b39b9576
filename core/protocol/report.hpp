// What a rank tells the coordinator in each round.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/carrier.hpp"
#include "base/flow.hpp"
#include "base/host_reading.hpp"
#include "base/ranks.hpp"
#include "base/rows.hpp"
#include "base/sample.hpp"
#include "base/seconds.hpp"

namespace everylink {

// What one end saw of the messages of the other end, for one size.
struct Note {
  std::int32_t arrived = -1;  // while the other led
  bool corrupt = false;
  static constexpr auto fields = std::tuple(&Note::arrived, &Note::corrupt);
};

// The results of one step, or of another order. The first report describes the transport of its rank.
struct Report {
  Carrier carrier = {};
  std::string fault = {};  // why this rank cannot take part; "": it can
  std::int32_t fault_exit = 0;
  std::uint32_t step = 0;
  std::int32_t rank = no_rank, peer = no_rank;
  bool abandoned = false;           // a library may still hold our buffers
  bool interrupted = false;         // a signal asked this rank to end the run
  Seconds busy = 0;                 // measuring
  Seconds took = 0;                 // for the pair, including connecting
  Seconds began = 0;                // the step, after the order
  std::string fault_of_link = {};   // what the transport says about a link that failed
  bool fault_is_local = false;      // ... for a reason on the host of this rank
  LinkRows led = {};                // the link from this rank to the peer
  std::vector<Note> notes = {};     // about the link from the peer to this rank: one per size
  std::vector<Tuning> needs = {};   // calibration: one per size
  Seconds warmup = 0;               // calibration: the time of one round of the first size; 0: not known
  Seconds orders_took = 0;          // until all ranks had the orders that this report answers; rank 0's alone
  std::vector<FlowEnd> flows = {};  // of a scene
  Seconds now = 0;                  // in virtual time
  std::vector<HostReading> host = {};         // what this rank read of its host, if it did
  Carried carried = {};                       // so far, with the answer to an order to read
  std::vector<Retransmits> retransmits = {};  // of links that had any
  static constexpr auto fields =
      std::tuple(&Report::carrier, &Report::fault, &Report::fault_exit, &Report::step, &Report::rank,
                 &Report::peer, &Report::abandoned, &Report::interrupted, &Report::busy, &Report::took,
                 &Report::began, &Report::fault_of_link, &Report::fault_is_local, &Report::led,
                 &Report::notes, &Report::needs, &Report::warmup, &Report::orders_took, &Report::flows,
                 &Report::now, &Report::host, &Report::carried, &Report::retransmits);

  // Throws MachineError if rank `from` cannot have sent this in a run with these numbers of ranks and sizes.
  void check(int from, int ranks, std::size_t sizes) const;
  // All that was to be measured has been.
  bool is_whole() const;
};

// What a rank submits in a round: the steps of an order that it took, or one report.
struct Reports {
  std::vector<Report> all;
  static constexpr auto fields = std::tuple(&Reports::all);
};

}  // namespace everylink
