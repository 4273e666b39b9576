// A whole run under a seed.
#include "simulated_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/ranks.hpp"
#include "bootstrap/attendance.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/follower.hpp"
#include "bootstrap/place.hpp"
#include "bootstrap/processes.hpp"
#include "bootstrap/supervisor.hpp"
#include "net/callers.hpp"

namespace everylink {
namespace {

constexpr Seconds introduction_limit = 30;  // of rank 0 in core/rank/run.cpp; the others: longest_join / 2
constexpr Seconds farewell = 25;            // a launcher kills what is left so long after rank 0's end
constexpr Seconds patient_limit = 30;       // of rounds that outlast the loss of the rank above
constexpr Seconds last_moment = 0.5;        // of a round
constexpr Seconds soon = 2.5;               // look_again, the drain of outboxes, and what the network delays
constexpr int most_settling = 60;
constexpr Seconds forever = Simulation::never;

constexpr std::string_view names[] = {"rank killed",    "host lost", "rank 0 killed",     "rank stopped",
                                      "rank 0 stopped", "partition", "one way lost",      "reset",
                                      "no descriptors", "rank slow", "rank never starts", "rank dies early",
                                      "rank late",      "stranger",  "many strangers",    "other key",
                                      "signal"};
static_assert(std::size(names) == static_cast<std::size_t>(Fault::count));

struct Killed {};  // unwinds a process that is killed

struct Row {
  int rank;
  int number;
  auto operator<=>(const Row&) const = default;
};

// What a rank reports: the rows that it has measured since its last report.
struct Report {
  int rank = no_rank;
  std::vector<Row> rows = {};
  Blob filling = {};
  Blob packed() const { return Packer().add(rank).add(rows).add(filling).take(); }
  static Report unpacked(View bytes) {
    Unpacker in(bytes);
    Report report{.rank = in.get<int>()};
    report.rows = in.list<Row>();
    report.filling = in.list<std::byte>();
    return report;
  }
};

struct Order {
  std::uint64_t committed = 0;  // as core/protocol/order.hpp: all rounds before this one
  bool stop = false;
  Blob filling = {};
  Blob packed() const { return Packer().add(committed).add(stop).add(filling).take(); }
  static Order unpacked(View bytes) {
    Unpacker in(bytes);
    Order order{.committed = in.get<std::uint64_t>(), .stop = in.get<bool>()};
    order.filling = in.list<std::byte>();
    return order;
  }
};

class Run {
 public:
  explicit Run(std::uint64_t seed);
  SimulatedRun simulate();

 private:
  enum class End { none, in_order, lost, not_joined, crashed, killed };
  struct Unsaved {
    Row row;
    std::uint64_t round;
  };
  struct Rank {
    int host = 0;
    int process = Simulation::nobody;  // none: not started
    Seconds starts_at = 0;
    bool starts = true, dies_early = false, has_other_key = false;
    // What others may see of it is as promised only while none of these is true.
    bool is_impaired = false;  // stopped, slow, short of descriptors, or late
    bool is_killed = false;
    bool has_stop = false, is_stopped = false, end_is_wanted = false;
    Seconds stopped_for = 0;
    std::optional<Seconds> known_to_have_ended;  // by the attendance of rank 0's host
    // What became of it.
    Seconds began = 0;
    std::optional<Seconds> joined_at, ended_at;
    Seconds handed_in = 0;  // for its last round
    End end = End::none;
    const Follower* follower = nullptr;
    int measured = 0;
    std::vector<Unsaved> unsaved;
  };
  struct Held {  // a round, as rank 0 decided it
    Seconds at = 0;
    Blob decision;
    std::vector<int> gone;
    std::optional<std::vector<int>> called;
  };
  class HostProcesses;

  // The plan.
  void draw_ranks();
  void draw_conditions();
  void draw_faults();
  void plan_fault(Fault, Seconds at);
  void plan_kill(int rank, Seconds at);
  void plan_stop(int rank, Seconds at, Seconds lasts);
  void plan_cut(int from, int to, Seconds at, Seconds until);
  void plan_stranger(Seconds at, int how);
  void lose_host(int host);
  void signal_end(int rank);

  // The processes.
  void start_ranks();
  std::function<void()> body(int rank);
  Place place(int rank);
  void be_rank(int rank);
  void lead(Rank&, Bootstrap&);
  void follow(Rank&, int rank, Bootstrap&);
  Decided decide(std::span<const Submitted>, std::span<const int> gone);
  bool has_settled(std::span<const int> gone) const;
  void check_round(Rank&, int rank, std::uint64_t submitted_for, const Round&);
  void supervise(int host);
  void note_end_of(int rank);

  // The checks.
  template <class... T>
  void violated(fmt::format_string<T...> format, T&&... values) {
    result_.violations.push_back(fmt::format("{:.3f} s: ", network_->now()) +
                                 fmt::format(format, std::forward<T>(values)...));
  }
  void watch_for_circles();
  void check_join_of_leader(Seconds began, Seconds ended);
  void check_wait(Seconds began, std::span<const int> gone);
  void check_end();
  std::set<int> disturbed() const;
  std::set<int> ended_processes() const;
  bool needs_patience() const;

  Rank& rank(int number) { return ranks_[static_cast<std::size_t>(number)]; }
  const Rank& rank(int number) const { return ranks_[static_cast<std::size_t>(number)]; }
  int size() const { return static_cast<int>(ranks_.size()); }
  Address rendezvous() const { return Simulation::address_of_host(0, 4000); }
  Blob filling(std::size_t most) {
    return Blob(static_cast<std::size_t>(draws_.between(0, static_cast<double>(most))));
  }
  // As many as the order of a round has steps, one peer each.
  int steps_of(std::uint64_t round) const {
    return 1 + static_cast<int>(mix(seed_, round) % static_cast<std::uint64_t>(most_steps_));
  }
  int peer_of(int rank, std::uint64_t round, int step) const {
    const int peer = rank ^ static_cast<int>(1 + (round + static_cast<std::uint64_t>(step)) % 7);
    return peer < size() ? peer : no_rank;
  }
  // Whether a rank has work in a round. Where most have none, those rest.
  bool is_busy(int rank, std::uint64_t round) const {
    return !most_rest_ || mix(mix(seed_, round), static_cast<std::uint64_t>(rank)) % 8 == 0;
  }
  // As PairCampaign::called: the ranks that work after this round, and those that work after the next.
  std::optional<std::vector<int>> called(std::uint64_t round) const {
    if (!most_rest_ || round % 16 == 15) return {};
    std::vector<int> all;
    for (int number = 0; number < size(); ++number)
      if (is_busy(number, round) || is_busy(number, round + 1)) all.push_back(number);
    return all;
  }
  Blob offer(int from, int to, std::uint64_t round, int step) const {
    return Packer()
        .add(from)
        .add(to)
        .add(round)
        .add(step)
        .add(Blob(static_cast<std::size_t>(mix(seed_, round) % offer_bytes_)))
        .take();
  }
  std::vector<Offer> offers(int from, std::uint64_t round) const {
    std::vector<Offer> all;
    for (int step = 0; step < steps_of(round); ++step) {
      const int peer = peer_of(from, round, step);
      all.push_back({peer, offer(from, peer, round, step)});
    }
    return all;
  }
  void count(Fault fault) { ++result_.faults[static_cast<std::size_t>(fault)]; }
  int planned(Fault fault) const { return result_.faults[static_cast<std::size_t>(fault)]; }

  const std::uint64_t seed_;
  Draws draws_;
  SimulatedRun result_;
  Conditions conditions_;
  std::unique_ptr<Simulation> network_;
  std::vector<Rank> ranks_;
  int hosts_ = 1, tree_above_ = 512;
  bool is_supervised_ = false, listens_early_ = true, has_dark_address_ = false;
  int known_relays_ = 0;
  std::vector<std::vector<Address>> relay_addresses_;
  Seconds join_limit_ = 60, limit_ = 30, step_ = 1;
  Seconds passing_ = 0;  // of the offers of a round, through rank 0
  int rounds_ = 5, most_steps_ = 1;
  bool most_rest_ = false;
  double commits_ = 1;
  std::size_t decision_bytes_ = 1, report_bytes_ = 1, offer_bytes_ = 1;
  Seconds quiet_at_ = 0;  // nothing goes wrong after it
  std::optional<Seconds> end_wanted_at_;
  std::set<std::pair<int, int>> cuts_;  // of hosts, whenever
  std::set<int> lost_hosts_;
  std::unique_ptr<Listener> early_listener_;
  std::vector<std::shared_ptr<Attendance>> attendance_;  // by host
  std::vector<std::unique_ptr<HostProcesses>> processes_;
  std::vector<int> supervisors_;  // their processes, by host
  bool launcher_says_end_ = false;

  std::vector<Held> held_;
  std::vector<int> gone_before_;
  Seconds longest_cut_ = 0;
  std::set<Row> taken_, committed_;
  std::uint64_t last_committed_ = 0;
  std::map<std::vector<int>, int> circles_;  // how often seen in a row
};

// The processes of a host, as its supervisor sees them.
class Run::HostProcesses final : public Processes {
 public:
  HostProcesses(Run& run, int first) : run_(run), next_(first) {}
  void hold_signals() override {}
  int start() override {
    const int rank = next_++;
    auto& one = run_.rank(rank);
    one.process = run_.network_->start(run_.body(rank), run_.network_->now(), one.host);
    run_.network_->when_it_ends(one.process, [this, rank] {
      run_.note_end_of(rank);
      note(rank, run_.rank(rank).end == End::killed ? Change::Kind::killed : Change::Kind::exited);
    });
    return one.process + 1;
  }
  std::optional<Change> next_change() override {
    if (changes_.empty()) return {};
    const Change change = changes_.front();
    changes_.erase(changes_.begin());
    return change;
  }
  void signal(int process, int number) override {
    if (number == SIGKILL) return run_.network_->kill(process - 1);
    for (int rank = 0; rank < run_.size(); ++rank)
      if (run_.rank(rank).process == process - 1) run_.signal_end(rank);
  }
  std::vector<int> wait(int, Seconds longest) override {
    if (changes_.empty() && signals_.empty()) run_.network_->sleep(longest);
    if (run_.network_->is_killed()) throw Killed();
    return std::exchange(signals_, {});
  }

  void note(int rank, Change::Kind kind) {
    const auto& one = run_.rank(rank);
    const bool is_fine = one.end == End::in_order;
    changes_.push_back({one.process + 1, kind,
                        kind == Change::Kind::killed ? SIGKILL
                        : is_fine                    ? exit_ok
                                                     : exit_machine});
    run_.network_->wake(run_.supervisors_[static_cast<std::size_t>(one.host)]);
  }
  void send_signal(int host, int number) {
    signals_.push_back(number);
    run_.network_->wake(run_.supervisors_[static_cast<std::size_t>(host)]);
  }

 private:
  Run& run_;
  int next_;
  std::vector<Change> changes_;
  std::vector<int> signals_;
};

Run::Run(std::uint64_t seed) : seed_(seed), draws_(seed) {}

// The plan.

void Run::draw_ranks() {
  const int ranks = draws_.chance(0.5)   ? draws_.number(2, 8)
                    : draws_.chance(0.7) ? draws_.number(2, 24)
                                         : draws_.number(2, 64);
  const int per_host = draws_.one_of({1, 1, 2, 3, 4, 8, 64});
  hosts_ = (ranks + per_host - 1) / per_host;
  is_supervised_ = draws_.chance(0.4);
  const bool in_turn =
      !is_supervised_ && draws_.chance(0.3);  // supervisors start ranks that follow each other
  for (int number = 0; number < ranks; ++number)
    ranks_.emplace_back().host = in_turn ? number % hosts_ : number / per_host;
  tree_above_ = draws_.one_of({512, 1, 2, 4, 4});
  result_.ranks = ranks;
  result_.hosts = hosts_;
  result_.is_tree = ranks > tree_above_;
  result_.is_supervised = is_supervised_;

  join_limit_ = draws_.one_of({5., 20., 60.});
  step_ = draws_.one_of({0.02, 0.2, 2., 10.});
  limit_ = step_ + draws_.one_of({2., 10., 30., 60.});
  rounds_ = draws_.number(2, 12);
  most_steps_ = mix(seed_, 2) % 2 ? 1 : 16;
  most_rest_ = mix(seed_, 3) % 4 == 0;
  commits_ = draws_.one_of({1., 0.3, 0.1});
  decision_bytes_ = draws_.one_of<std::size_t>({1, 1, 300, 5000, 40000});
  report_bytes_ = draws_.one_of<std::size_t>({1, 1, 300, 5000});
  offer_bytes_ = draws_.one_of<std::size_t>({1, 1, 300, 5000});
  listens_early_ = is_supervised_ || draws_.chance(0.5);
  has_dark_address_ = draws_.chance(0.1);
  if (!is_supervised_ && draws_.chance(0.2)) known_relays_ = draws_.number(1, std::min(3, ranks - 1));
  const Seconds spread = draws_.one_of({0.01, 0.5, 3.});
  for (auto& one : ranks_) one.starts_at = draws_.between(0, std::min(spread, join_limit_ / 2));
}

void Run::draw_conditions() {
  conditions_.seed = mix(seed_, 1);
  conditions_.shortest = 5e-5;
  conditions_.longest = draws_.one_of({2e-4, 2e-3, 3e-2});
  conditions_.near = 2e-5;
  conditions_.jitter = draws_.one_of({0.1, 1., 5.});
  conditions_.loss = draws_.one_of({0., 0., 1e-3, 2e-2});
  conditions_.waking = draws_.one_of({1e-5, 1e-3, 1e-2});
  conditions_.least_room = 16384;
  conditions_.most_room = draws_.one_of<std::size_t>({32768, 262144});
  conditions_.parts = draws_.one_of({0., 0.1, 0.5});
  // What is stuck in the outbox of a rank in the tree goes on when that rank is back from its measurement, on
  // each of up to two levels.
  const bool may_stick = conditions_.loss > 0 || conditions_.longest > 2e-3 || conditions_.waking > 1e-3;
  if (may_stick) limit_ += 2 * step_;
  // The offers of all ranks pass rank 0, in pieces that wait for each other on each of its streams.
  const double bytes = static_cast<double>(ranks_.size() * most_steps_ * offer_bytes_);
  passing_ = conditions_.longest * (1 + conditions_.jitter) * bytes / 4 /
             static_cast<double>(conditions_.least_room);
  limit_ += passing_;
}

void Run::draw_faults() {
  const Seconds span = 2 + rounds_ * step_ * 0.7;
  const int faults = draws_.chance(0.2) ? 0 : draws_.number(1, 4);
  for (int i = 0; i < faults; ++i) {
    const Seconds at = draws_.chance(0.25) ? draws_.between(0, 2) : draws_.between(0, span);
    const Fault fault =
        draws_.one_of({Fault::killed,        Fault::killed,         Fault::killed,   Fault::host_lost,
                       Fault::leader_killed, Fault::stopped,        Fault::stopped,  Fault::leader_stopped,
                       Fault::partition,     Fault::partition,      Fault::one_way,  Fault::reset,
                       Fault::reset,         Fault::no_descriptors, Fault::slow,     Fault::never_starts,
                       Fault::dies_early,    Fault::late,           Fault::stranger, Fault::flood,
                       Fault::other_key,     Fault::signal});
    const bool is_rare =
        fault == Fault::leader_killed || fault == Fault::leader_stopped || fault == Fault::signal;
    if (is_rare && draws_.chance(0.4)) continue;  // so that most runs reach their end
    plan_fault(fault, at);
  }
}

void Run::plan_fault(Fault fault, Seconds at) {
  const int victim = draws_.number(1, size() - 1);
  const Seconds lasts =
      draws_.one_of({draws_.between(0.1, 4), draws_.between(4, 20), draws_.between(20, 90), forever});
  Rank& one = rank(victim);
  Seconds until = at;
  result_.plan += fmt::format("  {:.3f} s: {}, rank {}, {:.3f} s\n", at, name_of(fault), victim, lasts);
  switch (fault) {
    case Fault::killed: plan_kill(victim, at); break;
    case Fault::host_lost:
      if (hosts_ < 2) return;
      network_->at(at, [this, host = one.host] { lose_host(host); });
      for (int host = 0; host < hosts_; ++host) cuts_.insert({one.host, host});
      break;
    case Fault::leader_killed: plan_kill(0, at); break;
    case Fault::stopped: plan_stop(victim, at, lasts); break;
    case Fault::leader_stopped: plan_stop(0, at, lasts); break;
    case Fault::partition:
    case Fault::one_way: {
      if (hosts_ < 2) return;
      // One host from all others, one pair of hosts, one half from the other half, or rank 0's host from some
      // others, one after the other: these then look for each other.
      const int how = draws_.number(0, 3), first = how == 3 ? 0 : draws_.number(0, hosts_ - 1),
                second = draws_.number(0, hosts_ - 1);
      const std::uint64_t halves = mix(seed_, static_cast<std::uint64_t>(victim));
      const auto side = [&](int host) { return how == 2 ? (halves >> host) & 1 : host == first; };
      const Seconds apart = draws_.between(1, 20);
      for (int from = 0; from < hosts_; ++from)
        for (int to = 0; to < hosts_; ++to) {
          const int other = std::max(from, to);
          if (from == to || side(from) == side(to)) continue;
          if (how == 1 && from != second && to != second) continue;
          if (how == 3 && ((halves >> other) & 1) == 0) continue;
          if (fault == Fault::one_way && !side(from)) continue;
          const Seconds later =
              how == 3 ? apart * static_cast<double>(mix(halves, static_cast<unsigned>(other)) % 4) : 0;
          plan_cut(from, to, at + later, at + later + lasts);
          until = std::max(until, at + later);
        }
      until += lasts == forever ? 0 : lasts;
      break;
    }
    case Fault::reset: network_->at(at, [this] { network_->reset_a_connection(draws_); }); break;
    case Fault::no_descriptors: {
      const int who = draws_.chance(0.3) ? 0 : victim;
      const Seconds short_for = lasts == forever ? 1e5 : lasts;
      rank(who).is_impaired = true;
      for (const bool taken : {true, false})
        network_->at(taken ? at : at + short_for, [this, who, taken] {
          if (rank(who).process != Simulation::nobody) network_->take_descriptors(rank(who).process, taken);
        });
      until = lasts == forever ? at : at + short_for;
      break;
    }
    case Fault::slow: {
      one.is_impaired = true;
      const Seconds each_step = draws_.one_of({0.001, 0.05, 0.5});
      network_->at(at, [this, victim, each_step] {
        if (rank(victim).process != Simulation::nobody) network_->slow_down(rank(victim).process, each_step);
      });
      break;
    }
    case Fault::never_starts:
      if (is_supervised_) return;
      one.starts = false;
      break;
    case Fault::dies_early: one.dies_early = true; break;
    case Fault::late:
      one.is_impaired = true;
      one.starts_at = until = draws_.between(0.5, 3) * join_limit_;
      break;
    case Fault::stranger: plan_stranger(at, draws_.number(0, 3)); break;
    case Fault::flood:
      for (int i = draws_.number(40, 400); i > 0; --i) plan_stranger(at, 0);
      break;
    case Fault::other_key: one.has_other_key = one.is_impaired = true; break;
    case Fault::signal: {
      end_wanted_at_ = std::min(end_wanted_at_.value_or(forever), at);
      const bool all = draws_.chance(0.7);
      for (int number = 0; number < size(); ++number) {
        if (!all && number != victim) continue;
        if (is_supervised_ && all) continue;
        network_->at(at + draws_.between(0, 0.2), [this, number] { signal_end(number); });
      }
      if (is_supervised_ && all)
        for (int host = 0; host < hosts_; ++host)
          network_->at(at + draws_.between(0, 0.2), [this, host] {
            processes_[static_cast<std::size_t>(host)]->send_signal(host, SIGTERM);
          });
      break;
    }
    case Fault::count: return;
  }
  count(fault);
  quiet_at_ = std::max(quiet_at_, until);
}

void Run::plan_kill(int number, Seconds at) {
  rank(number).is_killed = true;
  network_->at(at, [this, number] {
    if (rank(number).process != Simulation::nobody) network_->kill(rank(number).process);
  });
}

// A process that is stopped for good is killed in the end, by a supervisor or by hand: a supervisor leaves
// ranks alone that are all stopped, as by Ctrl-Z.
void Run::plan_stop(int number, Seconds at, Seconds lasts) {
  Rank& one = rank(number);
  if (std::exchange(one.has_stop, true)) return;
  one.is_impaired = true;
  one.stopped_for += lasts == forever ? 0 : lasts;
  const auto plan = [this, number](Seconds when, bool stops) {
    network_->at(when, [this, number, stops] {
      using Kind = Processes::Change::Kind;
      Rank& changed = rank(number);
      if (changed.process == Simulation::nobody || network_->has_ended(changed.process)) return;
      changed.is_stopped = stops;
      stops ? network_->stop(changed.process) : network_->continue_again(changed.process);
      if (is_supervised_)
        processes_[static_cast<std::size_t>(changed.host)]->note(number,
                                                                 stops ? Kind::stopped : Kind::continued);
    });
  };
  plan(at, true);
  if (lasts == forever) {
    if (!is_supervised_ || number == 0) plan_kill(number, at + draws_.between(100, 2000));
    one.is_killed = true;
    return;
  }
  quiet_at_ = std::max(quiet_at_, at + lasts);
  plan(at + lasts, false);
}

void Run::plan_cut(int from, int to, Seconds at, Seconds until) {
  if (until != forever) longest_cut_ = std::max(longest_cut_, until - at);
  cuts_.insert({from, to});
  network_->at(at, [this, from, to] { network_->cut(from, to); });
  if (until != forever)
    network_->at(until, [this, from, to] {
      if (!lost_hosts_.contains(from) && !lost_hosts_.contains(to)) network_->heal(from, to);
    });
}

void Run::lose_host(int lost) {
  lost_hosts_.insert(lost);
  for (int host = 0; host < hosts_; ++host) {
    network_->cut(lost, host);
    network_->cut(host, lost);
  }
  for (auto& one : ranks_) {
    if (one.host != lost) continue;
    one.is_killed = true;
    if (one.process != Simulation::nobody) network_->kill(one.process);
  }
  if (is_supervised_) network_->kill(supervisors_[static_cast<std::size_t>(lost)]);
  if (lost == 0) launcher_says_end_ = true;
}

// Calls rank 0, or a rank that listens: silent, with half a message, or with nonsense.
void Run::plan_stranger(Seconds at, int how) {
  network_->start(
      [this, how] {
        const auto connection = network_->connect(rendezvous());
        const Watched watched{.source = connection.get(), .arrival = false, .room = true};
        network_->wait({&watched, 1}, 10);
        if (connection->connect_result() == 0 && how > 0) {
          Blob nonsense(how == 1 ? 20 : 5000);
          for (auto& one : nonsense) one = static_cast<std::byte>(draws_.number(0, 255));
          connection->send(nonsense);
        }
        network_->sleep(draws_.between(0, 20));
        if (how == 3) connection->reset();
      },
      at, draws_.number(0, hosts_ - 1));
}

void Run::signal_end(int number) { rank(number).end_is_wanted = true; }

// The processes.

void Run::start_ranks() {
  for (int host = 0; host < hosts_; ++host) {
    attendance_.push_back(is_supervised_ ? std::make_shared<Attendance>(size()) : nullptr);
    supervisors_.push_back(Simulation::nobody);
  }
  if (listens_early_) early_listener_ = network_->listen(rendezvous(), 4096);
  for (int number = 1; number <= known_relays_; ++number)
    relay_addresses_.push_back({Simulation::address_of_host(rank(number).host, 5000 + number)});
  for (int host = 0; host < hosts_ && is_supervised_; ++host) {
    int first = 0;
    while (rank(first).host != host) ++first;
    processes_.push_back(std::make_unique<HostProcesses>(*this, first));
    supervisors_[static_cast<std::size_t>(host)] =
        network_->start([this, host] { supervise(host); }, 0, host);
  }
  for (int number = 0; number < size() && !is_supervised_; ++number) {
    Rank& one = rank(number);
    if (!one.starts) continue;
    one.process = network_->start(body(number), one.starts_at, one.host);
    network_->when_it_ends(one.process, [this, number] { note_end_of(number); });
  }
}

// run_here and run_on_host in core/bootstrap/local_ranks.cpp, and the launcher between hosts.
void Run::supervise(int host) {
  auto& processes = *processes_[static_cast<std::size_t>(host)];
  int first = size(), count = 0;
  for (int number = 0; number < size(); ++number)
    if (rank(number).host == host) {
      first = std::min(first, number);
      ++count;
    }
  try {
    Supervisor supervisor(*network_, processes, first, count == size(),
                          attendance_[static_cast<std::size_t>(host)]);
    for (int i = 0; i < count; ++i) supervisor.start();
    if (first > 0)
      supervisor.tell_lost([this](int lost) {
        network_->at(network_->now() + draws_.between(0.01, 0.2), [this, lost] {
          attendance_[0]->note_ended(lost);
          rank(lost).known_to_have_ended = network_->now();
        });
      });
    if (count == size()) {
      supervisor.wait();
    } else {
      bool over = false;
      supervisor.wait(
          0,
          [&] {
            if (launcher_says_end_ && !std::exchange(over, true)) supervisor.end_within(farewell);
            return true;
          },
          10);
    }
  } catch (const Killed&) {
    return;
  }
  for (int number = first; number < first + count; ++number)
    if (!rank(number).ended_at) violated("the supervisor of host {} ended before rank {}", host, number);
  if (host != 0) return;
  network_->at(network_->now() + draws_.between(0.01, 0.2), [this] {
    launcher_says_end_ = true;
    for (const int one : supervisors_)
      if (!network_->has_ended(one)) network_->wake(one);
  });
}

void Run::note_end_of(int number) {
  Rank& one = rank(number);
  one.ended_at = network_->now();
  if (network_->was_killed(one.process)) one.end = End::killed;
  one.follower = nullptr;
  if (is_supervised_ && one.host == 0 && !one.known_to_have_ended) one.known_to_have_ended = network_->now();
  if (number != 0 || is_supervised_) return;
  // Somebody ends what is left of a run without supervisors.
  network_->at(network_->now() + farewell, [this] {
    for (auto& left : ranks_)
      if (left.is_stopped && left.process != Simulation::nobody) network_->kill(left.process);
  });
}

Place Run::place(int number) {
  Rank& one = rank(number);
  const bool is_local = is_supervised_ && hosts_ == 1;
  Place place{.rank = number,
              .size = size(),
              .bootstrap = is_local ? "local" : "tcp",
              .rendezvous = {rendezvous()},
              .key = Blob(16, one.has_other_key ? std::byte{1} : std::byte{2}),
              .own = Simulation::address_of_host(one.host),
              .host = fmt::format("host {}", one.host),
              .attendance = attendance_[static_cast<std::size_t>(one.host)]};
  if (has_dark_address_)
    place.rendezvous.insert(place.rendezvous.begin(), Simulation::address_of_host(200, 4000));
  for (int relay = 1; relay <= known_relays_; ++relay)
    place.relays.push_back({relay, relay_addresses_[static_cast<std::size_t>(relay) - 1]});
  if (number == 0)
    place.listener = listens_early_ ? std::move(early_listener_) : network_->listen(rendezvous(), 4096);
  else if (number <= known_relays_)
    place.listener = network_->listen(place.relays[static_cast<std::size_t>(number) - 1].addresses[0], 1024);
  return place;
}

std::function<void()> Run::body(int number) {
  return [this, number] {
    Rank& one = rank(number);
    try {
      be_rank(number);
    } catch (const Killed&) {
    } catch (const RunLost& error) {
      network_->note("gives up rank 0");
      one.end = End::lost;
    } catch (const MachineError& error) {
      if (one.end == End::none) one.end = one.joined_at ? End::crashed : End::not_joined;
      if (!network_->is_killed() && one.joined_at && number > 0 && !one.is_impaired)
        violated("rank {}: {}", number, error.what());
    } catch (const std::exception& error) {
      violated("rank {} threw {}", number, error.what());
    }
  };
}

void Run::be_rank(int number) {
  Rank& one = rank(number);
  if (is_supervised_) network_->sleep(one.starts_at);
  if (network_->is_killed()) throw Killed();
  if (one.dies_early) {
    network_->sleep(0.05);
    one.end = End::crashed;
    return;
  }
  Place here = place(number);
  System system = network_->system();
  system.end_is_wanted = [&one] { return one.end_is_wanted; };
  system.tell = [](std::string_view) {};
  one.began = network_->now();
  std::unique_ptr<Bootstrap> world;
  try {
    world = join(here, join_limit_, tree_above_, system);
  } catch (...) {
    const Seconds took = network_->now() - one.began;
    if (!network_->is_killed() && number > 0 && !one.is_impaired && took > join_limit_ + soon)
      violated("rank {} gave up joining after {:.3f} s, not {} s", number, took, join_limit_);
    if (!network_->is_killed() && number == 0) check_join_of_leader(one.began, network_->now());
    throw;
  }
  if (network_->is_killed()) throw Killed();
  one.joined_at = network_->now();
  network_->note("has joined", number);
  if (number == 0) {
    check_join_of_leader(one.began, *one.joined_at);
    lead(one, *world);
  } else {
    one.follower = dynamic_cast<const Follower*>(world.get());
    follow(one, number, *world);
  }
  one.follower = nullptr;
}

void Run::lead(Rank& one, Bootstrap& world) {
  for (std::uint64_t number = 0;; ++number) {
    const Seconds limit = number == 0 ? introduction_limit : limit_, began = network_->now();
    const Report report{.rank = 0, .filling = filling(report_bytes_)};
    const auto round = world.round(report.packed(), offers(0, number), limit,
                                   [this](auto submitted, auto gone) { return decide(submitted, gone); });
    if (network_->is_killed()) throw Killed();
    const Seconds took = network_->now() - began;
    if (took > limit + soon + one.stopped_for)
      violated("round {} took rank 0 {:.3f} s; its limit is {} s", number, took, limit);
    check_round(one, 0, number, *round);
    if (took >= limit) check_wait(began, round->gone);
    gone_before_ = round->gone;
    if (Order::unpacked(round->decision).stop) break;
    const bool settles = held_.size() > static_cast<std::size_t>(rounds_);
    network_->sleep(settles ? std::max(3.0, (quiet_at_ - network_->now()) / 8) : step_ * draws_.unit());
    if (network_->is_killed()) throw Killed();
  }
  one.end = End::in_order;
}

// The coordinator: takes rows, commits them now and then, and ends the run once all is quiet again.
Decided Run::decide(std::span<const Submitted> submitted, std::span<const int> gone) {
  if (network_->is_killed()) throw Killed();
  const std::uint64_t number = held_.size();
  network_->note("decides", static_cast<std::int64_t>(number));
  if (static_cast<int>(gone.size()) == size() - 1 && number == 0)
    throw MachineError("all others joined but then stopped responding");
  for (const auto& one : submitted) {
    const Report report = Report::unpacked(one.to_rank_0);
    if (report.rank != one.rank)
      violated("a report of rank {} came as one of rank {}", report.rank, one.rank);
    for (const Row& row : report.rows)
      if (!taken_.insert(row).second) violated("row {} of rank {} was taken twice", row.number, row.rank);
  }
  Order order{.filling = filling(decision_bytes_)};
  const bool wanted = rank(0).end_is_wanted;
  const bool settled = network_->now() >= quiet_at_ && has_settled(gone);
  const int settling = static_cast<int>(number) - rounds_;
  order.stop = wanted || (settling >= 0 && (settled || settling > most_settling));
  if (order.stop && !wanted && !settled)
    violated("still gone, though alive and reachable, or the other way round: {}", fmt::join(gone, ", "));
  if (order.stop || draws_.chance(commits_)) committed_ = taken_;
  order.committed = order.stop || committed_.size() == taken_.size() ? number + 1 : last_committed_;
  last_committed_ = order.committed;
  held_.push_back({network_->now(),
                   order.packed(),
                   {gone.begin(), gone.end()},
                   order.stop || settling >= 0 ? std::nullopt : called(number)});
  return {held_.back().decision, held_.back().called};
}

bool Run::has_settled(std::span<const int> gone) const {
  const auto upset = disturbed();
  for (int number = 1; number < size(); ++number) {
    const Rank& one = rank(number);
    if (one.is_stopped || upset.contains(number)) continue;
    const bool is_alive = one.joined_at && !one.ended_at && !one.is_impaired;
    if (is_alive && is_among(gone, number)) return false;
    if (one.ended_at && !is_among(gone, number)) return false;
  }
  return true;
}

void Run::follow(Rank& one, int number, Bootstrap& world) {
  Report report{.rank = number};
  for (std::uint64_t next = 0;;) {
    const Seconds limit = next == 0 ? longest_join / 2 : limit_, began = network_->now();
    one.handed_in = began;
    report.filling = filling(report_bytes_);
    const auto round = world.round(report.packed(), offers(number, next), limit,
                                   [](auto, auto) -> Blob { throw std::logic_error("only rank 0 decides"); });
    if (network_->is_killed()) throw Killed();
    const Seconds took = network_->now() - began;
    if (took > 2 * limit + 60 + soon && !one.is_impaired)
      violated("round {} took rank {} {:.3f} s", next, number, took);
    if (!round) throw RunLost("lost rank 0");
    check_round(one, number, next, *round);
    const bool late = is_among(round->gone, number);
    if (next == 0 && late) throw RunLost("joined too late");
    const auto order = Order::unpacked(round->decision);
    // As core/rank/run.cpp and UnsavedRows.
    next = round->number + 1;
    if (late)
      for (auto& row : one.unsaved) row.round = next;
    std::erase_if(one.unsaved, [&](const Unsaved& row) { return row.round < order.committed; });
    if (order.stop) break;
    report = {.rank = number};
    if (late || round->rested || !is_busy(number, round->number)) continue;
    for (int step = steps_of(round->number); step > 0; --step) {
      network_->sleep(step_ / steps_of(round->number) * draws_.unit());
      if (network_->is_killed()) throw Killed();
      report.rows.push_back({number, one.measured++});
      one.unsaved.push_back({report.rows.back(), next});
    }
  }
  one.end = End::in_order;
}

void Run::check_round(Rank&, int number, std::uint64_t submitted_for, const Round& round) {
  if (round.number >= held_.size())
    return violated("rank {} heard of round {}, which never was", number, round.number);
  const Held& held = held_[round.number];
  if (round.number < submitted_for) violated("rank {} heard of round {} again", number, round.number);
  if (round.decision != held.decision)
    violated("rank {} got another decision of round {}", number, round.number);
  if (round.gone != held.gone)
    violated("rank {} disagrees about who is gone in round {}", number, round.number);
  const bool in_time = !is_among(round.gone, number);
  if (round.rested) {
    if (!in_time) violated("rank {} is said to have rested and to be gone in round {}", number, round.number);
    for (auto before = submitted_for; before < round.number; ++before)
      if (!held_[before].called || is_among(*held_[before].called, number))
        violated("rank {} was called in round {}, but heard only of round {}", number, before, round.number);
    if (is_busy(number, round.number))
      violated("rank {} is said to have rested in round {}, in which it has work", number, round.number);
    return;
  }
  if (in_time && round.number != submitted_for)
    violated("rank {} is said to be in time for round {}; it submitted for round {}", number, round.number,
             submitted_for);
  if (!in_time) return;
  if (round.from_peers.size() != static_cast<std::size_t>(steps_of(round.number)))
    return violated("rank {} got {} offers in round {}, not {}", number, round.from_peers.size(),
                    round.number, steps_of(round.number));
  for (int step = 0; step < steps_of(round.number); ++step) {
    const int peer = peer_of(number, round.number, step);
    const bool both = peer != no_rank && !is_among(round.gone, peer);
    const Blob expected = both ? offer(peer, number, round.number, step) : Blob();
    const Blob& seen = round.from_peers[static_cast<std::size_t>(step)];
    const bool may_rest = both && !is_busy(peer, round.number);
    if (seen != expected && !(may_rest && seen.empty()))
      violated("rank {} got {} bytes of its peer {} in step {} of round {}, not {}", number, seen.size(),
               peer, step, round.number, expected.size());
  }
}

// The checks.

// A circle that lasts is one: while a rank has not noticed yet that its connection broke, there may seem to
// be one.
void Run::watch_for_circles() {
  std::map<std::vector<int>, int> seen;
  for (int number = 1; number < size(); ++number) {
    std::vector<int> way;
    for (int at = number; at > 0 && way.size() <= ranks_.size();
         at = rank(at).follower ? rank(at).follower->rank_above() : no_rank)
      way.push_back(at);
    if (way.size() <= ranks_.size()) continue;
    std::set<int> circle(way.end() - size(), way.end());
    seen[{circle.begin(), circle.end()}] = 1;
  }
  for (auto& [circle, times] : seen) {
    const auto before = circles_.find(circle);
    if (before != circles_.end()) times = before->second + 1;
    if (times == 5) violated("a circle: {}", fmt::join(circle, ", "));
  }
  circles_ = std::move(seen);
  if (std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& one) { return one.starts && !one.ended_at; }))
    network_->at(network_->now() + 10, [this] { watch_for_circles(); });
}

void Run::check_join_of_leader(Seconds began, Seconds ended) {
  const Rank& leader = rank(0);
  // While a path is cut, rank 0 hears late who has joined below others.
  if (leader.is_impaired || leader.end_is_wanted || !cuts_.empty()) return;
  Seconds last = began, known = began;
  bool all_known = is_supervised_ && disturbed().empty();
  for (int number = 1; number < size(); ++number) {
    const Rank& one = rank(number);
    if (one.joined_at) last = std::max(last, *one.joined_at);
    if (one.ended_at && *one.ended_at > one.began) last = std::max(last, *one.ended_at);
    if (one.joined_at) continue;
    all_known &= one.known_to_have_ended.has_value();
    if (one.known_to_have_ended) known = std::max(known, *one.known_to_have_ended);
  }
  // So it does through a slow rank, and behind the offers of those that have joined.
  if (ended > last + join_limit_ + soon + passing_ && planned(Fault::slow) == 0)
    violated("rank 0 waited until {:.3f} s, more than {} s longer than the last rank took to join ({:.3f} s)",
             ended, join_limit_, last);
  if (all_known && ended > std::max(last, known) + soon)
    violated("rank 0 waited until {:.3f} s, though the missing ranks had ended at {:.3f} s", ended, known);
}

// Rank 0 has waited for the whole limit: for some rank that might still have come, or came at the last
// moment.
void Run::check_wait(Seconds began, std::span<const int> gone) {
  if (rank(0).is_impaired || planned(Fault::reset) > 0) return;
  for (int number = 1; number < size(); ++number)
    if (!is_among(gone, number) && rank(number).handed_in > network_->now() - last_moment) return;
  const auto upset = disturbed();
  std::set<int> ended;  // as their kernels have told rank 0, or the ranks between
  for (int number = 1; number < size(); ++number) {
    const Rank& one = rank(number);
    const bool is_known = one.ended_at && *one.ended_at < began && one.joined_at && !upset.contains(number);
    if (is_known && !lost_hosts_.contains(one.host) && !network_->was_reset(one.process))
      ended.insert(number);
  }
  for (const auto& [from, to] :
       network_->calls())  // nobody tells of the end of a rank below one that has ended
    for (int number = 1; number < size(); ++number)
      if (rank(number).process == from && to != rank(0).process && ended_processes().contains(to))
        ended.erase(number);
  std::vector<int> waited_for;
  for (const int number : gone)
    if (!is_among(gone_before_, number)) waited_for.push_back(number);
  const bool in_vain =
      std::all_of(waited_for.begin(), waited_for.end(), [&](int one) { return ended.contains(one); });
  if (in_vain && !waited_for.empty())
    violated("rank 0 waited in vain for what has ended: {}", fmt::join(waited_for, ", "));
}

std::set<int> Run::ended_processes() const {
  std::set<int> ended;
  for (const auto& one : ranks_)
    if (one.ended_at) ended.insert(one.process);
  return ended;
}

bool Run::needs_patience() const {
  return planned(Fault::killed) + planned(Fault::host_lost) + planned(Fault::reset) + planned(Fault::flood) +
             planned(Fault::dies_early) + planned(Fault::other_key) >
         0;
}

// Ranks that may be missed although nothing is wrong with them: what they called is slow or unreachable, or
// it is itself among these.
std::set<int> Run::disturbed() const {
  std::map<int, int> rank_of;  // a process
  for (int number = 0; number < size(); ++number) rank_of[rank(number).process] = number;
  std::set<int> upset;
  for (int number = 1; number < size(); ++number) {
    const int host = rank(number).host;
    const bool is_cut_off = cuts_.contains({0, host}) || cuts_.contains({host, 0});
    if (rank(0).is_impaired || (!rank(number).joined_at && is_cut_off)) upset.insert(number);
  }
  for (bool more = true; std::exchange(more, false);)
    for (const auto& [from, to] : network_->calls()) {
      const auto caller = rank_of.find(from), called = rank_of.find(to);
      if (caller == rank_of.end() || called == rank_of.end() || upset.contains(caller->second)) continue;
      const Rank &a = rank(caller->second), &b = rank(called->second);
      const bool is_cut = cuts_.contains({a.host, b.host}) || cuts_.contains({b.host, a.host});
      if (is_cut || b.is_impaired || upset.contains(called->second))
        more |= upset.insert(caller->second).second;
    }
  return upset;
}

void Run::check_end() {
  const Rank& leader = rank(0);
  const auto upset = disturbed();
  // No rank that is well and reachable is ever missed.
  // A path that is cut for longer than the limit may be whole again now.
  const bool is_fair = (!needs_patience() || limit_ >= patient_limit) && longest_cut_ < limit_;
  std::set<int> missed;  // each is named once
  for (std::uint64_t number = 0; is_fair && number < held_.size(); ++number)
    for (const int gone : held_[number].gone) {
      const Rank& one = rank(gone);
      const bool is_well =
          one.starts && !one.dies_early && !one.is_impaired && !one.is_killed && !upset.contains(gone);
      if (is_well && held_[number].at < end_wanted_at_.value_or(forever) && missed.insert(gone).second)
        violated("rank {} was gone in round {}, though it was well and reachable", gone, number);
    }
  // Nothing that was measured is lost: rank 0 has committed it, or its rank still has it.
  for (int number = 1; number < size(); ++number) {
    const Rank& one = rank(number);
    if (one.end == End::killed) continue;
    std::set<Row> kept;
    for (const auto& row : one.unsaved) kept.insert(row.row);
    for (int row = 0; row < one.measured; ++row)
      if (!committed_.contains({number, row}) && !kept.contains({number, row}))
        violated("row {} of rank {} is lost", row, number);
  }
  // Without rank 0 all end soon.
  if (leader.ended_at)
    for (int number = 1; number < size(); ++number) {
      const Rank& one = rank(number);
      if (!one.ended_at || one.is_impaired || upset.contains(number)) continue;
      const Seconds bound = std::max(*leader.ended_at, one.began) + 60 + step_ + join_limit_;
      if (*one.ended_at > bound)
        violated("rank {} ended at {:.3f} s, long after rank 0 ({:.3f} s)", number, *one.ended_at,
                 *leader.ended_at);
    }
  if (network_->open() > 0) violated("{} streams or listeners were left open", network_->open());
  for (int number = 0; number < size(); ++number) {
    const Rank& one = rank(number);
    const std::size_t most = ranks_.size() + Callers::most_strangers + Callers::most_known + 16;
    if (one.process != Simulation::nobody && network_->most_open(one.process) > most)
      violated("rank {} had {} streams open", number, network_->most_open(one.process));
  }
  const Seconds most =
      2 * longest_join + 700 + 2000 + (rounds_ + most_settling) * (limit_ + step_ + 60) + quiet_at_;
  if (network_->now() > most) violated("the run lasted {:.0f} s", network_->now());
}

SimulatedRun Run::simulate() {
  draw_ranks();
  draw_conditions();
  network_ = std::make_unique<Simulation>(conditions_);
  draw_faults();
  start_ranks();
  network_->at(10, [this] { watch_for_circles(); });
  try {
    network_->run();
    early_listener_.reset();
    check_end();
  } catch (const std::exception& error) {
    violated("{}", error.what());
  }
  result_.plan =
      fmt::format("{} ranks on {} hosts, tree above {}, {}; join limit {} s, {} rounds of {} s, limit {} s\n",
                  size(), hosts_, tree_above_, is_supervised_ ? "supervised" : "started one by one",
                  join_limit_, rounds_, step_, limit_) +
      result_.plan;
  result_.rounds = held_.size();
  result_.rows = taken_.size();
  result_.lasted = network_->now();
  result_.events = network_->events();
  return std::move(result_);
}

}  // namespace

std::string_view name_of(Fault fault) { return names[static_cast<std::size_t>(fault)]; }

std::string SimulatedRun::text(std::uint64_t seed, std::size_t most_events) const {
  std::string text = fmt::format("seed {}: {}", seed, plan);
  const std::size_t from = events.size() - std::min(events.size(), most_events);
  for (std::size_t i = from; i < events.size(); ++i) text += events[i].text() + "\n";
  for (const auto& one : violations) text += fmt::format("seed {}: {}\n", seed, one);
  return text;
}

SimulatedRun simulate_run(std::uint64_t seed) { return Run(seed).simulate(); }

}  // namespace everylink
