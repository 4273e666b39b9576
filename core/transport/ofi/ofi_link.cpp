// Moves the messages of one peer through the endpoint.
#include "transport/ofi/ofi_link.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <sys/uio.h>

#include <algorithm>
#include <iterator>

#include "base/clock.hpp"
#include "host/shortage.hpp"
#include "memory/memory.hpp"

namespace everylink::ofi {
namespace {

constexpr std::uint64_t token = 1;  // the bit that marks the tags of meet's messages

}  // namespace

void check(long rc, const char* call) {
  if (rc < 0) throw_of_library(fmt::format("{}: {}", call, fi_strerror(static_cast<int>(-rc))));
}

bool Endpoint::progress() const {
  fi_cq_tagged_entry entries[8];
  const ssize_t n = fi_cq_read(completions.get(), entries, std::size(entries));
  for (ssize_t i = 0; i < n; ++i) {
    Op& op = *static_cast<Op*>(entries[i].op_context);
    op.done = true;
    if (op.what == What::receive && entries[i].len != op.bytes) op.error = FI_ETRUNC;
  }
  if (n != -FI_EAVAIL) return n > 0;
  fi_cq_err_entry error{};
  if (fi_cq_readerr(completions.get(), &error, 0) == 1 && error.op_context) {
    Op& op = *static_cast<Op*>(error.op_context);
    op.done = true;
    op.error = error.err ? error.err : FI_EIO;
  }
  return true;
}

int OfiLink::start_recv(Slice slice) {
  return start(What::receive, in_ + slice.offset, slice.bytes, theirs_);
}

int OfiLink::start_put(Slice slice, std::size_t at) {
  if (!lies_within(far_in_.bytes, {at, slice.bytes})) return no_ticket;
  return start(What::put, out_ + slice.offset, slice.bytes, 0, far_in_.at + at);
}

int OfiLink::start_get(Slice slice, std::size_t at) {
  if (!lies_within(far_out_.bytes, {at, slice.bytes})) return no_ticket;
  return start(What::get, in_ + slice.offset, slice.bytes, 0, far_out_.at + at);
}

Outcome OfiLink::wait(int ticket, Seconds until) {
  if (ticket == no_ticket) return Outcome::broken;
  if (ticket < base_) return Outcome::ok;
  const Op& op = ops_[static_cast<std::size_t>(ticket - base_)];
  for (auto wait = waiter_.until(until); !op.done;) {
    bool moved = push(leaving_);
    moved |= push(receives_);
    moved |= endpoint_.progress();
    if (op.done) break;
    if (wait.is_over(steady_now)) return noted(Outcome::timeout);
    moved ? wait.moved() : wait.nothing_moved();
  }
  if (op.error) return noted(Outcome::broken);
  for (; !ops_.empty() && ops_.front().done && !ops_.front().error; ++base_) ops_.pop_front();
  return Outcome::ok;
}

// A put is done when it is delivered.
Outcome OfiLink::flush(Seconds until) {
  if (!flush_end_) flush_end_ = base_ + static_cast<int>(ops_.size());
  for (int ticket = base_; ticket < *flush_end_; ++ticket) {
    if (ticket < base_ || ops_[static_cast<std::size_t>(ticket - base_)].what != What::put) continue;
    if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
  }
  flush_end_.reset();
  return Outcome::ok;
}

Outcome OfiLink::meet(Seconds until) {
  const int in = start(What::receive, nullptr, 0, theirs_ | token),
            out = start(What::send, nullptr, 0, ours_ | token);
  for (const int ticket : {in, out})
    if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
  settled_ = true;
  return Outcome::ok;
}

// When a stopped peer continues, it may write into a cancelled receive (measured), so cancelling is useless.
// A peer that has our keys and missed the last meeting may still put.
Outcome OfiLink::close(Seconds) {
  endpoint_.progress();
  const bool all = std::all_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.done; });
  return all && (settled_ || !one_sided_) ? Outcome::ok : Outcome::timeout;
}

int OfiLink::start(What what, std::byte* at, std::size_t bytes, std::uint64_t tag, std::uint64_t far) {
  Op& op = ops_.emplace_back();
  op.at = at;
  op.bytes = bytes;
  op.tag = tag;
  op.what = what;
  op.far = far;
  // The providers shm and udp;ofi_rxd of libfabric 1.17 never complete a transfer of 0 bytes.
  op.done = bytes == 0 && (what == What::put || what == What::get);
  if (op.done) return base_ + static_cast<int>(ops_.size()) - 1;
  auto& queue = what == What::receive ? receives_ : leaving_;
  queue.push_back(&op);
  push(queue);
  return base_ + static_cast<int>(ops_.size()) - 1;
}

Outcome OfiLink::noted(Outcome outcome) {
  settled_ = false;
  return outcome;
}

// Starts them in order, as far as the provider accepts them now.
bool OfiLink::push(std::deque<Op*>& queue) {
  bool moved = false;
  for (; !queue.empty(); queue.pop_front(), moved = true) {
    Op& op = *queue.front();
    const ssize_t rc = post(op);
    if (rc == -FI_EAGAIN) break;
    if (rc == 0) continue;
    op.done = true;
    op.error = static_cast<int>(-rc);
  }
  return moved;
}

ssize_t OfiLink::post(Op& op) const {
  const bool leaves_out = op.what == What::send || op.what == What::put;
  const auto& memory = leaves_out ? endpoint_.out_memory : endpoint_.in_memory;
  void* descriptor = memory ? fi_mr_desc(memory.get()) : nullptr;
  fid_ep* ep = endpoint_.ep.get();
  switch (op.what) {
    case What::send: return fi_tsend(ep, op.at, op.bytes, descriptor, peer_, op.tag, &op.context);
    case What::receive:
      return fi_trecv(ep, op.at, op.bytes, descriptor, FI_ADDR_UNSPEC, op.tag, 0, &op.context);
    case What::get: return fi_read(ep, op.at, op.bytes, descriptor, peer_, op.far, far_out_.key, &op.context);
    case What::put: break;
  }
  const iovec here{op.at, op.bytes};
  const fi_rma_iov there{op.far, op.bytes, far_in_.key};
  const fi_msg_rma message{.msg_iov = &here,
                           .desc = &descriptor,
                           .iov_count = 1,
                           .addr = peer_,
                           .rma_iov = &there,
                           .rma_iov_count = 1,
                           .context = &op.context,
                           .data = 0};
  return fi_writemsg(ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

}  // namespace everylink::ofi
