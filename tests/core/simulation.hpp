// A run's processes in virtual time on a network in memory, all in this thread: fibers, of which one runs at
// a time. The same program under the same conditions takes the same steps in every run.
//
// The network behaves as TCP does, also where that is unpleasant: order is kept within a stream only, buffers
// fill up, a cut path looks like silence until keepalive or is_dark tell, the kernel of a stopped process
// goes on answering, and the kernel of a process that ends closes its streams, abruptly if something was
// unread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/seconds.hpp"
#include "bootstrap/bootstrap.hpp"
#include "fiber.hpp"
#include "net/network.hpp"

namespace everylink {

// Random numbers of a seed, in the order in which they are drawn.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(mix(seed)) {}
  double unit() { return unit_interval(mix(seed_, count_++)); }
  double between(double low, double high) { return low + (high - low) * unit(); }
  int number(int low, int high) { return low + static_cast<int>(unit() * (high - low + 1)); }  // inclusive
  bool chance(double share) { return unit() < share; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *(all.begin() + number(0, static_cast<int>(all.size()) - 1));
  }

 private:
  std::uint64_t seed_, count_ = 0;
};

// What is drawn for each connection, message and step. These are ideal conditions, under which nothing is.
struct Conditions {
  std::uint64_t seed = 0;
  Seconds shortest = 1e-3, longest = 1e-3;  // latency between hosts, per connection
  Seconds near = 1e-3;                      // latency within a host
  double jitter = 0;                        // of each piece: up to this share of the latency more
  double loss = 0;                          // share of pieces that are lost and sent again
  Seconds waking = 0;                       // a process that can go on runs up to this much later
  std::size_t least_room = std::size_t{1} << 30, most_room = std::size_t{1} << 30;  // bytes of a stream
  double parts = 0;  // share of sends that take only a part, or arrive in parts
};

class Simulation final : public Clock, public Network {
 public:
  static constexpr int nobody = -1;
  static constexpr Seconds never = std::numeric_limits<Seconds>::infinity();

  // Two runs of the same program give the same list.
  struct Event {
    Seconds at;
    int process;
    std::string_view what;  // a literal
    std::int64_t number;
    bool operator==(const Event&) const = default;
    std::string text() const;
  };

  explicit Simulation(const Conditions& = {});
  ~Simulation() override;

  Seconds now() override;
  std::unique_ptr<ByteStream> connect(const Address&) override;
  std::unique_ptr<Listener> listen(const Address&, int backlog) override;
  std::unique_ptr<ReadySet> ready_set() override;
  bool wait(std::span<const Watched>, Seconds longest) override;

  System system() {
    return {*this, *this, [] { return false; }};
  }

  // Adds a process, whose number it returns. `run` runs all of them and returns when they have ended.
  int start(std::function<void()> body, Seconds at = 0, int host = 0);
  void run();
  void at(Seconds time, std::function<void()> action);  // done between the steps of processes
  const std::vector<Event>& events() const { return events_; }
  void note(std::string_view what, std::int64_t number = 0);

  // For the running process.
  void sleep(Seconds time);  // or until somebody wakes it
  int running() const { return running_; }
  bool is_killed() const { return running_ != nobody && process(running_).killed; }  // it must return now

  // Of processes. A killed process takes no further step: whatever it calls does nothing and returns, so that
  // it unwinds, and its kernel closes what it had open.
  void wake(int number);
  void kill(int number);
  void stop(int number);
  void continue_again(int number);
  void slow_down(int number, Seconds each_step) { process(number).slow = each_step; }
  void take_descriptors(int number, bool taken) { process(number).lacks_descriptors = taken; }
  void when_it_ends(int number, std::function<void()> tell) { process(number).tell_end = std::move(tell); }
  bool has_ended(int number) const { return process(number).ended; }
  bool was_killed(int number) const { return process(number).killed; }
  // Its kernel ended a connection abruptly, as something was unread: nobody can tell that from a broken path.
  bool was_reset(int number) const { return process(number).was_reset; }

  // Of the network. Host h has the address 10.0.0.(h + 1).
  static Address address_of_host(int host, int port = 0);
  void drop_calls_to(const Address& address) { dropped_.insert(address.text()); }
  void cut(int from_host, int to_host);  // this direction of the path drops everything
  void heal(int from_host, int to_host);
  bool reset_a_connection(Draws&);  // false: there is none

  // For checks.
  std::size_t open() const { return open_; }  // streams, listeners and sets
  std::size_t most_open(int number) const { return process(number).most_open; }
  const std::set<std::pair<int, int>>& calls() const { return calls_; }  // from a process to a process
  std::uint64_t steps() const { return steps_; }
  const Conditions& conditions() const { return conditions_; }

 private:
  class Part;
  class Stream;
  class Port;
  class Set;

  struct Process {
    std::function<void()> body, tell_end;
    std::unique_ptr<Fiber> fiber;
    int host = 0;
    std::span<const Watched> watched;
    std::uint64_t pauses = 0;
    bool waiting = false, due = false, held = false;  // held: would run, but is stopped
    bool ended = false, killed = false, stopped = false, lacks_descriptors = false, was_reset = false;
    Seconds slow = 0;
    std::size_t open = 0, most_open = 0;
    std::exception_ptr error;
  };
  enum class Sort { data, end, reset };
  struct Piece {
    Seconds at;
    Sort sort;
    Blob bytes;
    std::size_t taken = 0;
  };
  // One direction of a connection.
  struct Pipe {
    std::deque<Piece> pieces;    // sent, and not yet received by the program
    std::size_t arrived = 0;     // how many of them the receiving kernel has
    std::size_t bytes = 0;       // in them
    Seconds latest = 0;          // when the last one arrives
    Seconds dark_since = never;  // unacknowledged, because the path is cut
    bool blocked = false;        // the sender waits for room
    bool over = false;           // takes nothing more
  };
  // End 0 called end 1; pipe 0 goes from end 0 to end 1.
  struct Connection {
    enum class State { calling, connected, failed };
    Address to;
    int host[2];
    int caller;
    Stream* end[2]{};
    bool closed[2]{};  // this end's program has
    Pipe pipe[2];
    Seconds latency;
    std::size_t room;
    State state = State::calling;
    int failure = 0, tries = 0;
  };
  enum class Kind { run, call, connected, refused, arrive, room, action };
  struct Planned {
    Seconds at;
    std::uint64_t number;  // of two at the same time, the earlier planned comes first
    Kind kind;
    int which, end;
    std::uint64_t pauses;
    bool operator>(const Planned& other) const {
      return std::pair(at, number) > std::pair(other.at, other.number);
    }
  };

  Process& process(int number) { return processes_[static_cast<std::size_t>(number)]; }
  const Process& process(int number) const { return processes_[static_cast<std::size_t>(number)]; }
  Connection& connection(int number) { return connections_[static_cast<std::size_t>(number)]; }

  void plan(Seconds at, Kind kind, int which, int end = 0, std::uint64_t pauses = 0);
  void make_due(int number);
  void notice(int number);  // something that it may wait for has changed
  bool is_ready(std::span<const Watched>) const;
  void pause(std::span<const Watched>, Seconds until);
  void step(int number);
  void finish(Process&);
  void follow(const Planned&);

  bool is_cut(int from, int to) const;
  bool is_cut_either_way(const Connection& one) const {
    return is_cut(one.host[0], one.host[1]) || is_cut(one.host[1], one.host[0]);
  }
  Seconds delay(const Connection&);
  void put(int number, int end, Sort sort, View bytes = {});
  void call(int number);
  void arrive(int number, int from);
  void break_end(int number, int end);
  void close(int number, int end, bool abruptly);
  void check_keepalive(int number, Seconds cut_at);
  void opened(int number, int change);

  const Conditions conditions_;
  Draws draws_;
  Seconds now_ = 0;
  std::uint64_t planned_count_ = 0, steps_ = 0;
  std::priority_queue<Planned, std::vector<Planned>, std::greater<>> planned_;
  std::deque<std::function<void()>> actions_;
  std::deque<Process> processes_;
  int running_ = nobody;
  std::deque<Connection> connections_;
  std::map<std::string, Port*> ports_;
  std::set<std::string> dropped_;
  std::map<std::pair<int, int>, Seconds> cuts_;  // directed, and since when
  std::set<std::pair<int, int>> calls_;
  int next_port_ = 40000;
  std::size_t open_ = 0;
  std::vector<Event> events_;
};

}  // namespace everylink
