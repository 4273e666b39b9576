// One end of one flow, as a state machine that the loop of a rank drives.
#pragma once

#include <deque>
#include <memory>
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
  };
  FlowDriver(const Context& context, std::unique_ptr<Link> link) : c_(context), link_(std::move(link)) {
    result_.flow = context.flow;
    result_.sends = context.sends;
  }
  virtual ~FlowDriver() = default;
  FlowDriver(const FlowDriver&) = delete;
  FlowDriver& operator=(const FlowDriver&) = delete;

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
  // The first bytes of a message say whether another one follows.
  void write_note(Slice message, bool continues);
  bool is_followed(Slice message) const;

  std::uint64_t bytes_of_block() const {
    return note_bytes + static_cast<std::uint64_t>(c_.layout.window) * c_.layout.bytes;
  }
  std::uint64_t bytes_of_ping() const { return c_.layout.ping(c_.lane, 0).bytes; }

  const Context c_;
  const bool waits_in_turn_ = c_.waits_in_turn;
  std::unique_ptr<Link> link_;
  bool open_ = true;
  Seconds stop_ = 0, until_ = 0;
  FlowEnd result_;
  Meter meter_;
  std::vector<float> times_;
};

std::unique_ptr<FlowDriver> make_driver(const FlowDriver::Context&, std::unique_ptr<Link>, FlowKind);

}  // namespace everylink
