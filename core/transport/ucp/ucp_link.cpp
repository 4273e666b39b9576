// Moves the messages of one UCX endpoint.
#include "transport/ucp/ucp_link.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "memory/memory.hpp"

namespace everylink::ucx {

ucs_memory_type_t memory_type_of(const Region& region) {
  switch (region.kind) {
    case MemoryKind::cuda: return UCS_MEMORY_TYPE_CUDA;
    case MemoryKind::cuda_managed: return UCS_MEMORY_TYPE_CUDA_MANAGED;
    case MemoryKind::host: break;
  }
  return UCS_MEMORY_TYPE_HOST;
}

ucs_status_t Endpoint::open(ucp_worker_h worker, const Blob& to, ucp_err_handling_mode_t errors) {
  address = to;
  tears = errors == UCP_ERR_HANDLING_MODE_PEER;
  ucp_ep_params_t p{};
  p.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                 UCP_EP_PARAM_FIELD_ERR_HANDLER;
  p.address = reinterpret_cast<const ucp_address_t*>(address.data());
  p.err_mode = errors;
  p.err_handler.arg = this;
  p.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t) { static_cast<Endpoint*>(self)->broken = true; };
  return ucp_ep_create(worker, &p, &handle);
}

ucs_status_t UcpLink::reach(Unpacker& offer) {
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

int UcpLink::start_put(Slice slice, std::size_t at) {
  if (!lies_within(far_in_.bytes, {at, slice.bytes})) return no_ticket;
  return start(out_, slice.bytes, [&](ucp_request_param_t& p) {
    return ucp_put_nbx(endpoint_->handle, out_ + slice.offset, slice.bytes, far_in_.at + at, far_in_.key, &p);
  });
}

int UcpLink::start_get(Slice slice, std::size_t at) {
  if (!lies_within(far_out_.bytes, {at, slice.bytes})) return no_ticket;
  return start(in_, slice.bytes, [&](ucp_request_param_t& p) {
    return ucp_get_nbx(endpoint_->handle, in_ + slice.offset, slice.bytes, far_out_.at + at, far_out_.key,
                       &p);
  });
}

Outcome UcpLink::wait(int ticket, Seconds until) {
  if (ticket == no_ticket) return Outcome::broken;
  if (ticket < base_) return Outcome::ok;
  const auto outcome = drive(op(ticket), until, [] {});
  for (; !ops_.empty() && ops_.front().status == UCS_OK; ++base_) ops_.pop_front();
  return outcome;
}

// Covers everything that went through the endpoint: puts are in the peer's memory, and messages have reached
// the peer's UCX.
Outcome UcpLink::flush(Seconds until) {
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

// Flushes before the token, because our messages may wait for the peer's answers, and after it, because the
// token may still be in UCX's buffers when this rank stops calling UCX. If the peer has closed by then, UCX
// 1.13 waits forever; otherwise the token needs no longer than this limit.
Outcome UcpLink::meet(Seconds until) {
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

// Without error handling, a stopped peer may still write into our buffers (measured), so the link is not ok.
// Nor is it ok if the peer has our keys and missed the last meeting. `meet` has flushed everything that the
// peer needs. An orderly close would never finish if the peer closed first (UCX 1.13).
Outcome UcpLink::close(Seconds until) {
  end_flush();
  for (auto& op : ops_)
    if (op.status == UCS_INPROGRESS) ucp_request_cancel(worker_, op.request);
  if (endpoint_->tears && endpoint_->handle) {
    ucp_request_param_t p{};
    p.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    p.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* closing = ucp_ep_close_nbx(std::exchange(endpoint_->handle, nullptr), &p);
    if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);  // it completes by itself
  }
  for (auto wait = waiter_.until(until); is_in_flight() && endpoint_->tears;) {
    if (ucp_worker_progress(worker_) == 0) wait.nothing_moved();
    if (wait.is_over(steady_now)) break;
  }
  for (auto* far : {&far_out_, &far_in_})
    if (far->key) ucp_rkey_destroy(std::exchange(far->key, nullptr));
  return is_in_flight() || (one_sided_ && !settled_) ? Outcome::timeout : Outcome::ok;
}

ucp_tag_t UcpLink::tag(std::uint64_t epoch, int sender) {
  return epoch << 32 | static_cast<ucp_tag_t>(sender) << 1;
}

bool UcpLink::is_in_flight() const {
  return std::any_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.status == UCS_INPROGRESS; });
}

int UcpLink::send(const std::byte* at, std::size_t bytes, ucp_tag_t tag) {
  return start(at, bytes, [&](ucp_request_param_t& p) {
    p.cb.send = done;
    return ucp_tag_send_nbx(endpoint_->handle, at, bytes, tag, &p);
  });
}

int UcpLink::receive(std::byte* at, std::size_t bytes, ucp_tag_t tag) {
  return start(at, bytes, [&](ucp_request_param_t& p) {
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
int UcpLink::start(const std::byte* at, std::size_t bytes, Call call) {
  Op& op = ops_.emplace_back();
  op.bytes = bytes;
  ucp_request_param_t p{};
  p.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  p.user_data = &op;
  p.cb.send = done;
  if (of_gpu_ && at) {  // else UCX looks up the type of each address
    p.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    p.memory_type = memory_type_;
  }
  void* request = call(p);
  if (UCS_PTR_IS_PTR(request))
    op.request = request;
  else
    op.status = UCS_PTR_STATUS(request);
  return base_ + static_cast<int>(ops_.size()) - 1;
}

void UcpLink::done(void* request, ucs_status_t status, void* op) {
  static_cast<Op*>(op)->status = status;
  ucp_request_free(request);
}

void UcpLink::received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* op) {
  const bool whole = status != UCS_OK || info->length == static_cast<Op*>(op)->bytes;
  done(request, whole ? status : UCS_ERR_MESSAGE_TRUNCATED, op);
}

// A flush in flight completes by itself.
void UcpLink::end_flush() {
  if (flush_) ucp_request_free(std::exchange(flush_, nullptr));
}

// `look` checks an operation that has no callback.
template <class Look>
Outcome UcpLink::drive(const Op& op, Seconds until, Look look) {
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

Outcome UcpLink::noted(Outcome outcome) {
  settled_ &= outcome == Outcome::ok;
  return outcome;
}

}  // namespace everylink::ucx
