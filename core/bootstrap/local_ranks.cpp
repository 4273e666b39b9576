// Ranks that this process starts on its own machine.
//
// --np N: all ranks of the run; with --bootstrap tcp, those of one of several such processes.
//
// --bootstrap stdin: the ranks of one host of several (host_task.hpp).
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"
#include "bootstrap/host_task.hpp"
#include "bootstrap/place.hpp"
#include "bootstrap/processes.hpp"
#include "bootstrap/supervisor.hpp"
#include "host/streams.hpp"
#include "net/tcp_network.hpp"

namespace everylink {
namespace {

constexpr Seconds start_limit = 60;
constexpr Seconds silent_limit = 600;               // a slow reader of our output may hold up the input, too
constexpr Seconds end_limit = 25, lost_limit = 10;  // for ranks to end on their own
constexpr std::size_t longest_line = 1 << 16;

// The lines of the standard input.
class Input {
 public:
  // Reads what is there; false: it has ended.
  bool take() {
    char piece[4096];
    const ssize_t n = ::read(STDIN_FILENO, piece, sizeof piece);
    if (n > 0) rest_.append(piece, static_cast<std::size_t>(n));
    if (rest_.size() > longest_line)
      throw MachineError("--bootstrap stdin: a line of the standard input is too long");
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  bool has_line() const { return rest_.find('\n') != std::string::npos; }

  std::string line() {
    const auto end = rest_.find('\n');
    std::string first = rest_.substr(0, end);
    rest_.erase(0, end + 1);
    return first;
  }

 private:
  std::string rest_;
};

HostTask read_task(Input& input) {
  HostTask task;
  for (const Seconds until = steady_now() + start_limit;;) {
    while (input.has_line())
      if (task.obey(input.line())) return task;
    pollfd polled{STDIN_FILENO, POLLIN, 0};
    const Seconds left = std::max(0.0, until - steady_now());
    if (::poll(&polled, 1, static_cast<int>(left * 1000)) == 0 || !input.take())
      throw UsageError(
          "--bootstrap stdin: no lines on standard input say which ranks to start; everylink run --hosts "
          "sends them");
  }
}

// Obeys the input while the ranks run.
class Ear {
 public:
  Ear(Input& input, Supervisor& ranks, const HostTask& task, Attendance& attendance)
      : input_(input), ranks_(ranks), task_(task), attendance_(attendance), heard_(steady_now()) {}

  // Obeys the lines that came with those of the task.
  void heed_all() {
    while (input_.has_line()) heed(input_.line());
  }

  // False: no more input can come.
  bool hear() {
    pollfd polled{STDIN_FILENO, POLLIN, 0};
    const bool ended = ::poll(&polled, 1, 0) > 0 && !input_.take();
    if (polled.revents != 0) heard_ = steady_now();
    heed_all();
    if (!ended && steady_now() - heard_ < silent_limit) return true;
    if (over_) return false;
    // A signal to any rank ends the whole run in good order. Only rank 0's host sends it: any other host may
    // be the only one that is lost, and the run continues without it.
    if (task_.first == 0)
      ranks_.pass_on(SIGTERM);
    else
      ranks_.end_within(lost_limit);
    return false;
  }

 private:
  void heed(const std::string& line) {
    const auto words = split(line, ' ');
    if (words[0] == "end") {
      over_ = true;
      ranks_.end_within(end_limit);
    } else if (words[0] == "lost") {
      const int first = HostTask::number(words, 1), count = HostTask::number(words, 2);
      for (int rank = first; rank < std::min(first + count, task_.size); ++rank) attendance_.note_ended(rank);
    } else if (words[0] == "signal") {
      const int signal = HostTask::number(words, 1);
      for (const int known : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
        if (signal == known) ranks_.pass_on(signal);
    }
  }

  Input& input_;
  Supervisor& ranks_;
  const HostTask& task_;
  Attendance& attendance_;
  Seconds heard_;
  bool over_ = false;
};

// 127.0.0.1, or ::1 where this machine has only IPv6.
Address own_loopback() {
  const Address four = loopback(0), six = parse_address("[::1]:0", "loopback");
  return try_listen_on(four, 1) || !try_listen_on(six, 1) ? four : six;
}

// Throws MachineError if no rank could call another one over loopback.
void check_loopback() {
  const auto listener = tcp_network().listen(own_loopback(), 1);
  const int error = tcp_network().connect(listener->addresses()[0])->connect_result();
  if (error != 0 && error != EINPROGRESS)
    throw MachineError(fmt::format("the loopback interface does not work: {}; `ip link set lo up` starts it",
                                   std::strerror(error)));
}

// Starts `count` ranks. In the process of a rank, returns what `work` returns for its number, from 0 on; in
// this process, returns nothing. Only the first rank keeps the listener: another one's would still answer
// when the first no longer does.
std::optional<int> start_ranks(Supervisor& supervisor, int count, std::unique_ptr<Listener>& listener,
                               const std::function<int(int)>& work) {
  for (int i = 0; i < count; ++i) {
    if (!supervisor.start()) continue;
    if (i != 0) listener.reset();
    return work(i);
  }
  listener.reset();
  return {};
}

}  // namespace

int run_here(int ranks, const std::function<int(Place)>& body) {
  check_loopback();
  auto listener = tcp_network().listen(own_loopback(), ranks);
  const auto rendezvous = listener->addresses();
  const Key key = random_key();
  const auto attendance = std::make_shared<Attendance>(ranks);
  Supervisor supervisor(steady_clock(), child_processes(), 0, true, attendance);
  const auto code = start_ranks(supervisor, ranks, listener, [&](int rank) {
    return body({.rank = rank,
                 .size = ranks,
                 .bootstrap = "local",
                 .rendezvous = rendezvous,
                 .listener = std::move(listener),
                 .key = key,
                 .hosts = std::vector<std::string>(static_cast<std::size_t>(ranks), "localhost"),
                 .attendance = attendance,
                 .core = {rank, ranks}});
  });
  return code ? *code : supervisor.wait();
}

int run_at_place(Place place, int ranks, const std::function<int(Place)>& body) {
  if (place.size > most_ranks / ranks)
    throw UsageError(
        fmt::format("EVERYLINK_SIZE={} with --np {}: at most {} ranks", place.size, ranks, most_ranks));
  const int first = place.rank * ranks;
  place.size *= ranks;
  for (auto& relay : place.relays) relay.rank *= ranks;
  place.attendance = std::make_shared<Attendance>(place.size);
  Supervisor supervisor(steady_clock(), child_processes(), first, place.size == ranks, place.attendance);
  const auto code = start_ranks(supervisor, ranks, place.listener, [&](int i) {
    place.rank = first + i;
    place.core = {i, ranks};
    return body(std::move(place));
  });
  return code ? *code : supervisor.wait();
}

int run_on_host(const std::string& interface, const std::function<void()>& may_start,
                const std::function<int(Place)>& body) {
  Input input;
  const HostTask task = read_task(input);
  std::unique_ptr<Listener> listener;
  std::vector<Address> rendezvous;
  if (task.first == 0) {
    may_start();
    if (task.meet == "loopback") check_loopback();
    listener = task.meet == "loopback" ? tcp_network().listen(own_loopback(), task.size)
                                       : listener_of_rank_0(address_of(interface));
    rendezvous = listener->addresses();
    std::string said;
    for (const auto& one : rendezvous) {
      if (!said.empty()) said += ',';
      said += one.text();
    }
    print(fmt::format("everylink-meets {}\n", said));
  } else {
    for (const auto& one : split(task.meet, ','))
      rendezvous.push_back(parse_address(one, "--bootstrap stdin"));
  }
  const auto attendance = std::make_shared<Attendance>(task.size);
  Supervisor supervisor(steady_clock(), child_processes(), task.first, task.count == task.size, attendance);
  const auto code = start_ranks(supervisor, task.count, listener, [&](int i) {
    return body({.rank = task.first + i,
                 .size = task.size,
                 .bootstrap = "stdin",
                 .rendezvous = rendezvous,
                 .listener = std::move(listener),
                 .key = task.key_bytes(),
                 .own = address_of(interface),
                 .hosts = task.hosts_by_rank(),
                 .attendance = attendance,
                 .core = {task.core_index + i, task.core_of}});
  });
  if (code) return *code;
  if (task.first > 0) supervisor.tell_lost([](int rank) { print(fmt::format("everylink-lost {}\n", rank)); });
  Ear ear(input, supervisor, task, *attendance);
  ear.heed_all();
  return supervisor.wait(
      STDIN_FILENO, [&] { return ear.hear(); }, 10);
}

}  // namespace everylink
