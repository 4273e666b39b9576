#include "transport/cuda/cuda_link.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"

namespace everylink::cuda {
namespace {

constexpr unsigned non_blocking = 1, without_timing = 2;  // CU_STREAM_NON_BLOCKING, CU_EVENT_DISABLE_TIMING
constexpr unsigned reaches = 0;                           // CU_STREAM_WAIT_VALUE_GEQ, in 32-bit circles
constexpr unsigned after_all_before = 0;  // CU_STREAM_WRITE_VALUE_DEFAULT: a fence for the system

}  // namespace

Stream::Stream(const Device& device) : device_(device) {
  device_.check(device_.driver().make_stream(&stream_, non_blocking), "cuStreamCreate");
}

// Work that is still in it goes on; nobody waits.
Stream::~Stream() { device_.driver().destroy_stream(stream_); }

void Stream::wait_until(Pointer flag, std::uint32_t at_least) {
  device_.check(device_.driver().wait_for_word(stream_, flag, at_least, reaches), "cuStreamWaitValue32");
}

void Stream::write(Pointer flag, std::uint32_t value) {
  device_.check(device_.driver().write_word(stream_, flag, value, after_all_before), "cuStreamWriteValue32");
}

void Stream::copy(Pointer to, Pointer from, std::size_t bytes, CopyBy by) {
  if (bytes == 0) return;
  if (by == CopyBy::engine)
    return device_.check(device_.driver().copy(to, from, bytes, stream_), "cuMemcpyAsync");
  constexpr unsigned threads = 512, bytes_per_thread = 16;
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(
      bytes / bytes_per_thread / threads, 1, static_cast<std::size_t>(2 * device_.multiprocessors())));
  std::uint64_t length = bytes;
  std::array<void*, 3> arguments{&to, &from, &length};
  device_.check(device_.driver().launch(device_.functions().copy, blocks, 1, 1, threads, 1, 1, 0, stream_,
                                        arguments.data(), nullptr),
                "cuLaunchKernel");
}

void Stream::record(Handle event) { device_.check(device_.driver().record(event, stream_), "cuEventRecord"); }

CudaShared::~CudaShared() {
  for (const auto event : events) device.driver().destroy_event(event);
}

CudaLink::CudaLink(std::shared_ptr<CudaShared> shared, const Setup& setup, std::uint32_t own_place,
                   const CudaOffer& theirs, const OpenedPeers::Memories& peer)
    : shared_(std::move(shared)),
      place_(own_place),
      own_(shared_->flags.flags(own_place)),
      theirs_(Flags::at(peer.flags + theirs.place * Flags::bytes)),
      out_(reinterpret_cast<Pointer>(setup.out.region().at)),
      in_(reinterpret_cast<Pointer>(setup.in.region().at)),
      peer_(peer),
      peer_out_bytes_(theirs.out_bytes),
      peer_in_bytes_(theirs.in_bytes),
      waiter_(setup.crowded),
      sends_(shared_->device),
      receives_(shared_->device),
      meetings_(shared_->device) {
  if (setup.one_sided) one_sided_.emplace(shared_->device);
}

CudaLink::~CudaLink() {
  for (auto& ticket : tickets_)
    if (ticket.event) shared_->device.driver().destroy_event(ticket.event);
}

int CudaLink::open_ticket(Stream& stream, Pointer flag, std::uint32_t value) {
  settled_ = false;
  Handle event = nullptr;
  if (shared_->events.empty()) {
    shared_->device.check(shared_->device.driver().make_event(&event, without_timing), "cuEventCreate");
  } else {
    event = shared_->events.back();
    shared_->events.pop_back();
  }
  tickets_.push_back({.event = event, .flag = flag, .value = value});
  stream.record(event);
  return base_ + static_cast<int>(tickets_.size()) - 1;
}

// The message goes to where the peer's receive of the same number lies: contracts say that this is the same
// place.
int CudaLink::start_send(Slice slice) {
  sends_.wait_until(own_.posted, ++sent_);
  sends_.copy(peer_.in + slice.offset, out_ + slice.offset, slice.bytes, shared_->copy_by);
  sends_.write(theirs_.arrived, sent_);
  return open_ticket(sends_);
}

int CudaLink::start_send_after(int after, Slice slice) {
  if (after >= base_) sends_.wait_until(ticket_of(after).flag, ticket_of(after).value);
  return start_send(slice);
}

int CudaLink::start_recv(Slice) {
  shared_->signals.write(theirs_.posted, ++received_);
  receives_.wait_until(own_.arrived, received_);
  return open_ticket(receives_, own_.arrived, received_);
}

int CudaLink::hold() {
  ++held_;
  tickets_.push_back({.event = nullptr, .flag = own_.held(), .value = held_});
  return base_ + static_cast<int>(tickets_.size()) - 1;
}

void CudaLink::release(int held) { shared_->signals.write(own_.held(), ticket_of(held).value); }

int CudaLink::start_put(Slice slice, std::size_t at) {
  if (!lies_within(peer_in_bytes_, {at, slice.bytes})) return no_ticket;
  one_sided_->copy(peer_.in + at, out_ + slice.offset, slice.bytes, shared_->copy_by);
  const int ticket = open_ticket(*one_sided_);
  tickets_.back().is_put = true;
  return ticket;
}

int CudaLink::start_get(Slice slice, std::size_t at) {
  if (!lies_within(peer_out_bytes_, {at, slice.bytes})) return no_ticket;
  one_sided_->copy(in_ + slice.offset, peer_.out + at, slice.bytes, shared_->copy_by);
  return open_ticket(*one_sided_);
}

bool CudaLink::is_done(Ticket& ticket) {
  if (!ticket.event) return true;
  if (!shared_->device.is_done(shared_->device.driver().query_event(ticket.event), "a copy between GPUs"))
    return false;
  shared_->events.push_back(ticket.event);
  ticket.event = nullptr;
  return true;
}

// The GPU goes on with everything that was started, whatever is waited for.
Outcome CudaLink::wait(int number, Seconds until) {
  if (number == no_ticket) return Outcome::broken;
  if (number < base_) return Outcome::ok;
  for (auto wait = waiter_.until(until); !is_done(tickets_[static_cast<std::size_t>(number - base_)]);) {
    if (wait.is_over(steady_now)) return noted(Outcome::timeout);
    wait.nothing_moved();
  }
  forget_done();
  return Outcome::ok;
}

void CudaLink::forget_done() {
  for (; !tickets_.empty() && !tickets_.front().event; ++base_) tickets_.pop_front();
}

// A put is done once the copy is: its bytes are in the peer's memory.
Outcome CudaLink::flush(Seconds until) {
  for (int i = base_, end = base_ + static_cast<int>(tickets_.size()); i < end; ++i) {
    if (i < base_ || !ticket_of(i).is_put) continue;
    if (const auto outcome = wait(i, until); outcome != Outcome::ok) return outcome;
  }
  return Outcome::ok;
}

Outcome CudaLink::meet(Seconds until) {
  shared_->signals.write(theirs_.met, ++met_);
  meetings_.wait_until(own_.met, met_);
  const int ticket = open_ticket(meetings_);
  if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
  settled_ = true;
  return Outcome::ok;
}

// Unless both have met since all that was started, the peer may still write into our memories, which nothing
// takes from it, and our streams may still wait for it.
Outcome CudaLink::close(Seconds until) {
  bool is_done = settled_;
  for (int i = base_, end = base_ + static_cast<int>(tickets_.size()); is_done && i < end; ++i)
    is_done = wait(i, until) == Outcome::ok;
  if (!is_done) {
    shared_->device.never_free();
    return Outcome::timeout;
  }
  shared_->flags.give_back(place_);
  return Outcome::ok;
}

Outcome CudaLink::noted(Outcome outcome) {
  settled_ &= outcome == Outcome::ok;
  return outcome;
}

}  // namespace everylink::cuda
