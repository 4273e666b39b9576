// A link of ucp: tagged messages, puts and gets through one endpoint of UCX.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink::ucx {

// An endpoint of UCX. With error handling (`tears`) it exists as long as its link: it can be closed by force,
// together with everything in flight. Without, it is kept for later links, because UCX 1.13 loses messages if
// both ends close an endpoint and open the next.
struct Endpoint {
  ucp_ep_h handle = nullptr;
  bool tears = false, broken = false;
  Blob address;

  ucs_status_t open(ucp_worker_h worker, const Blob& to, ucp_err_handling_mode_t errors);
};

// A memory of the peer: its address there, its size and its key.
struct Far {
  std::uint64_t at = 0, bytes = 0;
  ucp_rkey_h key = nullptr;
};

ucs_memory_type_t memory_type_of(const Region&);

class UcpLink final : public Link, public OneSided {
 public:
  UcpLink(ucp_worker_h worker, std::shared_ptr<Endpoint> endpoint, std::uint64_t epoch, int peer,
          const Setup& setup)
      : worker_(worker),
        endpoint_(std::move(endpoint)),
        one_sided_(setup.one_sided),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        of_gpu_(setup.out.region().is_of_gpu()),
        memory_type_(memory_type_of(setup.out.region())),
        ours_(tag(epoch, setup.rank)),
        theirs_(tag(epoch, peer)),
        waiter_(setup.crowded) {}
  ~UcpLink() override { close(0); }

  // Unpacks the peer's memories from the offer.
  ucs_status_t reach(Unpacker& offer);

  int start_send(Slice slice) override { return send(out_ + slice.offset, slice.bytes, ours_); }
  int start_recv(Slice slice) override { return receive(in_ + slice.offset, slice.bytes, theirs_); }

  int start_put(Slice slice, std::size_t at) override;
  int start_get(Slice slice, std::size_t at) override;
  Outcome wait(int ticket, Seconds until) override;
  Outcome flush(Seconds until) override;
  Outcome meet(Seconds until) override;
  Outcome close(Seconds until) override;

 private:
  struct Op {
    void* request = nullptr;
    ucs_status_t status = UCS_INPROGRESS;
    std::size_t bytes = 0;  // of a receive
  };
  // A tag contains the epoch, the sender, and whether it is the token of `meet`.
  static constexpr ucp_tag_t token = 1;
  static ucp_tag_t tag(std::uint64_t epoch, int sender);

  Op& op(int ticket) { return ops_[static_cast<std::size_t>(ticket - base_)]; }
  bool is_in_flight() const;
  int send(const std::byte* at, std::size_t bytes, ucp_tag_t tag);
  int receive(std::byte* at, std::size_t bytes, ucp_tag_t tag);

  template <class Call>
  int start(const std::byte* at, std::size_t bytes, Call call);
  static void done(void* request, ucs_status_t status, void* op);
  static void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* op);
  void end_flush();

  template <class Look>
  Outcome drive(const Op& op, Seconds until, Look look);
  Outcome noted(Outcome outcome);

  ucp_worker_h worker_;
  const std::shared_ptr<Endpoint> endpoint_;
  Far far_out_, far_in_;
  const bool one_sided_;
  std::byte *const out_, *const in_;
  const bool of_gpu_;
  const ucs_memory_type_t memory_type_;
  const ucp_tag_t ours_, theirs_;
  Waiter waiter_;
  std::deque<Op> ops_;
  int base_ = 0;
  void* flush_ = nullptr;  // the flush in flight
  bool settled_ = true;    // nothing was late or broken since the last meeting
};

}  // namespace everylink::ucx
