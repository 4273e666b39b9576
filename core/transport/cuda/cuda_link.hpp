// A link between two GPUs of a host, or of an NVLink domain. The sender's GPU copies into the receiver's
// memory and then writes a flag there; streams of the receiver's GPU wait for it. The processor starts work
// and asks whether it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "memory/cuda/driver.hpp"
#include "transport/cuda/cuda_peers.hpp"
#include "transport/transport.hpp"
#include "transport/waiter.hpp"

namespace everylink::cuda {

// What moves the bytes: a copy engine, or a kernel on the multiprocessors.
enum class CopyBy { engine, sm };

// A stream of a GPU. What is started in it runs in order.
class Stream {
 public:
  explicit Stream(const Device&);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void wait_until(Pointer flag, std::uint32_t at_least);
  void write(Pointer flag, std::uint32_t value);
  void copy(Pointer to, Pointer from, std::size_t bytes, CopyBy);
  void record(Handle event);

 private:
  const Device& device_;
  Handle stream_ = nullptr;
};

// What links of one transport share. Signals, which never wait, have one stream for all links: a GPU has 32
// queues, and where more streams share them, one that waits for a peer can hold up another.
struct CudaShared {
  const Device& device;
  FlagBlock flags;
  OpenedPeers peers;
  CopyBy copy_by;
  Stream signals;              // to peers: receives that are posted, meetings
  std::vector<Handle> events;  // not in use
  CudaShared(const Device& of, CopyBy by, bool for_hosts)
      : device(of), flags(of, for_hosts), peers(of), copy_by(by), signals(of) {}
  ~CudaShared();
  CudaShared(const CudaShared&) = delete;
  CudaShared& operator=(const CudaShared&) = delete;
};

class CudaLink final : public Link, public OneSided, public Chained {
 public:
  CudaLink(std::shared_ptr<CudaShared>, const Setup&, std::uint32_t own_place, const CudaOffer& theirs,
           const OpenedPeers::Memories&);
  ~CudaLink() override;

  int start_send(Slice) override;
  int start_recv(Slice) override;
  Outcome wait(int ticket, Seconds until) override;
  Outcome meet(Seconds until) override;
  Outcome close(Seconds until) override;

  int start_put(Slice of_out, std::size_t at) override;
  int start_get(Slice of_in, std::size_t at) override;
  Outcome flush(Seconds until) override;

  int hold() override;
  void release(int held) override;
  int start_send_after(int after, Slice of_out) override;

 private:
  // Done once the event is, or if it has none.
  struct Ticket {
    Handle event = nullptr;
    Pointer flag = 0;         // what another stream waits for to go on after it
    std::uint32_t value = 0;  // ... to reach
    bool is_put = false;
  };
  int open_ticket(Stream&, Pointer flag = 0, std::uint32_t value = 0);
  const Ticket& ticket_of(int number) const { return tickets_[static_cast<std::size_t>(number - base_)]; }
  bool is_done(Ticket&);
  void forget_done();
  Outcome noted(Outcome);

  const std::shared_ptr<CudaShared> shared_;
  const std::uint32_t place_;
  const Flags own_, theirs_;
  const Pointer out_, in_;  // our memories
  const OpenedPeers::Memories peer_;
  const std::uint64_t peer_out_bytes_, peer_in_bytes_;
  Waiter waiter_;
  Stream sends_, receives_, meetings_;
  std::optional<Stream> one_sided_;  // if puts and gets were asked for
  std::uint32_t sent_ = 0, received_ = 0, met_ = 0, held_ = 0;
  std::deque<Ticket> tickets_;
  int base_ = 0;
  bool settled_ = true;  // nothing was started, late or broken since the last meeting
};

}  // namespace everylink::cuda
