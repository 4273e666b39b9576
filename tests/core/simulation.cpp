// The simulated machine room.
#include "simulation.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "base/errors.hpp"

namespace everylink {
namespace {

constexpr Seconds long_gone = 1e18;    // the clock of a killed process: every limit has passed
constexpr Seconds keepalive = 5;       // core/net/socket.cpp: 2 + 3 * 1 s
constexpr Seconds dark_after = 4.5;    // likewise
constexpr Seconds resent_after = 0.2;  // the kernel sends a lost piece again, and doubles the time
constexpr int most_calls = 6;          // SYNs: 1, 2, 4, ... s apart
constexpr std::uint64_t most_idle_steps = 1000000;  // without time passing
constexpr std::uint64_t most_steps = 3000000;       // in all

int host_of(const Address& address) {
  if (address.family() != AF_INET) return Simulation::nobody;
  const auto number = ntohl(reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr);
  return number >> 8 == 0x0a0000 ? static_cast<int>(number & 0xff) - 1 : Simulation::nobody;
}

}  // namespace

std::string Simulation::Event::text() const {
  return fmt::format("{:14.6f} s  process {:3}  {} {}", at, process, what, number);
}

// Something that a process can wait for, directly or by a set.
class Simulation::Part {
 public:
  explicit Part(Simulation& network) : network_(network), owner_(network.running_) {
    network_.opened(owner_, 1);
  }
  virtual ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual bool has_arrival() const = 0;
  virtual bool has_room() const { return false; }
  static Part& of(const Source& source) { return const_cast<Part&>(dynamic_cast<const Part&>(source)); }
  void changed();

  Simulation& network_;
  int owner_;
  int waiter_ = nobody;
  Set* set_ = nullptr;
  std::uint64_t key_ = 0;
  bool listed_ = false;  // in the set's list
};

class Simulation::Set final : public ReadySet, public Part {
 public:
  using Part::Part;
  ~Set() override {
    for (Part* one : members_) one->set_ = nullptr;
  }
  int handle() const override { return 0; }
  void add(const Source& source, std::uint64_t key) override {
    Part& part = Part::of(source);
    part.set_ = this;
    part.key_ = key;
    part.listed_ = false;
    members_.push_back(&part);
    part.changed();
  }
  void remove(const Source& source) override { forget(Part::of(source)); }
  // As an edge-triggered epoll: what has changed is given once, if it is ready.
  std::size_t take(std::span<std::uint64_t> keys) override {
    std::size_t count = 0, looked = 0;
    while (looked < listed_members_.size() && count < keys.size()) {
      Part& one = *listed_members_[looked++];
      one.listed_ = false;
      if (one.has_arrival() || one.has_room()) keys[count++] = one.key_;
    }
    listed_members_.erase(listed_members_.begin(),
                          listed_members_.begin() + static_cast<std::ptrdiff_t>(looked));
    return count;
  }
  bool has_arrival() const override {
    return std::any_of(listed_members_.begin(), listed_members_.end(),
                       [](const Part* one) { return one->has_arrival() || one->has_room(); });
  }
  void list(Part& part) {
    if (!std::exchange(part.listed_, true)) listed_members_.push_back(&part);
    changed();
  }
  void forget(Part& part) {
    part.set_ = nullptr;
    std::erase(members_, &part);
    std::erase(listed_members_, &part);
  }

 private:
  std::vector<Part*> members_, listed_members_;
};

Simulation::Part::~Part() {
  if (set_) set_->forget(*this);
  network_.opened(owner_, -1);
}

void Simulation::Part::changed() {
  if (waiter_ != nobody) network_.notice(waiter_);
  if (set_) set_->list(*this);
}

class Simulation::Stream final : public ByteStream, public Part {
 public:
  Stream(Simulation& network, int number, int end) : Part(network), number_(number), end_(end) {
    if (number_ != nobody) mine().end[end_] = this;
  }
  ~Stream() override { close(false); }

  int handle() const override { return number_; }
  int connect_result() override {
    if (number_ == nobody) return EMFILE;
    const auto state = mine().state;
    return state == Connection::State::calling  ? EINPROGRESS
           : state == Connection::State::failed ? mine().failure
                                                : 0;
  }

  Transfer send(View bytes) override {
    if (network_.is_killed()) return {bytes.size()};
    if (const auto error = taken_error(); error != State::open) return {0, error};
    if (number_ == nobody || mine().closed[end_]) return {0, State::broken};
    if (ended_by_reset_) return {0, State::ended};  // EPIPE
    Pipe& pipe = mine().pipe[end_];
    std::size_t count = std::min(bytes.size(), mine().room - std::min(mine().room, pipe.bytes));
    // The first messages on a connection always fit into the buffers of a kernel.
    if (count > 1 && sent_ > always_fits && network_.draws_.chance(network_.conditions_.parts))
      count = static_cast<std::size_t>(network_.draws_.number(1, static_cast<int>(count)));
    pipe.blocked |= count < bytes.size();
    if (count == 0) return {};
    sent_ += count;
    network_.note("send", static_cast<std::int64_t>(count));
    std::size_t first = 0;  // as segments, which arrive one after the other
    if (count > 1 && network_.draws_.chance(network_.conditions_.parts))
      first = static_cast<std::size_t>(network_.draws_.number(1, static_cast<int>(count) - 1));
    if (first > 0) network_.put(number_, end_, Sort::data, bytes.first(first));
    network_.put(number_, end_, Sort::data, bytes.first(count).subspan(first));
    return {count};
  }

  Transfer receive(std::span<std::byte> bytes) override {
    if (network_.is_killed()) return {0, State::ended};
    if (number_ == nobody) return {0, State::broken};
    Pipe& pipe = in();
    if (pipe.arrived > 0 && pipe.pieces.front().sort == Sort::data && !bytes.empty()) return take(bytes);
    if (const auto error = taken_error(); error != State::open) return {0, error};
    return {0, has_ended_ || ended_by_reset_ ? State::ended : State::open};
  }

  bool is_dark() const override {
    return number_ != nobody && network_.now_ - mine().pipe[end_].dark_since > dark_after;
  }
  void reset() override { close(!network_.is_killed()); }
  Address peer() const override {
    if (number_ == nobody) return {};
    return end_ == 0 ? mine().to : address_of_host(std::max(mine().host[0], 0), 1024 + number_ % 60000);
  }

  bool has_arrival() const override {
    if (number_ == nobody) return false;
    return in().arrived > 0 || has_ended_ || ended_by_reset_ || mine().state == Connection::State::failed;
  }
  bool has_room() const override {
    if (number_ == nobody) return false;
    const auto& one = mine();
    if (one.state == Connection::State::calling) return false;
    return ended_by_reset_ || one.state == Connection::State::failed ||
           one.pipe[end_].bytes < one.room * 2 / 3 + 1;
  }

  bool is_of_this_user() const override { return true; }

  // The kernel has received this.
  void note_end() {
    has_ended_ = true;
    changed();
  }
  void note_reset(bool timed_out) {
    if (std::exchange(ended_by_reset_, true)) return;
    error_ = has_ended_ && !timed_out ? State::ended : State::broken;
    changed();
  }

 private:
  static constexpr std::size_t always_fits = 8192;

  Connection& mine() const { return network_.connection(number_); }
  Pipe& in() const { return mine().pipe[1 - end_]; }

  // The kernel reports an error once.
  State taken_error() { return std::exchange(error_, State::open); }

  Transfer take(std::span<std::byte> bytes) {
    Pipe& pipe = in();
    const std::size_t most = bytes.size();  // the kernel gives all that it has
    std::size_t count = 0;
    while (count < most && pipe.arrived > 0 && pipe.pieces.front().sort == Sort::data) {
      Piece& piece = pipe.pieces.front();
      const std::size_t n = std::min(most - count, piece.bytes.size() - piece.taken);
      std::copy_n(piece.bytes.begin() + static_cast<std::ptrdiff_t>(piece.taken), n,
                  bytes.begin() + static_cast<std::ptrdiff_t>(count));
      count += n;
      piece.taken += n;
      if (piece.taken < piece.bytes.size()) break;
      pipe.pieces.pop_front();
      --pipe.arrived;
    }
    pipe.bytes -= count;
    if (pipe.blocked && pipe.bytes < mine().room * 2 / 3 + 1) {
      pipe.blocked = false;
      network_.plan(network_.now_ + mine().latency, Kind::room, number_, 1 - end_);
    }
    return {count};
  }

  void close(bool abruptly) {
    if (number_ == nobody || mine().closed[end_]) return;
    network_.close(number_, end_, abruptly || in().arrived > 0);  // unread bytes: the kernel resets
  }

  int number_, end_;
  std::size_t sent_ = 0;
  bool has_ended_ = false, ended_by_reset_ = false;
  State error_ = State::open;
};

class Simulation::Port final : public Listener, public Part {
 public:
  Port(Simulation& network, const Address& address) : Part(network), address_(address) {
    network_.ports_[address_.text()] = this;
  }
  ~Port() override {
    network_.ports_.erase(address_.text());
    for (const int one : callers_) network_.close(one, 1, true);
  }
  int handle() const override { return 0; }
  Accepted accept() override {
    if (callers_.empty() || network_.is_killed()) return {};
    if (network_.running_ != nobody && network_.process(network_.running_).lacks_descriptors) {
      network_.note("lacks a descriptor to accept");
      return {nullptr, EMFILE};
    }
    const int number = callers_.front();
    callers_.pop_front();
    network_.note("accept", number);
    network_.calls_.insert({network_.connection(number).caller, network_.running_});
    auto stream = std::make_unique<Stream>(network_, number, 1);
    network_.arrive(number, 0);  // what has come in the meantime
    return {std::move(stream)};
  }
  std::vector<Address> addresses() const override { return {address_}; }
  bool has_arrival() const override { return !callers_.empty(); }
  void add(int number) {
    callers_.push_back(number);
    changed();
  }

 private:
  Address address_;
  std::deque<int> callers_;
};

Simulation::Simulation(const Conditions& conditions) : conditions_(conditions), draws_(conditions.seed) {}
Simulation::~Simulation() = default;

Seconds Simulation::now() { return is_killed() ? long_gone : now_; }

void Simulation::note(std::string_view what, std::int64_t number) {
  if (!is_killed()) events_.push_back({now_, running_, what, number});
}

void Simulation::opened(int number, int change) {
  open_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(open_) + change);
  if (number == nobody) return;
  auto& one = process(number);
  one.open = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(one.open) + change);
  one.most_open = std::max(one.most_open, one.open);
}

Address Simulation::address_of_host(int host, int port) {
  sockaddr_in raw{};
  raw.sin_family = AF_INET;
  raw.sin_addr.s_addr = htonl(0x0a000001u + static_cast<unsigned>(host));
  return make_address(reinterpret_cast<const sockaddr*>(&raw), sizeof raw).with_port(port);
}

// Calls and what travels over them.

std::unique_ptr<ByteStream> Simulation::connect(const Address& address) {
  if (running_ != nobody && process(running_).lacks_descriptors) {
    note("lacks a descriptor to connect");
    return std::make_unique<Stream>(*this, nobody, 0);
  }
  const int number = static_cast<int>(connections_.size());
  auto& one = connections_.emplace_back();
  one.to = address;
  one.caller = running_;
  one.host[0] = running_ == nobody ? nobody : process(running_).host;
  one.host[1] = host_of(address);
  one.latency = one.host[0] == one.host[1] ? conditions_.near
                                           : draws_.between(conditions_.shortest, conditions_.longest);
  one.room = static_cast<std::size_t>(draws_.between(static_cast<double>(conditions_.least_room),
                                                     static_cast<double>(conditions_.most_room)));
  note("connect", number);
  auto stream = std::make_unique<Stream>(*this, number, 0);
  if (!is_killed()) plan(now_ + delay(one), Kind::call, number);
  return stream;
}

void Simulation::call(int number) {
  auto& one = connection(number);
  if (one.closed[0]) return;
  const auto text = one.to.text();
  if (is_cut_either_way(one) || dropped_.contains(text)) {
    if (++one.tries < most_calls) return plan(now_ + (1 << (one.tries - 1)), Kind::call, number);
    one.state = Connection::State::failed;
    one.failure = ETIMEDOUT;
    return one.end[0]->changed();
  }
  const auto found = ports_.find(text);
  if (found == ports_.end()) return plan(now_ + one.latency, Kind::refused, number);
  one.pipe[1].latest = now_ + one.latency;
  calls_.insert({one.caller, found->second->owner_});
  plan(now_ + one.latency, Kind::connected, number);
  found->second->add(number);
}

Seconds Simulation::delay(const Connection& one) {
  Seconds delay = one.latency;
  if (conditions_.jitter > 0) delay *= 1 + conditions_.jitter * draws_.unit();
  if (one.host[0] != one.host[1])
    for (Seconds again = resent_after; again < 20 && draws_.chance(conditions_.loss); again *= 2)
      delay += again;
  return delay;
}

void Simulation::put(int number, int end, Sort sort, View bytes) {
  auto& one = connection(number);
  auto& pipe = one.pipe[end];
  if (pipe.over) return;
  pipe.over = sort != Sort::data;
  const bool held = is_cut(one.host[end], one.host[1 - end]);
  if (is_cut_either_way(one) && pipe.dark_since == never) pipe.dark_since = now_;
  const Seconds at = held ? never : std::max(pipe.latest, now_ + delay(one));
  pipe.latest = at;
  pipe.bytes += bytes.size();
  pipe.pieces.push_back({at, sort, {bytes.begin(), bytes.end()}});
  if (!held) plan(at, Kind::arrive, number, end);
}

// What the receiving kernel does with what has arrived. Before the connection is accepted it only keeps it.
void Simulation::arrive(int number, int from) {
  auto& one = connection(number);
  auto& pipe = one.pipe[from];
  const int to = 1 - from;
  bool news = false;
  while (pipe.arrived < pipe.pieces.size() && pipe.pieces[pipe.arrived].at <= now_) {
    auto& piece = pipe.pieces[pipe.arrived];
    if (one.closed[to]) {
      const bool data = piece.sort == Sort::data;
      pipe.bytes -= piece.bytes.size();
      pipe.pieces.erase(pipe.pieces.begin() + static_cast<std::ptrdiff_t>(pipe.arrived));
      if (data && !one.closed[from]) break_end(number, from);  // answered by a reset
      continue;
    }
    if (!one.end[to]) return;  // not accepted yet
    if (piece.sort == Sort::data) {
      ++pipe.arrived;
      news = true;
      continue;
    }
    const bool is_reset = piece.sort == Sort::reset;
    pipe.pieces.erase(pipe.pieces.begin() + static_cast<std::ptrdiff_t>(pipe.arrived));
    if (is_reset)
      one.end[to]->note_reset(false);
    else
      one.end[to]->note_end();
  }
  if (news) one.end[to]->changed();
}

// A reset comes from the peer's kernel, whose program has closed before.
void Simulation::break_end(int number, int end) {
  auto& pipe = connection(number).pipe[1 - end];
  pipe.over = false;
  put(number, 1 - end, Sort::reset);
}

void Simulation::close(int number, int end, bool abruptly) {
  auto& one = connection(number);
  if (abruptly && is_killed()) process(running_).was_reset = true;
  one.closed[end] = true;
  one.end[end] = nullptr;
  auto& in = one.pipe[1 - end];
  in.pieces.erase(in.pieces.begin(), in.pieces.begin() + static_cast<std::ptrdiff_t>(in.arrived));
  in.arrived = 0;
  auto& out = one.pipe[end];
  if (abruptly) {  // what has not left this host is dropped
    while (!out.pieces.empty() && out.pieces.back().at == never) {
      out.bytes -= out.pieces.back().bytes.size();
      out.pieces.pop_back();
    }
    out.latest = out.pieces.empty() ? 0 : out.pieces.back().at;
  }
  put(number, end, abruptly ? Sort::reset : Sort::end);
}

bool Simulation::is_cut(int from, int to) const {
  return from != nobody && !cuts_.empty() && cuts_.contains({from, to});
}

void Simulation::cut(int from, int to) {
  if (from == to || !cuts_.try_emplace({from, to}, now_).second) return;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    auto& one = connections_[i];
    if (one.closed[0] && one.closed[1]) continue;
    for (const int end : {0, 1}) {
      auto& pipe = one.pipe[end];
      const bool forth = one.host[end] == from && one.host[1 - end] == to;
      const bool back = one.host[end] == to && one.host[1 - end] == from;
      if (!forth && !back) continue;
      if (forth)
        for (std::size_t k = pipe.arrived; k < pipe.pieces.size(); ++k)
          pipe.latest = pipe.pieces[k].at = never;
      if (pipe.pieces.size() > pipe.arrived) pipe.dark_since = std::min(pipe.dark_since, now_);
      if (forth)
        at(now_ + keepalive,
           [this, number = static_cast<int>(i), cut_at = now_] { check_keepalive(number, cut_at); });
    }
  }
}

void Simulation::check_keepalive(int number, Seconds cut_at) {
  auto& one = connection(number);
  if (one.state == Connection::State::calling) return;
  for (const int end : {0, 1}) {
    const auto cut = cuts_.find({one.host[0], one.host[1]}), back = cuts_.find({one.host[1], one.host[0]});
    const bool is_still =
        (cut != cuts_.end() && cut->second == cut_at) || (back != cuts_.end() && back->second == cut_at);
    if (is_still && one.end[end] && one.pipe[end].dark_since == never) one.end[end]->note_reset(true);
  }
}

void Simulation::heal(int from, int to) {
  const auto found = cuts_.find({from, to});
  if (found == cuts_.end()) return;
  const Seconds lasted = now_ - found->second;
  cuts_.erase(found);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    auto& one = connections_[i];
    for (const int end : {0, 1}) {
      if (one.host[end] != from || one.host[1 - end] != to) continue;
      auto& pipe = one.pipe[end];
      const bool was_held = !pipe.pieces.empty() && pipe.pieces.back().at == never;
      if (!was_held) continue;
      // When the kernel happens to send it again.
      const Seconds again = now_ + one.latency + draws_.between(0, std::clamp(lasted, resent_after, 10.0));
      for (auto& piece : pipe.pieces)
        if (piece.at == never) piece.at = again;
      pipe.latest = again;
      plan(again, Kind::arrive, static_cast<int>(i), end);
    }
    const bool is_between =
        (one.host[0] == from && one.host[1] == to) || (one.host[0] == to && one.host[1] == from);
    if (is_between && !is_cut_either_way(one)) one.pipe[0].dark_since = one.pipe[1].dark_since = never;
  }
}

bool Simulation::reset_a_connection(Draws& draws) {
  std::vector<Connection*> alive;
  for (auto& one : connections_)
    if (one.end[0] && one.end[1]) alive.push_back(&one);
  if (alive.empty()) return false;
  auto& one = *alive[static_cast<std::size_t>(draws.number(0, static_cast<int>(alive.size()) - 1))];
  for (const int end : {0, 1}) one.end[end]->note_reset(true);
  return true;
}

std::unique_ptr<Listener> Simulation::listen(const Address& address, int) {
  if (running_ != nobody && process(running_).lacks_descriptors)
    throw LocalFault("listen: Too many open files", "too many open files");
  return std::make_unique<Port>(*this, address.port() == 0 ? address.with_port(++next_port_) : address);
}

std::unique_ptr<ReadySet> Simulation::ready_set() { return std::make_unique<Set>(*this); }

// Processes and time.

int Simulation::start(std::function<void()> body, Seconds at, int host) {
  const int number = static_cast<int>(processes_.size());
  auto& one = processes_.emplace_back();
  one.body = std::move(body);
  one.host = host;
  one.waiting = true;
  plan(std::max(now_, at), Kind::run, number, 0, one.pauses);
  return number;
}

void Simulation::plan(Seconds at, Kind kind, int which, int end, std::uint64_t pauses) {
  planned_.push({at, ++planned_count_, kind, which, end, pauses});
}

void Simulation::at(Seconds time, std::function<void()> action) {
  actions_.push_back(std::move(action));
  plan(std::max(now_, time), Kind::action, static_cast<int>(actions_.size()) - 1);
}

void Simulation::make_due(int number) {
  auto& one = process(number);
  if (std::exchange(one.due, true)) return;
  Seconds delay = one.slow;
  if (conditions_.waking > 0) delay += conditions_.waking * draws_.unit();
  plan(now_ + delay, Kind::run, number, 0, one.pauses);
}

void Simulation::notice(int number) {
  const auto& one = process(number);
  if (one.waiting && !one.due && is_ready(one.watched)) make_due(number);
}

bool Simulation::is_ready(std::span<const Watched> all) const {
  return std::any_of(all.begin(), all.end(), [](const Watched& one) {
    const Part& part = Part::of(*one.source);
    return (one.arrival && part.has_arrival()) || (one.room && part.has_room());
  });
}

bool Simulation::wait(std::span<const Watched> all, Seconds longest) {
  if (is_killed()) return false;
  if (longest > 0) pause(all, now_ + longest);
  return !is_killed() && is_ready(all);
}

void Simulation::sleep(Seconds time) {
  if (!is_killed()) pause({}, now_ + time);
}

void Simulation::pause(std::span<const Watched> all, Seconds until) {
  const int number = running_;
  auto& one = process(number);
  one.watched = all;
  one.waiting = true;
  for (const auto& watched : all) Part::of(*watched.source).waiter_ = number;
  if (is_ready(all))
    make_due(number);
  else
    plan(until + one.slow, Kind::run, number, 0, one.pauses);
  one.fiber->pause();
  for (const auto& watched : all) Part::of(*watched.source).waiter_ = nobody;
  one.watched = {};
}

void Simulation::wake(int number) {
  if (process(number).waiting && process(number).fiber) make_due(number);
}

void Simulation::step(int number) {
  auto& one = process(number);
  one.waiting = one.due = one.held = false;
  ++one.pauses;
  ++steps_;
  const int before = std::exchange(running_, number);
  if (!one.fiber && !one.killed)
    one.fiber = std::make_unique<Fiber>([&one] {
      try {
        one.body();
      } catch (...) {
        one.error = std::current_exception();
      }
    });
  if (one.fiber) one.fiber->resume();
  if (!one.fiber || one.fiber->ended()) finish(one);
  running_ = before;
}

void Simulation::finish(Process& one) {
  one.body = nullptr;  // closes what it had open
  note("ends");
  one.ended = true;
  one.fiber.reset();
  if (one.killed) one.error = nullptr;
  running_ = nobody;
  if (one.tell_end) one.tell_end();
}

void Simulation::kill(int number) {
  at(now_, [this, number] {
    auto& one = process(number);
    if (one.ended) return;
    note("is killed", number);
    one.killed = true;
    step(number);
    if (!one.ended) throw std::logic_error("a killed process went on");
  });
}

void Simulation::stop(int number) {
  if (process(number).ended) return;
  process(number).stopped = true;
  note("is stopped", number);
}

void Simulation::continue_again(int number) {
  auto& one = process(number);
  if (one.ended || !std::exchange(one.stopped, false)) return;
  note("continues", number);
  if (one.held) plan(now_, Kind::run, number, 0, one.pauses);
}

void Simulation::follow(const Planned& next) {
  switch (next.kind) {
    case Kind::run: {
      auto& one = process(next.which);
      if (one.ended || !one.waiting || one.pauses != next.pauses) return;
      if (one.stopped)
        one.held = true;
      else
        step(next.which);
      return;
    }
    case Kind::action: return std::exchange(actions_[static_cast<std::size_t>(next.which)], {})();
    case Kind::call: return call(next.which);
    case Kind::arrive: return arrive(next.which, next.end);
    case Kind::connected:
    case Kind::refused: {
      auto& one = connection(next.which);
      if (!one.end[0]) return;
      one.state = next.kind == Kind::connected ? Connection::State::connected : Connection::State::failed;
      one.failure = ECONNREFUSED;
      return one.end[0]->changed();
    }
    case Kind::room:
      if (auto* end = connection(next.which).end[next.end]) end->changed();
      return;
  }
}

void Simulation::run() {
  std::uint64_t idle_steps = 0;
  const auto all_ended = [this] {
    return std::all_of(processes_.begin(), processes_.end(), [](const Process& one) { return one.ended; });
  };
  for (std::size_t ended = 0; !planned_.empty();) {
    const Planned next = planned_.top();
    planned_.pop();
    idle_steps = next.at > now_ ? 0 : idle_steps + 1;
    if (idle_steps > most_idle_steps) throw std::logic_error("time stands still");
    if (planned_count_ > most_steps) throw std::logic_error("it does not end");
    now_ = std::max(now_, next.at);
    follow(next);
    while (ended < processes_.size() && processes_[ended].ended) ++ended;
    if (ended == processes_.size() && all_ended()) break;
  }
  if (!all_ended()) throw std::logic_error("processes are left that nothing can wake");
  for (auto& one : processes_)
    if (one.error) std::rethrow_exception(one.error);
}

}  // namespace everylink
