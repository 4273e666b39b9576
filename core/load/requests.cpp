// A client's end of a connection, and a server's.
#include "load/requests.hpp"

#include <algorithm>

namespace everylink {

// One end of a connection.
class Asked : public FlowDriver {
 public:
  Asked(const Context& context, const AskedContext& asked, std::unique_ptr<Link> link)
      : FlowDriver(context, std::move(link)),
        a_(asked),
        all_(static_cast<std::uint64_t>(asked.asking.requests)) {}

 protected:
  bool puts() const { return a_.kind == FlowKind::put; }
  Seconds seconds() const override { return last_ > 0 ? last_ - first_ : 0; }
  std::uint64_t messages() const override { return replies_; }

  static constexpr Slice reply{0, 0};
  Slice note(std::uint64_t request) const { return c_.layout.note(c_.lane, request); }
  std::uint64_t seed_of(std::uint64_t request) const {
    return (c_.flow + 1) * std::uint64_t{1000003} + request;
  }
  Seconds patience() const {
    constexpr double much_longer = 20;
    const auto [least, most] = a_.patience;
    return a_.desk.longest > 0 ? std::min(most, least + much_longer * a_.desk.longest) : most;
  }
  void note_time(Seconds time) {
    times_.push_back(static_cast<float>(time));
    a_.desk.longest = std::max(a_.desk.longest, time);
  }
  // A flow goes on behind wrong bytes.
  void verify(const Slice& arrived, std::uint64_t request) {
    if (a_.check && !c_.in.holds(arrived, seed_of(request))) seen_.outcome = Outcome::corrupt;
  }
  void send(const Slice& slice) {
    constexpr std::size_t few = 16;  // where each is waited for
    out_.push_back(link_->start_send(slice));
    while (is_open() && out_.size() > (apart_ ? few : 0) && done_first(out_)) continue;
  }
  void end_when_sent() {
    while (!out_.empty() && done_first(out_)) continue;
    if (out_.empty()) open_ = false;
  }

  const AskedContext a_;
  const std::uint64_t all_;
  std::uint64_t replies_ = 0;
  std::deque<int> out_;  // what was sent, and is not done
  Seconds first_ = 0, last_ = 0;
};

class Client final : public Asked {
 public:
  using Asked::Asked;
  void prepare() override {}

  bool step() override {
    bool moved = take_replies();
    const auto before = asked_;
    while (is_open() && asked_ < all_ && is_our_turn()) {
      ask();
      moved = true;
      if (apart_) break;
    }
    if (is_open() && apart_ && asked_ == before && replies_ < asked_) moved |= take_reply();
    if (is_open() && replies_ == all_) end_when_sent();
    if (!moved && is_open() && !apart_ && !asked_at_.empty() && now() > asked_at_.front() + patience())
      end(Outcome::timeout);
    return moved;
  }

  void end(Outcome outcome) override {
    Asked::end(outcome);
    std::erase(a_.desk.turns, this);
    std::erase(a_.desk.in_flight, this);
  }

 private:
  void begun() override {
    first_ = now();
    a_.desk.turns.push_back(this);
  }

  // Where waiting is all that passes time, for the oldest replies, whosever they are.
  bool is_our_turn() {
    auto& desk = a_.desk;
    const auto is_full = [&] { return static_cast<int>(desk.in_flight.size()) >= desk.most_in_flight; };
    const auto is_ours_full = [&] { return asked_ - replies_ >= most_in_flight; };
    while (apart_ && is_open() && (is_full() || is_ours_full())) desk.in_flight.front()->take_reply();
    return is_open() && !is_full() && !is_ours_full() && !desk.turns.empty() && desk.turns.front() == this;
  }

  void ask() {
    auto& desk = a_.desk;
    if (a_.check && !puts()) c_.out.fill(c_.layout.asked(c_.lane, asked_), seed_of(asked_));
    in_.push_back(link_->start_recv(reply));
    asked_at_.push_back(now());
    desk.in_flight.push_back(this);
    desk.turns.pop_front();
    const auto request = asked_++;
    if (asked_ < all_) desk.turns.push_back(this);
    send(note(request));
  }

  bool take_replies() {
    bool moved = false;
    while (!apart_ && is_open() && replies_ < asked_ && take_reply()) moved = true;
    return moved;
  }

  bool take_reply() {
    const Seconds all = until_;
    until_ = std::min(all, asked_at_.front() + patience());
    const bool came = done_first(in_);
    until_ = all;
    if (!came) return false;
    last_ = now();
    // The first ones find a cold connection.
    const bool is_warm = replies_ >= warm() || all_ <= 2 * warm();
    if (is_warm) note_time(last_ - asked_at_.front());
    if (puts()) verify(c_.layout.asked(c_.lane, replies_), replies_);
    asked_at_.pop_front();
    ++replies_;
    a_.desk.in_flight.erase(std::find(a_.desk.in_flight.begin(), a_.desk.in_flight.end(), this));
    return true;
  }
  std::uint64_t warm() const { return static_cast<std::uint64_t>(a_.desk.most_in_flight); }

  std::uint64_t asked_ = 0;
  std::deque<int> in_;
  std::deque<Seconds> asked_at_;
};

class Server final : public Asked {
 public:
  Server(const Context& context, const AskedContext& asked, std::unique_ptr<Link> link)
      : Asked(context, asked, std::move(link)), peer_(asked.one_sided(*link_)) {}

  void prepare() override {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(all_, ahead()); ++i) await_request(i);
  }

  bool step() override {
    bool moved = take_requests();
    while (is_open() && !a_.desk.places.empty() && !a_.desk.waiting.empty() &&
           a_.desk.waiting.front() == this) {
      serve();
      moved = true;
    }
    if (is_open() && !under_way_.empty()) moved |= puts() ? end_puts() : end_gets();
    if (is_open() && replies_ == all_) end_when_sent();
    // A client that is alive may wait for as many servers as are dead.
    if (moved)
      a_.desk.moved = now();
    else if (is_open() && !apart_ && now() > a_.desk.moved + patience() * (a_.asking.servers + 1))
      end(Outcome::timeout);
    return moved;
  }

  void end(Outcome outcome) override {
    Asked::end(outcome);
    std::erase(a_.desk.waiting, this);
    for (const auto& [ticket, place] : under_way_) a_.desk.places.push_back(place);
    under_way_.clear();
  }

 private:
  struct Serving {
    int ticket, place;
  };

  void begun() override { a_.desk.moved = now(); }
  // No client sends more before it has a reply.
  std::uint64_t ahead() const {
    return static_cast<std::uint64_t>(std::min(a_.desk.most_in_flight, most_in_flight));
  }
  void await_request(std::uint64_t request) { in_.push_back(link_->start_recv(note(request))); }

  bool take_requests() {
    bool moved = false;
    while (is_open() && came_ < all_ && done_first(in_)) {
      came_at_.push_back(now());
      if (came_++ == 0) first_ = came_at_.back();
      if (came_ - 1 + ahead() < all_) await_request(came_ - 1 + ahead());
      a_.desk.waiting.push_back(this);
      moved = true;
      if (apart_) break;
    }
    return moved;
  }

  void serve() {
    auto& desk = a_.desk;
    const int place = desk.places.back();
    const Slice ours = c_.layout.served(place);
    const std::size_t theirs = c_.layout.asked(c_.lane, served_).offset;
    if (a_.check && puts()) c_.out.fill(ours, seed_of(served_));
    const int ticket = puts() ? peer_.start_put(ours, theirs) : peer_.start_get(ours, theirs);
    desk.places.pop_back();
    desk.waiting.pop_front();
    under_way_.push_back({ticket, place});
    ++served_;
    if (ticket == no_ticket) end(Outcome::broken);
  }

  // A flush is about all puts that began before it.
  bool end_puts() {
    if (flushed_ == 0) flushed_ = under_way_.size();
    const auto outcome = peer_.flush(apart_ ? until_ : 0);
    if (outcome == Outcome::timeout && !apart_) return false;
    if (outcome != Outcome::ok) return end(outcome), true;
    for (; flushed_ > 0 && is_open(); --flushed_) answer();
    return true;
  }

  bool end_gets() {
    bool moved = false;
    while (is_open() && !under_way_.empty() && done(under_way_.front().ticket)) {
      verify(c_.layout.served(under_way_.front().place), replies_);
      answer();
      moved = true;
    }
    return moved;
  }

  void answer() {
    last_ = now();
    note_time(last_ - came_at_.front());
    came_at_.pop_front();
    a_.desk.places.push_back(under_way_.front().place);
    under_way_.pop_front();
    ++replies_;
    send(reply);
  }

  OneSided& peer_;
  std::uint64_t came_ = 0, served_ = 0;
  std::size_t flushed_ = 0;  // puts that the flush under way is about
  std::deque<int> in_;
  std::deque<Seconds> came_at_;
  std::deque<Serving> under_way_;
};

std::unique_ptr<FlowDriver> make_asked_driver(const FlowDriver::Context& context, const AskedContext& asked,
                                              std::unique_ptr<Link> link, bool asks) {
  if (asks) return std::make_unique<Client>(context, asked, std::move(link));
  return std::make_unique<Server>(context, asked, std::move(link));
}

}  // namespace everylink
