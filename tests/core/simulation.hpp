// A run's processes in virtual time on a network in memory, all in this process: threads, of which exactly
// one runs at a time. The same program takes the same steps in every run.
#pragma once

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "bootstrap/bootstrap.hpp"
#include "net/network.hpp"

namespace everylink {

class Simulation final : public Clock, public Network {
 public:
  static constexpr Seconds latency = 1e-3;

  // An event on the network, in virtual time. Two runs of the same program give the same list.
  struct Event {
    Seconds at;
    std::string what;
    std::size_t bytes;
    bool operator==(const Event&) const = default;
  };

  Seconds now() override { return now_; }
  std::unique_ptr<ByteStream> connect(const Address&) override;
  std::unique_ptr<Listener> listen(const Address&, int backlog) override;
  std::unique_ptr<ReadySet> ready_set() override;
  bool wait(std::span<const Watched>, Seconds longest) override;

  System system() {
    return {*this, *this, [] { return false; }};
  }
  void drop_calls_to(const Address& address) { dropped_.insert(address.text()); }

  // Adds a process. `run` runs all processes and returns when they have ended.
  void start(std::function<void()> body) { processes_.emplace_back().body = std::move(body); }
  void run();
  void sleep(Seconds time) {
    yield([] { return false; }, now_ + time);
  }  // for the calling process
  const std::vector<Event>& events() const { return events_; }

 private:
  static constexpr Seconds never = std::numeric_limits<Seconds>::infinity();
  static constexpr std::size_t nobody = ~std::size_t{0};

  struct Process {
    std::function<void()> body;
    std::thread thread;
    std::function<bool()> is_ready = [] { return true; };
    Seconds wakes_at = 0;
    bool ended = false;
    std::exception_ptr error;
  };
  // One direction of a connection.
  struct Pipe {
    struct Piece {
      Seconds at;
      Blob bytes;
      ByteStream::State state;
    };
    std::deque<Piece> pieces;
    std::size_t taken = 0;  // pieces received
    bool is_over = false;   // closed: takes nothing more
  };
  class SimulatedSource;
  class SimulatedStream;
  class SimulatedListener;
  class SimulatedSet;

  void put(Pipe& pipe, Blob bytes, ByteStream::State state = ByteStream::State::open) {
    if (std::exchange(pipe.is_over, pipe.is_over || state != ByteStream::State::open)) return;
    pipe.pieces.push_back({now_ + latency, std::move(bytes), state});
    arrivals_.insert(now_ + latency);
  }
  void note(const std::string& what, std::size_t bytes = 0) { events_.push_back({now_, what, bytes}); }
  void yield(std::function<bool()> is_ready, Seconds until);
  void give_turn(std::size_t process);
  Seconds next_time() const;

  Seconds now_ = 0;
  std::multiset<Seconds> arrivals_;  // times at which a waiting process may become ready
  std::map<std::string, SimulatedListener*> listeners_;
  std::set<std::string> dropped_;
  int next_port_ = 40000;
  std::vector<Event> events_;

  std::deque<Process> processes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = nobody;  // the process that runs; nobody: the scheduler
};

// Something that a process can wait for. Its counter of arrivals only grows.
class Simulation::SimulatedSource {
 public:
  virtual ~SimulatedSource() = default;
  virtual bool has_arrival() const = 0;
  virtual bool has_room() const { return true; }
  virtual std::size_t arrivals() const = 0;
  std::weak_ptr<const SimulatedSource> watched() const { return self_; }
  static const SimulatedSource& of(const Source& source) {
    return dynamic_cast<const SimulatedSource&>(source);
  }

 private:
  std::shared_ptr<const SimulatedSource> self_{this,
                                               [](const SimulatedSource*) {}};  // expires with this object
};

class Simulation::SimulatedStream final : public ByteStream, public SimulatedSource {
 public:
  SimulatedStream(Simulation& network, std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out, Address peer,
                  int failure, Seconds connected_at)
      : network_(network),
        in_(std::move(in)),
        out_(std::move(out)),
        peer_(peer),
        failure_(failure),
        connected_at_(connected_at) {}
  ~SimulatedStream() override { network_.put(*out_, {}, State::ended); }

  int handle() const override { return 0; }
  int connect_result() override { return network_.now_ < connected_at_ ? EINPROGRESS : failure_; }
  Transfer send(View bytes) override {
    network_.note("send", bytes.size());
    network_.put(*out_, Blob(bytes.begin(), bytes.end()));
    return {bytes.size()};
  }
  Transfer receive(std::span<std::byte> bytes) override {
    if (!has_arrival()) return {};
    auto& piece = in_->pieces.front();
    if (piece.state != State::open) return {0, piece.state};
    const std::size_t n = std::min(bytes.size(), piece.bytes.size());
    std::copy_n(piece.bytes.begin(), n, bytes.begin());
    piece.bytes.erase(piece.bytes.begin(), piece.bytes.begin() + static_cast<std::ptrdiff_t>(n));
    if (piece.bytes.empty()) {
      in_->pieces.pop_front();
      ++in_->taken;
    }
    return {n};
  }
  bool is_dark() const override { return false; }
  void reset() override { network_.put(*out_, {}, State::broken); }
  Address peer() const override { return peer_; }
  bool is_of_this_user() const override { return true; }

  bool has_arrival() const override {
    return !in_->pieces.empty() && in_->pieces.front().at <= network_.now_;
  }
  bool has_room() const override { return network_.now_ >= connected_at_; }
  std::size_t arrivals() const override {
    std::size_t count = in_->taken;
    for (const auto& piece : in_->pieces) count += piece.at <= network_.now_;
    return count;
  }

 private:
  Simulation& network_;
  std::shared_ptr<Pipe> in_, out_;
  Address peer_;
  int failure_;
  Seconds connected_at_;
};

class Simulation::SimulatedListener final : public Listener, public SimulatedSource {
 public:
  SimulatedListener(Simulation& network, const Address& address) : network_(network), address_(address) {
    network_.listeners_[address_.text()] = this;
  }
  ~SimulatedListener() override { network_.listeners_.erase(address_.text()); }

  int handle() const override { return 0; }
  Accepted accept() override {
    if (!has_arrival()) return {};
    auto connection = std::move(callers_.front().connection);
    callers_.pop_front();
    ++taken_;
    network_.note("accept");
    return {std::move(connection)};
  }
  std::vector<Address> addresses() const override { return {address_}; }

  void call(Seconds at, std::unique_ptr<SimulatedStream> connection) {
    callers_.push_back({at, std::move(connection)});
  }
  bool has_arrival() const override { return !callers_.empty() && callers_.front().at <= network_.now_; }
  std::size_t arrivals() const override {
    std::size_t count = taken_;
    for (const auto& caller : callers_) count += caller.at <= network_.now_;
    return count;
  }

 private:
  struct Waiting {
    Seconds at;
    std::unique_ptr<SimulatedStream> connection;
  };
  Simulation& network_;
  Address address_;
  std::deque<Waiting> callers_;
  std::size_t taken_ = 0;
};

class Simulation::SimulatedSet final : public ReadySet, public SimulatedSource {
 public:
  int handle() const override { return 0; }
  void add(const Source& source, std::uint64_t key) override {
    const auto& simulated = SimulatedSource::of(source);
    watched_.push_back({simulated.watched(), &simulated, key, nothing});
  }
  void remove(const Source& source) override {
    std::erase_if(watched_, [&](const auto& one) { return one.source == &SimulatedSource::of(source); });
  }
  std::size_t take(std::span<std::uint64_t> keys) override {
    std::erase_if(watched_, [](const auto& one) { return one.alive.expired(); });
    std::size_t count = 0;
    for (auto& one : watched_)
      if (count < keys.size() && is_new(one)) {
        one.given = one.source->arrivals();
        keys[count++] = one.key;
      }
    return count;
  }
  bool has_arrival() const override {
    for (const auto& one : watched_)
      if (!one.alive.expired() && is_new(one)) return true;
    return false;
  }
  std::size_t arrivals() const override { return 0; }  // sets of sets are not needed

 private:
  static constexpr std::size_t nothing = ~std::size_t{0};
  struct Member {
    std::weak_ptr<const SimulatedSource> alive;
    const SimulatedSource* source;
    std::uint64_t key;
    std::size_t given;  // arrivals when its key was last given
  };
  static bool is_new(const Member& one) { return one.source->arrivals() != one.given; }
  std::vector<Member> watched_;
};

inline std::unique_ptr<ByteStream> Simulation::connect(const Address& address) {
  note("connect");
  auto there = std::make_shared<Pipe>(), back = std::make_shared<Pipe>();
  if (dropped_.contains(address.text()))
    return std::make_unique<SimulatedStream>(*this, back, there, address, 0, never);
  const auto found = listeners_.find(address.text());
  const Seconds connected_at = now_ + 2 * latency;
  arrivals_.insert(now_ + latency);
  arrivals_.insert(connected_at);
  if (found == listeners_.end())
    return std::make_unique<SimulatedStream>(*this, back, there, address, ECONNREFUSED, connected_at);
  found->second->call(now_ + latency,
                      std::make_unique<SimulatedStream>(*this, there, back, loopback(++next_port_), 0, 0));
  return std::make_unique<SimulatedStream>(*this, back, there, address, 0, connected_at);
}

inline std::unique_ptr<Listener> Simulation::listen(const Address& address, int) {
  return std::make_unique<SimulatedListener>(*this,
                                             address.port() == 0 ? address.with_port(++next_port_) : address);
}

inline std::unique_ptr<ReadySet> Simulation::ready_set() { return std::make_unique<SimulatedSet>(); }

inline bool Simulation::wait(std::span<const Watched> all, Seconds longest) {
  const auto is_ready = [all] {
    for (const auto& one : all) {
      const auto& source = SimulatedSource::of(*one.source);
      if ((one.arrival && source.has_arrival()) || (one.room && source.has_room())) return true;
    }
    return false;
  };
  yield(is_ready, now_ + longest);
  return is_ready();
}

// Called by the running process.
inline void Simulation::yield(std::function<bool()> is_ready, Seconds until) {
  std::unique_lock lock(mutex_);
  const std::size_t mine = turn_;
  processes_[mine].is_ready = std::move(is_ready);
  processes_[mine].wakes_at = until;
  turn_ = nobody;
  changed_.notify_all();
  changed_.wait(lock, [&] { return turn_ == mine; });
}

inline void Simulation::give_turn(std::size_t process) {
  std::unique_lock lock(mutex_);
  turn_ = process;
  changed_.notify_all();
  changed_.wait(lock, [&] { return turn_ == nobody; });
}

inline Seconds Simulation::next_time() const {
  const auto arrival = arrivals_.upper_bound(now_);
  Seconds next = arrival == arrivals_.end() ? never : *arrival;
  for (const auto& one : processes_)
    if (!one.ended) next = std::min(next, one.wakes_at);
  return next;
}

inline void Simulation::run() {
  for (std::size_t i = 0; i < processes_.size(); ++i)
    processes_[i].thread = std::thread([this, i, &one = processes_[i]] {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ == i; });
      }
      try {
        one.body();
      } catch (...) {
        one.error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      one.ended = true;
      turn_ = nobody;
      changed_.notify_all();
    });
  const auto has_ended = [](const Process& one) { return one.ended; };
  const auto may_run = [this](const Process& one) {
    return !one.ended && (one.wakes_at <= now_ || one.is_ready());
  };
  for (std::size_t last = 0; !std::all_of(processes_.begin(), processes_.end(), has_ended);) {
    std::size_t tried = 0;  // in turn, so that none starves
    while (tried < processes_.size() && !may_run(processes_[(last + 1 + tried) % processes_.size()])) ++tried;
    if (tried < processes_.size())
      give_turn(last = (last + 1 + tried) % processes_.size());
    else
      now_ = next_time();
  }
  for (auto& one : processes_) one.thread.join();
  for (auto& one : processes_)
    if (one.error) std::rethrow_exception(one.error);
}

}  // namespace everylink
