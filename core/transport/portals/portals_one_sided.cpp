// Starts one-sided transfers and handles their events.
#include "transport/portals/portals_one_sided.hpp"

#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink::portals {

int Transfers::start(bool is_put, Slice here, std::size_t far) {
  if (!lies_within(is_put ? target_.far.in : target_.far.out, {far, here.bytes})) return no_ticket;
  Op& op = ops_.emplace_back();
  op.is_put = is_put;
  op.here = here;
  op.far = far;
  waiting_.push_back(&op);
  start_waiting();
  return end() - 1;
}

bool Transfers::is_done(int ticket) const {
  if (ticket < base_) return true;
  const Op& op = at(ticket);
  return op.all_begun && (op.is_put ? op.unsent == 0 : op.unanswered == 0);
}

bool Transfers::is_flushed() {
  if (!flush_end_) flush_end_ = end(), flush_at_ = base_;
  for (; flush_at_ < *flush_end_; ++flush_at_)
    if (flush_at_ >= base_ && at(flush_at_).is_put && !at(flush_at_).has_ended()) return false;
  flush_end_.reset();
  return true;
}

// Starts them in order, as far as the limits allow.
void Transfers::start_waiting() {
  while (!waiting_.empty()) {
    Op& op = *waiting_.front();
    const Slice piece = next_of(op);
    const bool is_full = in_flight_ == Mover::most || bytes_in_flight_ + piece.bytes + Cut::head > cut_.most;
    if (in_flight_ > 0 && is_full) return;
    const int rc = begin(op, piece);
    if (rc == PTL_NO_SPACE) return;
    check(rc, op.is_put ? "PtlPut" : "PtlGet");
    ++in_flight_;
    bytes_in_flight_ += piece.bytes + Cut::head;
    events_to_come_ += op.is_put ? 2 : 1;
    op.unsent += op.is_put ? 1 : 0;
    ++op.unanswered;
    ++op.pieces;
    op.begun += piece.bytes;
    op.all_begun = op.begun == op.here.bytes;
    if (op.all_begun) waiting_.pop_front();
  }
}

bool Transfers::look() {
  for (bool any = false;; any = true) {
    ptl_event_t event{};
    const int rc = PtlEQGet(mover_.events, &event);
    if (rc == PTL_EQ_EMPTY) return any;
    check(rc, "PtlEQGet");
    note(event);
  }
}

Slice Transfers::next_of(const Op& op) const {
  if (op.is_put) return piece_of(op.here.bytes, cut_.pieces(op.here.bytes), op.pieces);
  return {op.begun, cut_.first_of_get(op.far + op.begun, op.here.bytes - op.begun, target_.part)};
}

int Transfers::begin(Op& op, Slice piece) const {
  const std::size_t here = op.here.offset + piece.offset, far = op.far + piece.offset;
  if (op.is_put)
    return PtlPut(mover_.out, here, piece.bytes, PTL_ACK_REQ, target_.process, target_.table,
                  target_.key | puts, far, &op, 0);
  const std::size_t part =
      piece.bytes > 0 ? far / target_.part : 0;  // no part begins at the end of the memory
  return PtlGet(mover_.in, here, piece.bytes, target_.process, target_.table_of_gets,
                target_.key_of_gets | part, far - part * target_.part, &op);
}

void Transfers::note(const ptl_event_t& event) {
  Op& op = *static_cast<Op*>(event.user_ptr);
  --events_to_come_;
  failed_ |= event.ni_fail_type != PTL_NI_OK;
  if (failed_) return;  // the link is broken, whatever else has completed
  if (event.type == PTL_EVENT_SEND) {
    --op.unsent;
  } else {
    --op.unanswered;
    --in_flight_;
    bytes_in_flight_ -= event.mlength + Cut::head;
    op.arrived += event.mlength;
    failed_ |= op.all_begun && op.unanswered == 0 && op.arrived != op.here.bytes;
  }
  for (; !ops_.empty() && ops_.front().has_ended(); ++base_) ops_.pop_front();
}

}  // namespace everylink::portals
