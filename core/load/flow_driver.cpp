// The two ends of a bulk flow and of a ping. docs/decisions/0050-the-end-of-a-flow.md explains how they agree
// on the end.
#include "load/flow_driver.hpp"

#include <cmath>

#include "base/random.hpp"

namespace everylink {
namespace {

constexpr Slice receipt{0, 0};
constexpr std::uint64_t blocks_ahead = 2;
constexpr std::uint64_t continues_note = mix(1), ends_note = mix(2);

// Sends block after block, with at most two blocks that have no receipt yet.
class BulkSender final : public FlowDriver {
 public:
  using FlowDriver::FlowDriver;
  void write_ends() override {
    write_contents(c_.layout.slot(c_.lane, 0, 0));
    for (std::uint64_t block = 0; block < blocks_ahead; ++block)
      write_contents(c_.layout.slot(c_.lane, block, c_.layout.window - 1));
  }
  void verify_ends() override {}  // receipts have no contents
  void prepare() override {
    for (std::uint64_t block = 0; block < blocks_ahead; ++block) {
      write_note(block, c_.layout.note(c_.lane, block), true);
      receipts_.push_back(link_->start_recv(receipt));
    }
  }
  bool step() override {
    bool moved = false;
    if (!may_send() && received_ < sent_) {
      if (!pop_done(receipts_)) return false;
      meter_.read(now(), ++received_ * static_cast<std::uint64_t>(c_.layout.window));
      moved = true;
    }
    while (out_.size() > (sent_ - received_) * tickets_per_block()) {
      if (!pop_done(out_)) return moved;
      moved = true;
    }
    if (may_send())
      send_block();
    else if (received_ < sent_)
      return moved;
    else
      open_ = false;
    return true;
  }
  Carried carried() const override { return {.sent = sent_ * bytes_of_block(), .received = 0}; }

 private:
  bool may_send() const { return sent_ < blocks_ && sent_ < received_ + blocks_ahead; }
  std::uint64_t window() const { return static_cast<std::uint64_t>(c_.layout.window); }
  std::size_t tickets_per_block() const { return static_cast<std::size_t>(c_.layout.window) + 1; }

  // The note of a block says whether the block after the next one exists, so the peer can post its receives
  // in time.
  void send_block() {
    const bool continues = c_.messages ? blocks_ * window() < c_.messages : !has_enough(sent_ * window());
    if (continues) {
      blocks_ = sent_ + blocks_ahead + 1;
      receipts_.push_back(link_->start_recv(receipt));
    }
    const Slice note = c_.layout.note(c_.lane, sent_);
    write_note(sent_, note, continues);
    out_.push_back(link_->start_send(note));
    for (int i = 0; i < c_.layout.window; ++i)
      out_.push_back(link_->start_send(c_.layout.slot(c_.lane, sent_, i)));
    ++sent_;
  }

  std::deque<int> out_, receipts_;
  std::uint64_t blocks_ = blocks_ahead, sent_ = 0, received_ = 0;  // received_: receipts
};

class BulkReceiver final : public FlowDriver {
 public:
  using FlowDriver::FlowDriver;
  void write_ends() override {}
  void verify_ends() override {
    verify_contents(c_.layout.slot(c_.lane, 0, 0));
    verify_contents(c_.layout.slot(c_.lane, block_ - 1, c_.layout.window - 1));
  }
  void prepare() override {
    for (std::uint64_t block = 0; block < blocks_ahead; ++block) make_ready(block);
  }
  bool step() override {
    if (block_ == blocks_) return leave();
    bool moved = false;
    while (arrived_ <= c_.layout.window) {
      if (!pop_done(in_)) return moved;
      // While the rest of the block arrives: of a GPU's memory the note must be copied.
      if (arrived_++ == 0) continues_ = is_followed(c_.layout.note(c_.lane, block_));
      moved = true;
    }
    end_block();
    return true;
  }
  Carried carried() const override { return {.sent = 0, .received = block_ * bytes_of_block()}; }

 private:
  void make_ready(std::uint64_t block) {
    in_.push_back(link_->start_recv(c_.layout.note(c_.lane, block)));
    for (int i = 0; i < c_.layout.window; ++i)
      in_.push_back(link_->start_recv(c_.layout.slot(c_.lane, block, i)));
  }

  void end_block() {
    meter_.read(now(), (block_ + 1) * static_cast<std::uint64_t>(c_.layout.window));
    if (continues_) {
      blocks_ = block_ + blocks_ahead + 1;
      make_ready(block_ + blocks_ahead);
    }
    while (!receipts_.empty() && pop_done(receipts_)) continue;
    receipts_.push_back(link_->start_send(receipt));
    ++block_;
    arrived_ = 0;
  }

  bool leave() {
    if (!receipts_.empty() && !pop_done(receipts_)) return false;
    open_ = !receipts_.empty();
    return true;
  }

  std::deque<int> in_, receipts_;
  std::uint64_t blocks_ = blocks_ahead, block_ = 0;
  int arrived_ = 0;         // messages of this block, including its note
  bool continues_ = false;  // what the note says
};

// What both ends of a ping share. Each message says whether the next one but one exists, so that the follower
// answers before it looks.
class Ping : public FlowDriver {
 public:
  using FlowDriver::FlowDriver;
  void write_ends() override {
    for (std::uint64_t lap = 0; lap < laps_ahead && has_contents(); ++lap) write_contents(message(lap));
  }
  void verify_ends() override {
    for (const std::uint64_t lap : {std::uint64_t{0}, lap_ - 1})
      if (has_contents()) verify_contents(message(lap));
  }

 protected:
  static constexpr std::uint64_t laps_ahead = 2;
  Slice message(std::uint64_t lap) const { return c_.layout.ping(c_.lane, lap); }
  bool has_contents() const { return c_.layout.ping_bytes > note_bytes; }

  std::deque<int> out_;
  std::uint64_t laps_ = laps_ahead, lap_ = 0;
};

// Holds the clock: sends a message and waits for its echo.
class PingLeader final : public Ping {
 public:
  using Ping::Ping;
  void verify_ends() override {
    Ping::verify_ends();
    for (const std::uint64_t lap : {std::uint64_t{0}, lap_ - 1})
      if (!is_followed(message(lap))) result_.outcome = Outcome::corrupt;
  }
  void prepare() override {
    for (std::uint64_t lap = 0; lap < laps_ahead; ++lap) write_note(lap, message(lap), true);
  }
  void begin(Seconds until) override {
    FlowDriver::begin(until);
    if (!c_.virtual_time) warm_ = stop_ - c_.duration * 4 / 5;
  }
  bool step() override {
    if (!in_flight_ && lap_ < laps_ && out_.empty()) {
      start();
      if (!waits_in_turn_) return true;
    }
    if (in_flight_) {
      if (!is_done(in_)) return false;
      note_lap();
      in_flight_ = false;
    }
    while (!out_.empty())
      if (!pop_done(out_)) return true;
    open_ = lap_ < laps_;
    return true;
  }
  Carried carried() const override {
    return {.sent = lap_ * bytes_of_ping(), .received = (lap_ - in_flight_) * bytes_of_ping()};
  }

 private:
  void start() {
    const bool continues = !has_enough(lap_ + 1);
    if (continues) laps_ = lap_ + laps_ahead + 1;
    const Slice next = message(lap_);
    write_note(lap_++, next, continues);
    in_ = link_->start_recv(next);
    begin_ = now();
    out_.push_back(link_->start_send(next));
    in_flight_ = true;
  }

  void note_lap() {
    const Seconds end = now();
    meter_.read(end, lap_);
    if (begin_ >= warm_ || lap_ == laps_) times_.push_back(static_cast<float>((end - begin_) / 2));
  }

  int in_ = 0;
  bool in_flight_ = false;
  Seconds begin_ = 0, warm_ = 0;
};

// Echoes each message, with a note that stays the same.
class PingFollower final : public Ping {
 public:
  using Ping::Ping;
  void write_ends() override {
    Ping::write_ends();
    for (std::uint64_t lap = 0; lap < laps_ahead; ++lap) write_note(lap, message(lap), true);
  }
  void prepare() override {
    for (std::uint64_t lap = 0; lap < laps_ahead; ++lap) in_.push_back(link_->start_recv(message(lap)));
  }
  bool step() override {
    if (lap_ == laps_) return leave();
    if (!pop_done(in_)) return false;
    const Slice echo = message(lap_);
    out_.push_back(link_->start_send(echo));
    if (is_followed(echo)) {
      laps_ = lap_ + laps_ahead + 1;
      in_.push_back(link_->start_recv(message(lap_ + laps_ahead)));
    }
    ++lap_;
    while (out_.size() > 1 && pop_done(out_)) continue;
    meter_.read(now(), lap_);
    return true;
  }
  Carried carried() const override {
    return {.sent = lap_ * bytes_of_ping(), .received = lap_ * bytes_of_ping()};
  }

 private:
  bool leave() {
    if (!out_.empty() && !pop_done(out_)) return false;
    open_ = !out_.empty();
    return true;
  }

  std::deque<int> in_;
};

// Requires 100 readings rather than 1,000: the impact on the tail is a ratio of two of these.
float nearest_p99(const std::vector<float>& sorted) {
  constexpr std::size_t least = 100;
  if (sorted.size() < least) return not_known;
  return sorted[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(sorted.size()))) - 1];
}

}  // namespace

void FlowDriver::begin(Seconds until) {
  const Seconds start = now();
  meter_.begin(start, c_.messages ? 0 : c_.duration);
  stop_ = start + c_.duration;
  until_ = until;
}

// In virtual time nothing ramps up or changes: more messages say nothing new, but they take real time, above
// all if their bytes are moved.
bool FlowDriver::has_enough(std::uint64_t messages) const {
  const std::uint64_t most = c_.contents ? 200 : 10'000;
  return now() >= stop_ || (c_.virtual_time && messages >= most);
}

bool FlowDriver::is_done(int ticket) {
  if (!open_) return false;
  const Outcome outcome = link_->wait(ticket, waits_in_turn_ ? until_ : 0);
  if (outcome == Outcome::ok) return true;
  if (waits_in_turn_ || outcome != Outcome::timeout) end(outcome);
  return false;
}

bool FlowDriver::pop_done(std::deque<int>& tickets) {
  if (!is_done(tickets.front())) return false;
  tickets.pop_front();
  return true;
}

void FlowDriver::end(Outcome outcome) {
  result_.outcome = outcome;
  open_ = false;
  ended_early_ = true;
}

FlowEnd FlowDriver::result() {
  result_.seconds = seconds();
  result_.messages = messages();
  result_.times = statistics_of(times_);
  result_.times.p99 = nearest_p99(times_);
  return result_;
}

void FlowDriver::write_note(std::uint64_t number, Slice message, bool continues) {
  auto& written = notes_[number % notes_.size()];
  const auto note = continues ? continues_note : ends_note;
  if (written == note) return;
  c_.out.set_word_at(message.offset, note);
  written = note;
}

bool FlowDriver::is_followed(Slice message) {
  const auto note = c_.in.word_at(message.offset);
  if (note != continues_note && note != ends_note) end(Outcome::corrupt);
  return note == continues_note;
}

Slice FlowDriver::without_note(Slice message) const {
  const std::size_t note = c_.layout.ping_bytes > note_bytes ? note_bytes : 0;
  return {message.offset + note, message.bytes - note};
}

void FlowDriver::write_contents(Slice message) {
  const Slice part = without_note(message);
  c_.out.fill(part, mix(*c_.contents, part.offset));
}

void FlowDriver::verify_contents(Slice message) {
  const Slice part = without_note(message);
  verify(part, mix(*c_.contents, part.offset));
}

void FlowDriver::verify(Slice arrived, std::uint64_t seed) {
  if (!c_.in.holds(arrived, seed)) result_.outcome = Outcome::corrupt;
}

std::unique_ptr<FlowDriver> make_driver(const FlowDriver::Context& context, std::unique_ptr<Link> link,
                                        FlowKind kind) {
  if (kind == FlowKind::bulk && context.sends) return std::make_unique<BulkSender>(context, std::move(link));
  if (kind == FlowKind::bulk) return std::make_unique<BulkReceiver>(context, std::move(link));
  if (context.sends) return std::make_unique<PingLeader>(context, std::move(link));
  return std::make_unique<PingFollower>(context, std::move(link));
}

}  // namespace everylink
