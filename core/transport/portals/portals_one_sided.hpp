// The one-sided transfers of a Portals link.
#pragma once

#include <portals4.h>

#include <cstddef>
#include <deque>
#include <optional>

#include "base/bytes.hpp"
#include "transport/portals/portals_entries.hpp"

namespace everylink::portals {

// Each piece has its own events, because two puts, or two gets, may complete out of order.
class Transfers {
 public:
  Transfers(const Mover& mover, const Target& target, const Cut& cut)
      : mover_(mover), target_(target), cut_(cut) {}

  // `far`: the place in the peer's memory. Returns no_ticket if it is outside.
  int start(bool is_put, Slice here, std::size_t far);
  bool is_done(int ticket) const;
  // Whether the flush in flight is complete; the first call begins one.
  bool is_flushed();
  void start_waiting();
  bool look();  // returns whether anything happened

  // Drops transfers that have not begun.
  void give_up() { waiting_.clear(); }
  bool is_quiet() const { return waiting_.empty() && events_to_come_ == 0; }
  bool has_failed() const { return failed_; }

 private:
  struct Op {
    bool is_put = false;
    Slice here{};
    bool all_begun = false;
    std::size_t far = 0, pieces = 0, unsent = 0, unanswered = 0;
    std::size_t begun = 0, arrived = 0;  // bytes; `arrived` as reported by the answers
    bool has_ended() const { return all_begun && unsent == 0 && unanswered == 0; }
  };

  int end() const { return base_ + static_cast<int>(ops_.size()); }
  const Op& at(int ticket) const { return ops_[static_cast<std::size_t>(ticket - base_)]; }

  Slice next_of(const Op& op) const;
  int begin(Op& op, Slice piece) const;
  void note(const ptl_event_t& event);

  const Mover& mover_;
  const Target target_;
  const Cut cut_;
  std::deque<Op> ops_;  // the library keeps their addresses
  std::deque<Op*> waiting_;
  int base_ = 0, in_flight_ = 0, events_to_come_ = 0, flush_at_ = 0;
  std::size_t bytes_in_flight_ = 0;
  std::optional<int> flush_end_;  // end of the tickets that the flush in flight covers
  bool failed_ = false;
};

}  // namespace everylink::portals
