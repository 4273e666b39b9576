// A link of ofi: tagged messages, puts and gets through the rank's one endpoint. Part of ofi.cpp, for its
// length.
#pragma once

#include <fmt/format.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink::ofi {

inline void check(long rc, const char* call) {
  if (rc < 0) throw MachineError(fmt::format("{}: {}", call, fi_strerror(static_cast<int>(-rc))));
}

struct Closes {
  template <class Fid>
  void operator()(Fid* fid) const {
    fi_close(&fid->fid);
  }
};
template <class Fid>
using Owned = std::unique_ptr<Fid, Closes>;

enum class What : std::uint8_t { send, receive, put, get };

// A memory of the peer, as its library wants to hear of it.
struct Far {
  std::uint64_t at = 0, bytes = 0, key = 0;
};

// One message, put or get under way. libfabric keeps the address of `context` until it is done.
struct Op {
  fi_context2 context{};
  void* at = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;
  What what = What::send;
  bool done = false;
  int error = 0;
  std::uint64_t far = 0;  // of a put or a get: where in the peer's memory
};

struct Endpoint {
  Owned<fid_fabric> fabric;
  Owned<fid_domain> domain;
  Owned<fid_mr> out_memory, in_memory;  // null: the provider needs none
  Owned<fid_av> addresses;
  Owned<fid_cq> completions;
  Owned<fid_ep> ep;

  // Whether anything moved, of any link.
  bool progress() const {
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
};

class OfiLink final : public Link, public OneSided {
 public:
  OfiLink(const Endpoint& endpoint, fi_addr_t peer, const Far& far_out, const Far& far_in, std::uint64_t ours,
          std::uint64_t theirs, const Setup& setup)
      : endpoint_(endpoint),
        peer_(peer),
        far_out_(far_out),
        far_in_(far_in),
        ours_(ours),
        theirs_(theirs),
        one_sided_(setup.one_sided),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        waiter_(setup.crowded) {}

  int start_send(Slice slice) override { return start(What::send, out_ + slice.offset, slice.bytes, ours_); }
  int start_recv(Slice slice) override {
    return start(What::receive, in_ + slice.offset, slice.bytes, theirs_);
  }
  int start_put(Slice slice, std::size_t at) override {
    if (!lies_within(far_in_.bytes, {at, slice.bytes})) return no_ticket;
    return start(What::put, out_ + slice.offset, slice.bytes, 0, far_in_.at + at);
  }
  int start_get(Slice slice, std::size_t at) override {
    if (!lies_within(far_out_.bytes, {at, slice.bytes})) return no_ticket;
    return start(What::get, in_ + slice.offset, slice.bytes, 0, far_out_.at + at);
  }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    if (ticket < base_) return Outcome::ok;
    const Op& op = ops_[static_cast<std::size_t>(ticket - base_)];
    for (auto wait = waiter_.until(until); !op.done;) {
      const bool moved = push(leaving_) | push(receives_) | endpoint_.progress();
      if (op.done) break;
      if (wait.is_over(steady_now)) return noted(Outcome::timeout);
      moved ? wait.moved() : wait.nothing_moved();
    }
    if (op.error) return noted(Outcome::broken);
    for (; !ops_.empty() && ops_.front().done && !ops_.front().error; ++base_) ops_.pop_front();
    return Outcome::ok;
  }

  // A put is done when it is delivered.
  Outcome flush(Seconds until) override {
    if (!flush_end_) flush_end_ = base_ + static_cast<int>(ops_.size());
    for (int ticket = base_; ticket < *flush_end_; ++ticket) {
      if (ticket < base_ || ops_[static_cast<std::size_t>(ticket - base_)].what != What::put) continue;
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    }
    flush_end_.reset();
    return Outcome::ok;
  }

  Outcome meet(Seconds until) override {
    const int in = start(What::receive, nullptr, 0, theirs_ | token),
              out = start(What::send, nullptr, 0, ours_ | token);
    for (const int ticket : {in, out})
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    settled_ = true;
    return Outcome::ok;
  }

  // What was cancelled may still be written to when a stopped peer continues (measured), so there is no use
  // in cancelling; and a peer that has our keys and did not come to the last meeting may still put.
  Outcome close(Seconds) override {
    endpoint_.progress();
    const bool all = std::all_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.done; });
    return all && (settled_ || !one_sided_) ? Outcome::ok : Outcome::timeout;
  }

  static constexpr std::uint64_t token = 1;

 private:
  int start(What what, std::byte* at, std::size_t bytes, std::uint64_t tag, std::uint64_t far = 0) {
    Op& op = ops_.emplace_back();
    op.at = at;
    op.bytes = bytes;
    op.tag = tag;
    op.what = what;
    op.far = far;
    // Providers shm and udp;ofi_rxd of libfabric 1.17 never end one of nothing.
    op.done = bytes == 0 && (what == What::put || what == What::get);
    if (op.done) return base_ + static_cast<int>(ops_.size()) - 1;
    auto& queue = what == What::receive ? receives_ : leaving_;
    queue.push_back(&op);
    push(queue);
    return base_ + static_cast<int>(ops_.size()) - 1;
  }
  Outcome noted(Outcome outcome) {
    settled_ = false;
    return outcome;
  }

  // In their order, as far as the provider takes them now.
  bool push(std::deque<Op*>& queue) {
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
  ssize_t post(Op& op) const {
    const bool leaves_out = op.what == What::send || op.what == What::put;
    const auto& memory = leaves_out ? endpoint_.out_memory : endpoint_.in_memory;
    void* descriptor = memory ? fi_mr_desc(memory.get()) : nullptr;
    fid_ep* ep = endpoint_.ep.get();
    switch (op.what) {
      case What::send: return fi_tsend(ep, op.at, op.bytes, descriptor, peer_, op.tag, &op.context);
      case What::receive:
        return fi_trecv(ep, op.at, op.bytes, descriptor, FI_ADDR_UNSPEC, op.tag, 0, &op.context);
      case What::get:
        return fi_read(ep, op.at, op.bytes, descriptor, peer_, op.far, far_out_.key, &op.context);
      case What::put: break;
    }
    const iovec here{op.at, op.bytes};
    const fi_rma_iov there{op.far, op.bytes, far_in_.key};
    const fi_msg_rma message{&here, &descriptor, 1, peer_, &there, 1, &op.context, 0};
    return fi_writemsg(ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
  }

  const Endpoint& endpoint_;
  const fi_addr_t peer_;
  const Far far_out_, far_in_;
  const std::uint64_t ours_, theirs_;
  const bool one_sided_;
  std::byte *const out_, *const in_;
  Waiter waiter_;
  std::deque<Op> ops_;
  std::deque<Op*> leaving_, receives_;  // not taken by the provider yet
  int base_ = 0;
  std::optional<int> flush_end_;  // behind what the flush that is under way is about
  bool settled_ = true;           // nothing was late or broken since the ends met
};

}  // namespace everylink::ofi
