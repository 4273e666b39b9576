// The scale of the control plane: a real rank 0, and one process that speaks the protocol for all other
// hosts.
//
//   control_scale [HOSTS (10000)] [ROUNDS (100)]
//
// Every host calls rank 0 and is admitted or redirected, as if each were a machine of its own. The ranks
// below those that were admitted do not exist: their messages reach rank 0 as the tree would carry them.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "bootstrap/admission.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/channel.hpp"
#include "net/tcp_network.hpp"

namespace everylink {
namespace {

constexpr std::size_t report_bytes = 300, offer_bytes = 150, word_bytes = 100;
constexpr std::size_t calls_at_once = 512;

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all))) - 1;  // its own
}

// Of this program alone: getrusage counts what the process had before exec, too.
std::size_t peak_memory_in_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) / 1024;
  throw MachineError("/proc/self/status has no VmHWM");
}

int rank_0(Place& place, int rounds) {
  std::atomic<bool> over = false;
  int most = 0;
  std::thread watch([&] {
    while (!over) {
      most = std::max(most, open_descriptors());
      ::usleep(5000);
    }
  });
  const Seconds began = steady_now();
  auto world = join(place, 600);
  const Seconds joined = steady_now();
  std::vector<Seconds> times;
  const Decide decide = [&](std::span<const Submitted> submitted, std::span<const int> gone) {
    if (static_cast<int>(submitted.size()) != place.size || !gone.empty())
      throw MachineError(fmt::format("{} submitted, {} are gone", submitted.size(), gone.size()));
    return Blob(word_bytes);
  };
  for (int i = 0; i < rounds; ++i) {
    const Seconds start = steady_now();
    world->round(Blob(report_bytes), {}, 600, decide);
    times.push_back(steady_now() - start);
  }
  over = true;
  watch.join();
  std::sort(times.begin(), times.end());
  fmt::print(
      "{} hosts: start {:.2f} s; {} rounds: median {:.1f} ms, longest {:.1f} ms; rank 0: peak memory {} MiB, "
      "at "
      "most {} descriptors\n",
      place.size, joined - began, rounds, times[times.size() / 2] * 1e3, times.back() * 1e3,
      peak_memory_in_mib(), most);
  return 0;
}

// All hosts but rank 0's.
class Others {
 public:
  Others(const Address& address, const Key& key, int size)
      : address_(address), key_(key), size_(size), below_(static_cast<std::size_t>(size)) {}

  void join() {
    std::map<int, std::unique_ptr<Call>> calls;
    for (int next = 1; next < size_ || !calls.empty();) {
      while (next < size_ && calls.size() < calls_at_once) {
        calls[next] = std::make_unique<Call>(tcp_network(), address_, key_, hello(next));
        ++next;
      }
      std::vector<Watched> watched;
      for (const auto& [rank, call] : calls) watched.push_back(call->watched());
      tcp_network().wait(watched, 1);
      std::erase_if(calls, [this](auto& one) { return is_over(one.first, *one.second); });
    }
  }

  void round(std::uint64_t number) {
    for (int rank = 1; rank < size_; ++rank) {
      const Submission submission{.round = number,
                                  .rank = rank,
                                  .to_rank_0 = Blob(report_bytes),
                                  .offers = {{rank ^ 1, Blob(offer_bytes)}}};
      way(rank).send(Channel::Kind::submission, {submission.packed()});
    }
    for (int answered = 0; answered < size_ - 1;) {
      std::vector<Watched> watched;
      for (auto& [rank, channel] : channels_) {
        channel.flush();
        watched.push_back({.source = &channel.connection(), .room = channel.has_to_send()});
      }
      tcp_network().wait(watched, 1);
      for (auto& [rank, channel] : channels_) {
        while (const auto frame = channel.next())
          answered += static_cast<int>(Answer::split(frame->body, size_).second.size());
        if (!channel.open() && answered < size_ - 1) throw MachineError("rank 0 closed a channel");
      }
    }
  }

 private:
  Hello hello(int rank) const {
    Hello hello;
    hello.rank = rank;
    hello.size = size_;
    hello.called = 0;
    hello.instance = static_cast<std::uint64_t>(rank);
    hello.host = hmac_sha256({}, {std::as_bytes(std::span(&rank, 1))});
    hello.listens = AddressList::of({loopback(1 + rank % 60000)});
    return hello;
  }

  bool is_over(int rank, Call& call) {
    const auto state = call.step();
    if (state == Call::State::failed) throw MachineError(fmt::format("rank {}: {}", rank, call.why()));
    if (state != Call::State::answered) return false;
    const auto at = static_cast<std::size_t>(rank);
    if (call.reply().decision == Decision::welcome) {
      channels_[rank] = call.take();
      below_[at] = rank;
    } else {
      below_[at] = call.reply().rank;
    }
    return true;
  }

  // The channel at the top of the branch that holds this rank.
  Channel& way(int rank) {
    while (below_[static_cast<std::size_t>(rank)] != rank) rank = below_[static_cast<std::size_t>(rank)];
    return channels_.at(rank);
  }

  Address address_;
  Key key_;
  int size_;
  std::vector<int> below_;  // the rank above each: itself if directly below rank 0
  std::map<int, Channel> channels_;
};

int bench(int hosts, int rounds) {
  const Key key = random_key();
  auto listener = tcp_network().listen(loopback(0), 4096);
  const Address address = listener->addresses()[0];
  const pid_t child = check_errno(::fork(), "fork");
  if (child > 0) {
    Place place{.rank = 0,
                .size = hosts,
                .bootstrap = "tcp",
                .rendezvous = {address},
                .listener = std::move(listener),
                .key = key};
    const int code = rank_0(place, rounds);
    std::fflush(stdout);
    ::waitpid(child, nullptr, 0);
    return code;
  }
  listener.reset();
  Others others(address, key, hosts);
  others.join();
  for (int i = 0; i < rounds; ++i) others.round(static_cast<std::uint64_t>(i));
  ::_exit(0);
}

}  // namespace
}  // namespace everylink

int main(int argc, char** argv) {
  try {
    return everylink::bench(argc > 1 ? std::atoi(argv[1]) : 10000, argc > 2 ? std::atoi(argv[2]) : 100);
  } catch (const std::exception& error) {
    fmt::print(stderr, "control_scale: {}\n", error.what());
    return 1;
  }
}
