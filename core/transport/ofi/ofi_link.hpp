// A link of ofi: tagged messages, puts and gets through the rank's one endpoint of libfabric.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink::ofi {

void check(long rc, const char* call);

struct Closes {
  template <class Fid>
  void operator()(Fid* fid) const {
    fi_close(&fid->fid);
  }
};
template <class Fid>
using Owned = std::unique_ptr<Fid, Closes>;

enum class What : std::uint8_t { send, receive, put, get };

// A memory of the peer, addressed as the peer's library requires.
struct Far {
  std::uint64_t at = 0, bytes = 0, key = 0;
};

// One message, put or get in flight. libfabric keeps the address of `context` until it is done.
struct Op {
  fi_context2 context{};
  void* at = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;
  What what = What::send;
  bool done = false;
  int error = 0;
  std::uint64_t far = 0;  // of a put or a get: the place in the peer's memory
};

struct Endpoint {
  Owned<fid_fabric> fabric;
  Owned<fid_domain> domain;
  Owned<fid_mr> out_memory, in_memory;  // null: the provider needs no registration
  Owned<fid_av> addresses;
  Owned<fid_cq> completions;
  Owned<fid_ep> ep;

  bool progress() const;  // returns whether anything moved, on any link
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
  int start_recv(Slice slice) override;
  int start_put(Slice slice, std::size_t at) override;
  int start_get(Slice slice, std::size_t at) override;
  Outcome wait(int ticket, Seconds until) override;
  Outcome flush(Seconds until) override;
  Outcome meet(Seconds until) override;
  Outcome close(Seconds) override;

 private:
  int start(What what, std::byte* at, std::size_t bytes, std::uint64_t tag, std::uint64_t far = 0);
  Outcome noted(Outcome outcome);
  bool push(std::deque<Op*>& queue);
  ssize_t post(Op& op) const;

  const Endpoint& endpoint_;
  const fi_addr_t peer_;
  const Far far_out_, far_in_;
  const std::uint64_t ours_, theirs_;
  const bool one_sided_;
  std::byte *const out_, *const in_;
  Waiter waiter_;
  std::deque<Op> ops_;
  std::deque<Op*> leaving_, receives_;  // not yet accepted by the provider
  int base_ = 0;
  std::optional<int> flush_end_;  // end of the tickets that the flush in flight covers
  bool settled_ = true;           // nothing was late or broken since the last meeting
};

}  // namespace everylink::ofi
