// When ranks read their hosts: before the first step, after the last one of the main run, and after links
// were measured again. A campaign knows nothing of it: its orders only come a round later.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/host_reading.hpp"
#include "base/seconds.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"

namespace everylink {

class HostReadings {
 public:
  // `confirms`: every step measures links again. `recorder` outlives it.
  HostReadings(Recorder& recorder, std::vector<std::int32_t> host_of, bool confirms)
      : recorder_(recorder), host_of_(std::move(host_of)), confirms_(confirms) {}

  // Comes before `first`, the campaign's first order.
  Order before(Order first);
  // An order of the campaign that a reading has put off; nothing: none.
  std::optional<Order> put_off();
  // What ranks do where the campaign wants `next`; nothing, for both: the end.
  std::optional<Order> instead_of(std::optional<Order> next);
  bool is_over() const { return over_; }  // the campaign is not to be asked again

  // Records what ranks have read. These reports answer `done`, which began at `began`; measuring began at
  // `measuring_began`, if it has (all on the transport's clock).
  void keep(const std::vector<Report>&, const Order& done, Seconds began,
            std::optional<Seconds> measuring_began);
  void end();  // records what waits for the beginning

 private:
  Order read(Moment);
  void record_early(Seconds measuring_began);

  Recorder& recorder_;
  const std::vector<std::int32_t> host_of_;
  const bool confirms_;
  std::uint32_t next_number_ = 0;
  std::optional<Order> put_off_;
  bool measures_again_ = false, over_ = false;
  std::vector<ReadingRow> early_;  // read before measuring began
};

}  // namespace everylink
