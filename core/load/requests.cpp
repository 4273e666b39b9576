// The client's end of a connection, and the server's.
#include "load/requests.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace everylink {

// What both ends share.
class RequestDriver : public FlowDriver {
 public:
  RequestDriver(const Context& context, const RequestContext& requests, std::unique_ptr<Link> link)
      : FlowDriver(context, std::move(link)),
        r_(requests),
        all_(static_cast<std::uint64_t>(requests.request_load.requests)) {}

  // A request is a note; its reply is empty.
  Carried carried() const override {
    const auto bulk = replies_ * c_.layout.bytes, notes = requests() * note_bytes;
    const bool sends_bulk = is_client() != puts();
    return {.sent = (sends_bulk ? bulk : 0) + (is_client() ? notes : 0),
            .received = (sends_bulk ? 0 : bulk) + (is_client() ? 0 : notes)};
  }

 protected:
  virtual bool is_client() const = 0;
  virtual std::uint64_t requests() const = 0;  // sent, or arrived
  bool puts() const { return r_.kind == FlowKind::put; }
  Seconds seconds() const override { return last_ > 0 ? last_ - first_ : 0; }
  std::uint64_t messages() const override { return replies_; }

  static constexpr Slice reply{0, 0};
  Slice note(std::uint64_t request) const { return c_.layout.note(c_.lane, request); }
  std::uint64_t seed_of(std::uint64_t request) const {
    return (c_.flow + 1) * std::uint64_t{1000003} + request;
  }
  Seconds reply_timeout() const {
    constexpr double much_longer = 20;
    const auto [least, most] = r_.reply_timeout;
    return r_.queues.longest > 0 ? std::min(most, least + much_longer * r_.queues.longest) : most;
  }
  void note_time(Seconds time) {
    times_.push_back(static_cast<float>(time));
    r_.queues.longest = std::max(r_.queues.longest, time);
  }
  void verify_request(const Slice& arrived, std::uint64_t request) {
    if (r_.check) verify(arrived, seed_of(request));
  }
  // The client's places for the bytes of the first and of the last request.
  std::array<Slice, 2> ends_at_client() const {
    return {c_.layout.client_slice(c_.lane, 0), c_.layout.client_slice(c_.lane, all_ - 1)};
  }
  void send(const Slice& slice) {
    constexpr std::size_t few = 16;  // sends in flight if each must be waited for
    out_.push_back(link_->start_send(slice));
    while (is_open() && out_.size() > (waits_in_turn_ ? few : 0) && pop_done(out_)) continue;
  }
  void end_when_sent() {
    while (!out_.empty() && pop_done(out_)) continue;
    if (out_.empty()) open_ = false;
  }

  const RequestContext r_;
  const std::uint64_t all_;
  std::uint64_t replies_ = 0;
  std::deque<int> out_;  // tickets of sends that are not complete
  Seconds first_ = 0, last_ = 0;
};

class Client final : public RequestDriver {
 public:
  using RequestDriver::RequestDriver;
  void write_ends() override {
    for (const Slice& place : ends_at_client())
      if (!puts()) c_.out.fill(place, *c_.contents);
  }
  void verify_ends() override {
    for (const Slice& place : ends_at_client())
      if (puts()) verify(place, *c_.contents);
  }
  void prepare() override {}
  void begin(Seconds until) override {
    RequestDriver::begin(until);
    first_ = now();
    r_.queues.to_send.push_back(this);
  }

  bool step() override {
    bool moved = take_replies();
    const auto before = sent_;
    while (is_open() && sent_ < all_ && may_send()) {
      send_request();
      moved = true;
      if (waits_in_turn_) break;
    }
    if (is_open() && waits_in_turn_ && sent_ == before && replies_ < sent_) moved |= take_reply();
    if (is_open() && replies_ == all_) end_when_sent();
    if (!moved && is_open() && !waits_in_turn_ && !sent_at_.empty() &&
        now() > sent_at_.front() + reply_timeout())
      end(Outcome::timeout);
    return moved;
  }

  void end(Outcome outcome) override {
    RequestDriver::end(outcome);
    std::erase(r_.queues.to_send, this);
    std::erase(r_.queues.in_flight, this);
  }

 private:
  bool is_client() const override { return true; }
  std::uint64_t requests() const override { return sent_; }
  // If the transport cannot test, this waits for the oldest replies, of any connection.
  bool may_send() {
    auto& queues = r_.queues;
    const auto is_full = [&] { return static_cast<int>(queues.in_flight.size()) >= queues.most_in_flight; };
    const auto is_connection_full = [&] { return sent_ - replies_ >= most_in_flight; };
    while (waits_in_turn_ && is_open() && (is_full() || is_connection_full()))
      queues.in_flight.front()->take_reply();
    return is_open() && !is_full() && !is_connection_full() && !queues.to_send.empty() &&
           queues.to_send.front() == this;
  }

  void send_request() {
    auto& queues = r_.queues;
    if (r_.check && !puts()) c_.out.fill(c_.layout.client_slice(c_.lane, sent_), seed_of(sent_));
    in_.push_back(link_->start_recv(reply));
    sent_at_.push_back(now());
    queues.in_flight.push_back(this);
    queues.to_send.pop_front();
    const auto request = sent_++;
    if (sent_ < all_) queues.to_send.push_back(this);
    send(note(request));
  }

  bool take_replies() {
    bool moved = false;
    while (!waits_in_turn_ && is_open() && replies_ < sent_ && take_reply()) moved = true;
    return moved;
  }

  bool take_reply() {
    const Seconds all = until_;
    until_ = std::min(all, sent_at_.front() + reply_timeout());
    const bool came = pop_done(in_);
    until_ = all;
    if (!came) return false;
    last_ = now();
    // The first replies use a cold connection, so they do not count.
    const bool is_warm = replies_ >= warm() || all_ <= 2 * warm();
    if (is_warm) note_time(last_ - sent_at_.front());
    if (puts()) verify_request(c_.layout.client_slice(c_.lane, replies_), replies_);
    sent_at_.pop_front();
    ++replies_;
    r_.queues.in_flight.erase(std::find(r_.queues.in_flight.begin(), r_.queues.in_flight.end(), this));
    return true;
  }
  std::uint64_t warm() const { return static_cast<std::uint64_t>(r_.queues.most_in_flight); }

  std::uint64_t sent_ = 0;
  std::deque<int> in_;
  std::deque<Seconds> sent_at_;
};

class Server final : public RequestDriver {
 public:
  Server(const Context& context, const RequestContext& requests, std::unique_ptr<Link> link)
      : RequestDriver(context, requests, std::move(link)), peer_(requests.one_sided(*link_)) {}

  // What is put has the same contents everywhere, as any place may serve any request. What the first and the
  // last request get goes to places of their own, as long as there are some.
  void write_ends() override {
    if (puts()) return write_places();
    auto& spare = r_.queues.spare_places;
    for (auto* place : {&first_place_, &last_place_}) {
      if (spare.empty()) return;
      *place = spare.back();
      spare.pop_back();
    }
  }
  void verify_ends() override {
    for (const auto place : {first_place_, all_ > 1 ? last_place_ : first_place_})
      if (place) verify(c_.layout.server_slice(*place), *c_.contents);
  }
  void begin(Seconds until) override {
    RequestDriver::begin(until);
    r_.queues.last_progress = now();
  }
  void prepare() override {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(all_, ahead()); ++i) await_request(i);
  }

  bool step() override {
    bool moved = take_requests();
    while (is_open() && !r_.queues.free_places.empty() && !r_.queues.waiting.empty() &&
           r_.queues.waiting.front() == this) {
      serve();
      moved = true;
    }
    if (is_open() && !in_flight_.empty()) moved |= puts() ? end_puts() : end_gets();
    if (is_open() && replies_ == all_) end_when_sent();
    // A live client may have to wait for every dead server first.
    if (moved)
      r_.queues.last_progress = now();
    else if (is_open() && !waits_in_turn_ &&
             now() > r_.queues.last_progress + reply_timeout() * (r_.request_load.servers + 1))
      end(Outcome::timeout);
    return moved;
  }

  void end(Outcome outcome) override {
    RequestDriver::end(outcome);
    std::erase(r_.queues.waiting, this);
    for (const auto& [ticket, place] : in_flight_) r_.queues.free_places.push_back(place);
    in_flight_.clear();
  }

 private:
  bool is_client() const override { return false; }
  std::uint64_t requests() const override { return arrived_; }
  struct Serving {
    int ticket, place;
  };

  // The number of requests that a client may send before it has a reply.
  std::uint64_t ahead() const {
    return static_cast<std::uint64_t>(std::min(r_.queues.most_in_flight, most_in_flight));
  }
  void await_request(std::uint64_t request) { in_.push_back(link_->start_recv(note(request))); }

  bool take_requests() {
    bool moved = false;
    while (is_open() && arrived_ < all_ && pop_done(in_)) {
      arrived_at_.push_back(now());
      if (arrived_++ == 0) first_ = arrived_at_.back();
      if (arrived_ - 1 + ahead() < all_) await_request(arrived_ - 1 + ahead());
      r_.queues.waiting.push_back(this);
      moved = true;
      if (waits_in_turn_) break;
    }
    return moved;
  }

  void write_places() {
    if (std::exchange(r_.queues.has_contents, true)) return;
    for (const int place : r_.queues.free_places) c_.out.fill(c_.layout.server_slice(place), *c_.contents);
  }
  // Of the request that is served next.
  std::optional<int> own_place() const {
    return served_ == 0 ? first_place_ : served_ + 1 == all_ ? last_place_ : std::nullopt;
  }

  void serve() {
    auto& queues = r_.queues;
    const int place = queues.free_places.back();
    const Slice ours = c_.layout.server_slice(own_place().value_or(place));
    const std::size_t theirs = c_.layout.client_slice(c_.lane, served_).offset;
    if (r_.check && puts()) c_.out.fill(ours, seed_of(served_));
    const int ticket = puts() ? peer_.start_put(ours, theirs) : peer_.start_get(ours, theirs);
    queues.free_places.pop_back();
    queues.waiting.pop_front();
    in_flight_.push_back({ticket, place});
    ++served_;
    if (ticket == no_ticket) end(Outcome::broken);
  }

  // A flush completes all puts that began before it.
  bool end_puts() {
    if (flushed_ == 0) flushed_ = in_flight_.size();
    const auto outcome = peer_.flush(waits_in_turn_ ? until_ : 0);
    if (outcome == Outcome::timeout && !waits_in_turn_) return false;
    if (outcome != Outcome::ok) return end(outcome), true;
    for (; flushed_ > 0 && is_open(); --flushed_) answer();
    return true;
  }

  bool end_gets() {
    bool moved = false;
    while (is_open() && !in_flight_.empty() && is_done(in_flight_.front().ticket)) {
      verify_request(c_.layout.server_slice(in_flight_.front().place), replies_);
      answer();
      moved = true;
    }
    return moved;
  }

  void answer() {
    last_ = now();
    note_time(last_ - arrived_at_.front());
    arrived_at_.pop_front();
    r_.queues.free_places.push_back(in_flight_.front().place);
    in_flight_.pop_front();
    ++replies_;
    send(reply);
  }

  OneSided& peer_;
  std::optional<int> first_place_, last_place_;
  std::uint64_t arrived_ = 0, served_ = 0;
  std::size_t flushed_ = 0;  // puts that the current flush covers
  std::deque<int> in_;
  std::deque<Seconds> arrived_at_;
  std::deque<Serving> in_flight_;
};

std::unique_ptr<FlowDriver> make_request_driver(const FlowDriver::Context& context,
                                                const RequestContext& requests, std::unique_ptr<Link> link,
                                                bool is_client) {
  if (is_client) return std::make_unique<Client>(context, requests, std::move(link));
  return std::make_unique<Server>(context, requests, std::move(link));
}

}  // namespace everylink
