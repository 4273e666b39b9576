// A link of ucp: tagged messages, puts and gets through one endpoint. Part of ucp.cpp, for its length.
#pragma once

#include <ucp/api/ucp.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "base/pack.hpp"
#include "transport/transport.hpp"
#include "transport/ucp/ucx_said.hpp"
#include "transport/waiter.hpp"

namespace everylink::ucx {

// UCX's end of a connection. With error handling (`tears`) it lives as long as a link: it can be torn, and
// with it all that is under way. Without, it is kept for later links: where both ends close one and open the
// next, UCX 1.13 loses messages.
struct Endpoint {
  ucp_ep_h handle = nullptr;
  bool tears = false, broken = false;
  Blob address;

  ucs_status_t open(ucp_worker_h worker, const Blob& to, ucp_err_handling_mode_t errors) {
    address = to;
    tears = errors == UCP_ERR_HANDLING_MODE_PEER;
    ucp_ep_params_t p{};
    p.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                   UCP_EP_PARAM_FIELD_ERR_HANDLER;
    p.address = reinterpret_cast<const ucp_address_t*>(address.data());
    p.err_mode = errors;
    p.err_handler.arg = this;
    p.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t) {
      static_cast<Endpoint*>(self)->broken = true;
    };
    return ucp_ep_create(worker, &p, &handle);
  }
};

// A memory of the peer: where it lies there, how much it is, and the key to it.
struct Far {
  std::uint64_t at = 0, bytes = 0;
  ucp_rkey_h key = nullptr;
};

class UcpLink final : public Link, public OneSided {
 public:
  UcpLink(ucp_worker_h worker, std::shared_ptr<Endpoint> endpoint, std::uint64_t epoch, int peer,
          const Setup& setup)
      : worker_(worker),
        endpoint_(std::move(endpoint)),
        one_sided_(setup.one_sided),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        ours_(tag(epoch, setup.rank)),
        theirs_(tag(epoch, peer)),
        waiter_(setup.crowded) {}
  ~UcpLink() override { close(0); }

  // What the offer says of the peer's memories.
  ucs_status_t reach(Unpacker& offer) {
    for (Far* far : {&far_out_, &far_in_}) {
      far->at = offer.get<std::uint64_t>();
      far->bytes = offer.get<std::uint64_t>();
      const auto key = offer.list<std::byte>();
      Unpacker::must(!key.empty());
      const auto status = ucp_ep_rkey_unpack(endpoint_->handle, key.data(), &far->key);
      if (status != UCS_OK) return status;
    }
    return UCS_OK;
  }

  int start_send(Slice slice) override { return send(out_ + slice.offset, slice.bytes, ours_); }
  int start_recv(Slice slice) override { return receive(in_ + slice.offset, slice.bytes, theirs_); }

  int start_put(Slice slice, std::size_t at) override {
    if (!lies_within(far_in_.bytes, {at, slice.bytes})) return no_ticket;
    return start(slice.bytes, [&](ucp_request_param_t& p) {
      return ucp_put_nbx(endpoint_->handle, out_ + slice.offset, slice.bytes, far_in_.at + at, far_in_.key,
                         &p);
    });
  }
  int start_get(Slice slice, std::size_t at) override {
    if (!lies_within(far_out_.bytes, {at, slice.bytes})) return no_ticket;
    return start(slice.bytes, [&](ucp_request_param_t& p) {
      return ucp_get_nbx(endpoint_->handle, in_ + slice.offset, slice.bytes, far_out_.at + at, far_out_.key,
                         &p);
    });
  }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    if (ticket < base_) return Outcome::ok;
    const auto outcome = drive(op(ticket), until, [] {});
    for (; !ops_.empty() && ops_.front().status == UCS_OK; ++base_) ops_.pop_front();
    return outcome;
  }

  // Of all that went through the endpoint: puts lie in the peer's memory, messages are with its UCX.
  Outcome flush(Seconds until) override {
    if (!flush_) {
      const ucp_request_param_t p{};
      void* request = ucp_ep_flush_nbx(endpoint_->handle, &p);
      if (!UCS_PTR_IS_PTR(request)) return noted(request ? Outcome::broken : Outcome::ok);
      flush_ = request;
    }
    Op op;
    const auto outcome = drive(op, until, [&] { op.status = ucp_request_check_status(flush_); });
    if (outcome != Outcome::timeout) end_flush();
    return outcome;
  }

  // Flushed before, because what we sent may wait for the peer's answers; and after, because our token may
  // still lie in UCX's buffers when nobody calls UCX for us any more. The peer may have closed by then, which
  // lets UCX 1.13 wait for ever; while it has not, the token needs no longer than this.
  Outcome meet(Seconds until) override {
    constexpr Seconds of_a_token = 0.2;
    const int in = receive(nullptr, 0, theirs_ | token);
    end_flush();
    if (const auto outcome = flush(until); outcome != Outcome::ok) return outcome;
    const int out = send(nullptr, 0, ours_ | token);
    for (const int ticket : {in, out})
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    flush(std::min(until, steady_now() + of_a_token));
    end_flush();
    settled_ = true;
    return Outcome::ok;
  }

  // What is under way without error handling, a peer that was stopped may still write into our buffers
  // (measured): then it is not ok; nor where it has our keys and did not come to the last meeting. `meet` has
  // flushed what the peer still needs, and a polite end would never
  // come where the peer was first (UCX 1.13).
  Outcome close(Seconds until) override {
    end_flush();
    for (auto& op : ops_)
      if (op.status == UCS_INPROGRESS) ucp_request_cancel(worker_, op.request);
    if (endpoint_->tears && endpoint_->handle) {
      ucp_request_param_t p{};
      p.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
      p.flags = UCP_EP_CLOSE_FLAG_FORCE;
      void* closing = ucp_ep_close_nbx(std::exchange(endpoint_->handle, nullptr), &p);
      if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);  // it goes on by itself
    }
    for (auto wait = waiter_.until(until); is_under_way() && endpoint_->tears;) {
      if (ucp_worker_progress(worker_) == 0) wait.nothing_moved();
      if (wait.is_over(steady_now)) break;
    }
    for (auto* far : {&far_out_, &far_in_})
      if (far->key) ucp_rkey_destroy(std::exchange(far->key, nullptr));
    return is_under_way() || (one_sided_ && !settled_) ? Outcome::timeout : Outcome::ok;
  }

 private:
  struct Op {
    void* request = nullptr;
    ucs_status_t status = UCS_INPROGRESS;
    std::size_t bytes = 0;  // of a receive
  };
  // Epoch, sender, and whether it is the token of `meet`.
  static constexpr ucp_tag_t token = 1;
  static ucp_tag_t tag(std::uint64_t epoch, int sender) {
    return epoch << 32 | static_cast<ucp_tag_t>(sender) << 1;
  }

  Op& op(int ticket) { return ops_[static_cast<std::size_t>(ticket - base_)]; }
  bool is_under_way() const {
    return std::any_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.status == UCS_INPROGRESS; });
  }

  int send(const std::byte* at, std::size_t bytes, ucp_tag_t tag) {
    return start(bytes, [&](ucp_request_param_t& p) {
      p.cb.send = done;
      return ucp_tag_send_nbx(endpoint_->handle, at, bytes, tag, &p);
    });
  }

  int receive(std::byte* at, std::size_t bytes, ucp_tag_t tag) {
    return start(bytes, [&](ucp_request_param_t& p) {
      ucp_tag_recv_info_t info{};
      p.op_attr_mask |= UCP_OP_ATTR_FIELD_RECV_INFO;
      p.recv_info.tag_info = &info;
      p.cb.recv = received;
      void* request = ucp_tag_recv_nbx(worker_, at, bytes, tag, ~ucp_tag_t{0}, &p);
      if (request || info.length == bytes) return request;
      return UCS_STATUS_PTR(UCS_ERR_MESSAGE_TRUNCATED);
    });
  }

  template <class Call>
  int start(std::size_t bytes, Call call) {
    Op& op = ops_.emplace_back();
    op.bytes = bytes;
    ucp_request_param_t p{};
    p.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    p.user_data = &op;
    p.cb.send = done;
    void* request = call(p);
    if (UCS_PTR_IS_PTR(request))
      op.request = request;
    else
      op.status = UCS_PTR_STATUS(request);
    return base_ + static_cast<int>(ops_.size()) - 1;
  }
  static void done(void* request, ucs_status_t status, void* op) {
    static_cast<Op*>(op)->status = status;
    ucp_request_free(request);
  }
  static void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* op) {
    const bool whole = status != UCS_OK || info->length == static_cast<Op*>(op)->bytes;
    done(request, whole ? status : UCS_ERR_MESSAGE_TRUNCATED, op);
  }

  // One that is still under way ends by itself.
  void end_flush() {
    if (flush_) ucp_request_free(std::exchange(flush_, nullptr));
  }

  // `look` finds out how it stands with an operation that no callback ends.
  template <class Look>
  Outcome drive(const Op& op, Seconds until, Look look) {
    auto wait = waiter_.until(until);
    for (look(); op.status == UCS_INPROGRESS; look()) {
      const bool moved = ucp_worker_progress(worker_) != 0;
      if (op.status != UCS_INPROGRESS) break;
      if (!moved && endpoint_->broken) return noted(Outcome::broken);
      if (wait.is_over(steady_now)) return noted(Outcome::timeout);
      moved ? wait.moved() : wait.nothing_moved();
    }
    return noted(op.status == UCS_OK ? Outcome::ok : Outcome::broken);
  }
  Outcome noted(Outcome outcome) {
    settled_ &= outcome == Outcome::ok;
    return outcome;
  }

  ucp_worker_h worker_;
  const std::shared_ptr<Endpoint> endpoint_;
  Far far_out_, far_in_;
  const bool one_sided_;
  std::byte *const out_, *const in_;
  const ucp_tag_t ours_, theirs_;
  Waiter waiter_;
  std::deque<Op> ops_;
  int base_ = 0;
  void* flush_ = nullptr;  // the one that is under way
  bool settled_ = true;    // nothing was late or broken since the ends met
};

}  // namespace everylink::ucx
