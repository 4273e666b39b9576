// One end of one flow: what it does next, whenever it is asked.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "load/flows.hpp"
#include "load/meter.hpp"

namespace everylink {

class FlowDriver {
 public:
  struct Context {
    std::uint32_t flow;
    bool sends;
    int lane, turn;
    const FlowLayout& layout;
    Seconds duration;
    std::uint64_t messages;  // of a bulk flow; 0: as many as fit into the duration
    Transport& transport;
    VirtualTime* virtual_time;  // of the transport; null: it has none
    bool waits_in_turn;         // for one link after the other, because none can be tested
    Memory &out, &in;
  };
  FlowDriver(const Context& context, std::unique_ptr<Link> link)
      : c_(context), apart_(context.waits_in_turn), link_(std::move(link)) {
    seen_.flow = context.flow;
    seen_.sends = context.sends;
  }
  virtual ~FlowDriver() = default;
  FlowDriver(const FlowDriver&) = delete;
  FlowDriver& operator=(const FlowDriver&) = delete;

  virtual void prepare() = 0;  // what must stand ready before the peer begins
  void begin(Seconds until);   // from here on `step` may be called
  virtual bool step() = 0;     // one block at most; says whether anything moved
  bool is_open() const { return open_; }
  bool sends() const { return c_.sends; }
  virtual void end(Outcome);  // before its end
  FlowEnd seen();

  int turn() const { return c_.turn; }
  Link& link() { return *link_; }
  bool is_well() const { return seen_.outcome == Outcome::ok; }
  void bury() { static_cast<void>(link_.release()); }  // a library may still hold it

 protected:
  virtual void begun() {}
  virtual Seconds seconds() const { return meter_.seconds(); }  // that so many messages took:
  virtual std::uint64_t messages() const { return meter_.messages(); }
  // A test, or a wait where made-up time has no tests. A fault ends the flow.
  bool done(int ticket);
  bool done_first(std::deque<int>& tickets);  // and takes it out
  Seconds now() const { return c_.virtual_time ? c_.virtual_time->now_on(*link_) : c_.transport.now(); }
  bool is_time_over() const { return now() >= stop_; }
  void write_note(Slice message, bool goes_on);  // into its first bytes
  bool reads_on(Slice message) const;

  const Context c_;
  const bool apart_;
  std::unique_ptr<Link> link_;
  bool open_ = true;
  Seconds stop_ = 0, until_ = 0;
  FlowEnd seen_;
  Meter meter_;
  std::vector<float> times_;
};

std::unique_ptr<FlowDriver> make_driver(const FlowDriver::Context&, std::unique_ptr<Link>, FlowKind);

}  // namespace everylink
