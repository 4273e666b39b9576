// One end of one flow, as a state machine that the loop of a rank drives.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/host_reading.hpp"
#include "base/outcome.hpp"
#include "base/seconds.hpp"
#include "load/flows.hpp"
#include "load/meter.hpp"

namespace everylink {

class FlowDriver {
 public:
  struct Context {
    std::uint32_t flow;  // its index in the scene
    bool sends;
    int lane, turn;
    const FlowLayout& layout;
    Seconds duration;
    std::uint64_t messages;  // of a bulk flow; 0: as many as fit in the duration
    Transport& transport;
    VirtualTime* virtual_time;  // of the transport; null: it uses real time
    bool waits_in_turn;         // the transport can wait for a ticket, but not test it
    Memory &out, &in;
    std::optional<std::uint64_t> contents;  // of the first and the last message: Flows::Work
  };
  FlowDriver(const Context& context, std::unique_ptr<Link> link) : c_(context), link_(std::move(link)) {
    result_.flow = context.flow;
    result_.sends = context.sends;
  }
  virtual ~FlowDriver() = default;
  FlowDriver(const FlowDriver&) = delete;
  FlowDriver& operator=(const FlowDriver&) = delete;

  // If contents are verified: writes those of the first and the last message, before the peer begins, and
  // verifies what came of them, after the flow has ended. Their buffers may hold later and earlier messages.
  virtual void write_ends() = 0;
  virtual void verify_ends() = 0;
  virtual void prepare() = 0;         // posts the receives that must be ready before the peer begins
  virtual void begin(Seconds until);  // `step` may be called from now on
  virtual bool step() = 0;            // makes progress by at most one block; false: nothing was ready
  bool is_open() const { return open_; }
  bool sends() const { return c_.sends; }
  virtual void end(Outcome);  // ends it early
  virtual Carried carried() const = 0;
  FlowEnd result();

  int turn() const { return c_.turn; }
  Link& link() { return *link_; }
  const Link& link() const { return *link_; }
  std::uint32_t flow() const { return c_.flow; }
  bool is_ok() const { return result_.outcome == Outcome::ok; }
  bool is_whole() const { return !ended_early_; }  // it ran to its end, even if contents were wrong
  // A link that could not be closed is never freed: a library may still hold it.
  void abandon() { static_cast<void>(link_.release()); }

 protected:
  virtual std::uint64_t messages() const { return meter_.messages(); }
  virtual Seconds seconds() const { return meter_.seconds(); }  // that these messages took
  // Tests the ticket, or waits for it if `waits_in_turn`. A fault ends the flow.
  bool is_done(int ticket);
  bool pop_done(std::deque<int>& tickets);  // removes the first ticket if it is done
  Seconds now() const { return c_.virtual_time ? c_.virtual_time->now_on(*link_) : c_.transport.now(); }
  // Whether the flow may end, given the number of messages it has sent.
  bool has_enough(std::uint64_t messages) const;
  // A message whose number is odd or even, or the first of a block with such a number, begins with a note: it
  // says whether the next one but one exists. A note that is written already is not written again, as a copy
  // to a GPU takes time. One that says nothing has wrong contents, which end the flow.
  void write_note(std::uint64_t number, Slice message, bool continues);
  bool is_followed(Slice message);
  // The contents of a message depend on its place, which is the same at both ends, and which several flows
  // may use. In a scene with pings that are longer than a note, they leave room for one.
  void write_contents(Slice message);
  void verify_contents(Slice message);
  void verify(Slice arrived, std::uint64_t seed);  // wrong contents do not end the flow

  Slice without_note(Slice message) const;
  std::uint64_t bytes_of_block() const {
    return note_bytes + static_cast<std::uint64_t>(c_.layout.window) * c_.layout.bytes;
  }
  std::uint64_t bytes_of_ping() const { return c_.layout.ping(c_.lane, 0).bytes; }

  const Context c_;
  const bool waits_in_turn_ = c_.waits_in_turn;
  std::unique_ptr<Link> link_;
  bool open_ = true, ended_early_ = false;
  Seconds stop_ = 0, until_ = 0;
  FlowEnd result_;
  Meter meter_;
  std::vector<float> times_;
  std::array<std::uint64_t, 2> notes_{};  // as last written; 0: not yet
};

std::unique_ptr<FlowDriver> make_driver(const FlowDriver::Context&, std::unique_ptr<Link>, FlowKind);

}  // namespace everylink
