// mpi: MPI_Isend and MPI_Irecv, polled, with our own limits; MPI_Rput and MPI_Rget through one window of all
// ranks. Each ABI of MPI has its own module.
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "host/mpi_api.hpp"
#include "memory/memory.hpp"
#include "transport/mpi/mpi_window.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

using namespace mpi;

// Calls call(count, type) for a message of `bytes`. Above 2 GiB the type consists of large pieces.
template <class Call>
int with_count(std::size_t bytes, Call call) {
  if (bytes <= std::numeric_limits<int>::max()) return call(static_cast<int>(bytes), MPI_BYTE);
  constexpr int piece = 1 << 30;
  const int pieces = static_cast<int>(bytes / piece), rest = static_cast<int>(bytes % piece);
  MPI_Datatype large, whole;
  check(MPI_Type_contiguous(piece, MPI_BYTE, &large), "MPI_Type_contiguous");
  MPI_Datatype types[] = {large, MPI_BYTE};
  int lengths[] = {pieces, rest};
  MPI_Aint offsets[] = {0, MPI_Aint{pieces} * piece};
  check(MPI_Type_create_struct(2, lengths, offsets, types, &whole), "MPI_Type_create_struct");
  check(MPI_Type_commit(&whole), "MPI_Type_commit");
  const int rc = call(1, whole);
  MPI_Type_free(&whole);
  MPI_Type_free(&large);
  return rc;
}

// Whether a rank on a crowded machine must give up its core itself between two polls. Open MPI does so in
// each MPI_Test where nothing moves, and a second yield is one more switch of processes between two looks.
// Now and then some polls pass without a yield, and the kernel says how often the core was given up.
class Yields {
 public:
  bool are_ours() {
    const unsigned at = polls_++ % period;
    if (at == 0) before_ = switches();
    if (at == asked) ours_ = switches() - before_ < asked / 2;
    return at >= asked && ours_;
  }

 private:
  static long switches() {
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
  }
  static constexpr unsigned period = 512, asked = 32;
  unsigned polls_ = 0;
  long before_ = 0;
  bool ours_ = true;
};

// A memory of the peer.
struct Far {
  MPI_Aint at = 0;
  std::uint64_t bytes = 0;
};

class MpiLink final : public Link, public OneSided {
 public:
  MpiLink(int peer, int tag, const Setup& setup, bool block, MPI_Win window, const Far& far_out,
          const Far& far_in, Yields& yields)
      : peer_(peer),
        tag_(tag),
        window_(window),
        far_out_(far_out),
        far_in_(far_in),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        block_(block),
        crowded_(setup.crowded),
        yields_(yields),
        waiter_(setup.crowded) {}

  int start_send(Slice slice) override {
    MPI_Request* request = open_ticket();
    check(with_count(slice.bytes,
                     [&](int count, MPI_Datatype type) {
                       return MPI_Isend(out_ + slice.offset, count, type, peer_, tag_, MPI_COMM_WORLD,
                                        request);
                     }),
          "MPI_Isend");
    return last_ticket();
  }

  int start_recv(Slice slice) override {
    MPI_Request* request = open_ticket();
    check(with_count(slice.bytes,
                     [&](int count, MPI_Datatype type) {
                       return MPI_Irecv(in_ + slice.offset, count, type, peer_, tag_, MPI_COMM_WORLD,
                                        request);
                     }),
          "MPI_Irecv");
    return last_ticket();
  }

  int start_put(Slice slice, std::size_t at) override {
    if (!lies_within(far_in_.bytes, {at, slice.bytes})) return no_ticket;
    const MPI_Aint there = MPI_Aint_add(far_in_.at, static_cast<MPI_Aint>(at));
    MPI_Request* request = open_ticket(true);
    check(with_count(slice.bytes,
                     [&](int count, MPI_Datatype type) {
                       return MPI_Rput(out_ + slice.offset, count, type, peer_, there, count, type, window_,
                                       request);
                     }),
          "MPI_Rput");
    return last_ticket();
  }

  int start_get(Slice slice, std::size_t at) override {
    if (!lies_within(far_out_.bytes, {at, slice.bytes})) return no_ticket;
    const MPI_Aint there = MPI_Aint_add(far_out_.at, static_cast<MPI_Aint>(at));
    MPI_Request* request = open_ticket(true);
    check(with_count(slice.bytes,
                     [&](int count, MPI_Datatype type) {
                       return MPI_Rget(in_ + slice.offset, count, type, peer_, there, count, type, window_,
                                       request);
                     }),
          "MPI_Rget");
    return last_ticket();
  }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket == no_ticket) return Outcome::broken;
    if (ticket < base_) return Outcome::ok;
    MPI_Request& request = open_[static_cast<std::size_t>(ticket - base_)].request;
    if (block_) return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? Outcome::ok : Outcome::broken;
    for (auto wait = waiter_.until(until);;) {
      int done = 0;
      if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return noted(Outcome::broken);
      if (done) break;
      if (wait.is_over(MPI_Wtime)) return noted(Outcome::timeout);
      if (!crowded_ || yields_.are_ours()) wait.nothing_moved();
    }
    for (; !open_.empty() && open_.front().request == MPI_REQUEST_NULL; ++base_) open_.pop_front();
    return Outcome::ok;
  }

  // MPI has no flush with a limit, so this first waits, with the limit, for the requests: large puts to a
  // peer that does not answer do not complete.
  Outcome flush(Seconds until) override {
    if (!flush_end_) flush_end_ = last_ticket() + 1;
    for (int ticket = base_; ticket < *flush_end_; ++ticket) {
      if (ticket < base_ || !open_[static_cast<std::size_t>(ticket - base_)].one_sided) continue;
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    }
    flush_end_.reset();
    return noted(MPI_Win_flush(peer_, window_) == MPI_SUCCESS ? Outcome::ok : Outcome::broken);
  }

  // The token is a synchronous send: when it completes, the peer has it, and this rank may stop calling MPI.
  Outcome meet(Seconds until) override { return exchange_tokens(MPI_Issend, "MPI_Issend", until); }
  Outcome begin(Seconds until) override { return exchange_tokens(MPI_Isend, "MPI_Isend", until); }

  // A request that survives its cancellation writes into our buffers much later (measured), so the link is
  // not ok. Nor is it ok if a peer that missed the last meeting may still put.
  Outcome close(Seconds until) override {
    if (window_ != MPI_WIN_NULL && !settled_) return Outcome::timeout;
    for (auto& [request, one_sided] : open_)
      if (request != MPI_REQUEST_NULL && !one_sided) MPI_Cancel(&request);
    const Seconds patience = std::min(until, MPI_Wtime() + 0.1);
    for (auto& [request, one_sided] : open_)
      for (int done = 0; request != MPI_REQUEST_NULL;) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return Outcome::broken;
        if (!done && MPI_Wtime() >= patience) return Outcome::timeout;
      }
    return Outcome::ok;
  }

 private:
  struct Open {
    MPI_Request request;
    bool one_sided;  // MPI cannot cancel these
  };
  MPI_Request* open_ticket(bool one_sided = false) {
    open_.push_back({MPI_REQUEST_NULL, one_sided});
    return &open_.back().request;
  }
  Outcome exchange_tokens(decltype(&MPI_Isend) send, const char* name, Seconds until) {
    MPI_Request* request = open_ticket();
    check(MPI_Irecv(nullptr, 0, MPI_BYTE, peer_, tag_ + 1, MPI_COMM_WORLD, request), "MPI_Irecv");
    const int in = last_ticket();
    request = open_ticket();
    check(send(nullptr, 0, MPI_BYTE, peer_, tag_ + 1, MPI_COMM_WORLD, request), name);
    const int out = last_ticket();
    for (const int ticket : {in, out})
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    settled_ = true;
    return Outcome::ok;
  }
  int last_ticket() const { return base_ + static_cast<int>(open_.size()) - 1; }
  Outcome noted(Outcome outcome) {
    settled_ &= outcome == Outcome::ok;
    return outcome;
  }

  const int peer_, tag_;
  const MPI_Win window_;
  const Far far_out_, far_in_;
  std::byte *const out_, *const in_;
  const bool block_, crowded_;
  Yields& yields_;
  Waiter waiter_;
  std::deque<Open> open_;
  int base_ = 0;
  std::optional<int> flush_end_;  // end of the tickets that the flush in flight covers
  bool settled_ = true;           // nothing was late or broken since the last meeting
};

// Both are extensions, of Open MPI and of MPICH.
bool is_cuda_aware() {
  if (auto* const of_open_mpi = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support")))
    return of_open_mpi() == 1;
  constexpr int cuda = 0;  // MPIX_GPU_SUPPORT_CUDA
  auto* const of_mpich =
      reinterpret_cast<int (*)(int, int*)>(::dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support"));
  int is_supported = 0;
  return of_mpich && of_mpich(cuda, &is_supported) == MPI_SUCCESS && is_supported;
}

bool blocks(const Settings& options) { return setting(options, "wait") == "block"; }

class Mpi final : public Transport {
 public:
  explicit Mpi(const Setup& setup) : setup_(setup), block_(blocks(setup.options)) {
    refuse_unknown_options(setup.options, "mpi", {"wait"});
    const auto wait = setting(setup.options, "wait");
    if (!wait.empty() && wait != "block" && wait != "poll")
      throw UsageError("--mode mpi:wait must be poll or block");
    int running = 0;
    MPI_Initialized(&running);
    if (!running)
      throw UsageError("--mode mpi: MPI did not start these ranks; start them with mpirun or srun");
    if (setup.out.region().is_of_gpu() && !is_cuda_aware())
      throw UsageError(
          "--mode mpi: this MPI says that it cannot send memory of a GPU (MPIX_Query_cuda_support, "
          "MPIX_GPU_query_support)");
    int* upper = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found), "MPI_Comm_get_attr");
    epochs_ = static_cast<std::uint64_t>(found ? *upper : 32767) / 2;
    window_.emplace(setup, block_);
  }

  Seconds now() const override { return MPI_Wtime(); }

  Carrier carrier() const override { return {.libraries = mpi_library_version()}; }

  Blob offer(int, std::uint64_t) override {
    Packer offer;
    window_->pack(offer);
    return offer.take();
  }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    Unpacker in(peer_offer);
    Far far[2];  // out, in
    for (auto& [at, bytes] : far) {
      at = in.get<MPI_Aint>();
      bytes = in.get<std::uint64_t>();
    }
    in.end();
    return {std::make_unique<MpiLink>(peer, static_cast<int>(epoch % epochs_) * 2, setup_, block_,
                                      window_->handle(), far[0], far[1], yields_)};
  }

 private:
  const Setup setup_;
  const bool block_;
  std::uint64_t epochs_ = 0;
  std::optional<Window> window_;
  Yields yields_;
};

// An MPI_Alltoall with a limit: every rank sends `bytes` to every rank.
AllToAll make_all_to_all(int size) {
  return [size, out = Blob(), in = Blob()](std::size_t bytes, Seconds until) mutable {
    out.resize(bytes * static_cast<std::size_t>(size));
    in.resize(out.size());
    const Seconds begin = MPI_Wtime();
    MPI_Request request;
    check(with_count(bytes,
                     [&](int count, MPI_Datatype type) {
                       return MPI_Ialltoall(out.data(), count, type, in.data(), count, type, MPI_COMM_WORLD,
                                            &request);
                     }),
          "MPI_Ialltoall");
    for (int done = 0;;) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done) return MPI_Wtime() - begin;
      if (MPI_Wtime() >= until) return std::numeric_limits<Seconds>::quiet_NaN();
    }
  };
}

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "mpi",
    .summary = "MPI_Isend and MPI_Irecv, MPI_Rput and MPI_Rget of the launcher's MPI; wait=poll|block",
    .why_unusable = always_usable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Mpi>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<MpiLink&>(link); },
    .one_sided_by = "MPI",
    .all_to_all = make_all_to_all,
    .blocks = blocks,
    .gpu_memory = true,
    .steps_ahead = true};

}  // namespace everylink
