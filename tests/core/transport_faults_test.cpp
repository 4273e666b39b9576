// Peers that break the contract of a transport: stopped in mid-message, of an earlier epoch, half-open, or
// slow. A test that cannot run over a transport reports why.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/units.hpp"
#include "contract.hpp"
#include "kernel/kernel.hpp"
#include "net/door.hpp"

namespace everylink::contract {
namespace {

bool a_library_connects() { return mode_name != "tcp" && mode_name != "sim" && mode_name != "ibverbs"; }

void sleep(Seconds seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// --- Stopped in mid-message

constexpr std::size_t large = 64 << 20;  // more than kernel and library can buffer

// Rank 1 stops with a message in flight each way; rank 0 lets it continue.
void stop_in_mid_message(Rank& r) {
  auto link = r.link(0, 1);
  r.out->fill({0, large}, 100);
  const int in = link->start_recv({0, large});
  OK(link->meet(r.soon()));
  const int out = link->start_send({0, large});
  link->wait(out, 0);
  ::raise(SIGSTOP);
  for (const int ticket : {out, in}) link->wait(ticket, r.transport->now() + limit());
  r.close_or_abandon(std::move(link));
}

// The buffer of the stopped rank's message, and the next buffer.
constexpr Slice first{0, large}, second{large, large};

// Rank 2, or rank 1 when it is back.
void send_twice(Rank& r, std::unique_ptr<Link> link) {
  ASSERT_TRUE(link);
  for (const Slice slice : {first, second}) {
    r.out->fill(slice, 200 + slice.offset);
    OK(link->meet(r.soon()));
    OK(link->wait(link->start_send(slice), r.soon()));
  }
  OK(link->meet(r.soon()));
  OK(link->close(r.soon()));
}

// Rank 0; `in_between` is called when the first message has arrived and the second has not.
template <class Call>
void receive_twice(Rank& r, std::unique_ptr<Link> link, Call in_between) {
  ASSERT_TRUE(link) << "the link after a stopped one failed";
  for (const Slice slice : {first, second}) {
    const int in = link->start_recv(slice);
    if (slice.offset > 0) {
      in_between();
      EXPECT_EQ(link->wait(in, r.transport->now() + limit()), Outcome::timeout);  // late messages arrive now
    }
    OK(link->meet(r.soon()));
    OK(link->wait(in, r.soon())) << "the link after a stopped one failed";
    EXPECT_TRUE(r.in->holds(slice, 200 + slice.offset));
  }
  OK(link->meet(r.soon()));
  EXPECT_TRUE(r.in->holds(first, 200)) << "an earlier message overwrote this one";
  OK(link->close(r.soon()));
}

TEST(Faults, a_peer_that_stops_in_mid_message_and_continues_corrupts_nothing) {
  if (mode_name == "sim")
    GTEST_SKIP() << "in sim's virtual time a process cannot be stopped: ranks wait for it";
  on_ranks(3, 2 * large, [](Rank& r) {
    const Blob told = r.tell(peer_of(r), Packer().add(::getpid()).take());
    if (r.rank() == 2) {
      r.exchange(no_rank, 1);
      const Blob theirs = r.exchange_beside_a_stopped_one(0, 2);
      send_twice(r, r.connect(0, 2, theirs, r.soon()));
      return r.idle();
    }
    if (r.rank() == 1) {
      stop_in_mid_message(r);
      const Blob theirs = r.exchange_beside_a_stopped_one(0, 3);
      return send_twice(r, r.connect(0, 3, theirs, r.soon()));
    }
    const auto peer = Unpacker(told).get<pid_t>();
    auto link = r.link(1, 1);
    ASSERT_TRUE(link);
    const int in = link->start_recv({0, large});
    OK(link->meet(r.soon()));
    r.out->fill({0, large}, 300);
    const int out = link->start_send({0, large});
    const Seconds until = r.transport->now() + limit();
    const auto received = link->wait(in, until), sent = link->wait(out, until);
    // If the library reads a message from the peer's memory, it arrives although the peer is stopped.
    EXPECT_TRUE(received == Outcome::timeout || sent == Outcome::timeout) << "nothing was in flight";
    r.close_or_abandon(std::move(link));
    const Blob theirs = r.exchange_beside_a_stopped_one(2, 2);
    receive_twice(r, r.connect(2, 2, theirs, r.soon()), [&] { ASSERT_EQ(::kill(peer, SIGCONT), 0); });
    const Blob of_the_stopped = r.exchange_beside_a_stopped_one(1, 3);
    receive_twice(r, r.connect(1, 3, of_the_stopped, r.soon()), [] {});
  });
}

// --- Dead in mid-message

TEST(Faults, a_peer_that_dies_breaks_the_link_of_a_receiver_or_costs_its_limit) {
  if (mode_name == "mpi") GTEST_SKIP() << "MPI ends the job when a process dies";
  on_ranks(2, 64, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    const int in = link->start_recv({0, 8});
    OK(link->meet(r.soon()));
    if (r.rank() == 1) ::_exit(0);  // only the kernel closes its sockets
    // Not every library reports the end of a peer, shared memory never does, and in sim nothing more ever
    // arrives.
    const bool tells = mode_name == "tcp" || mode_name == "ibverbs";
    const auto outcome = link->wait(in, r.transport->now() + (tells ? 10 : 1) * limit());
    EXPECT_TRUE(outcome == Outcome::broken || (!tells && outcome == Outcome::timeout));
    r.close_or_abandon(std::move(link));
  });
}

// --- Strangers

struct Offered {
  Nonce nonce;
  std::string machine;
  std::vector<Address> addresses;
};
Offered unpacked(View offer) {
  Unpacker in(offer);
  if (mode_name == "sim") in.get<Seconds>();  // its clock
  const auto inner = in.list<std::byte>();
  Unpacker way_in(inner);
  return {way_in.get<Nonce>(), way_in.text(), way_in.list<Address>()};
}

void expect_a_message(Rank& r, std::unique_ptr<Link> link) {
  ASSERT_TRUE(link) << "the right caller was not admitted";
  const int in = link->start_recv({0, 64});
  OK(link->meet(r.soon()));
  r.out->fill({0, 64}, 7);
  OK(link->wait(link->start_send({0, 64}), r.soon()));
  OK(link->wait(in, r.soon()));
  EXPECT_TRUE(r.in->holds({0, 64}, 7));
  OK(link->meet(r.soon()));
  OK(link->close(r.soon()));
}

TEST(Faults, a_caller_of_an_earlier_epoch_is_dropped_and_the_right_one_is_admitted) {
  if (a_library_connects()) GTEST_SKIP() << "a library makes the connections";
  if (mode_name == "ibverbs") GTEST_SKIP() << "a queue pair receives only from the peer's, by number";
  on_ranks(2, 64, [](Rank& r) {
    const auto earlier = unpacked(r.exchange(1 - r.rank(), 1));
    const Blob theirs = r.exchange(1 - r.rank(), 2);
    if (r.rank() == 0) {  // the lower rank calls, first with the old offer at rank 1's new address
      Door stale = mode_name == "sim" ? Door::unmeasured(0, true) : Door(0, "", true);
      stale.offer(1, r.epoch(1));
      const Blob offer =
          Packer().add(earlier.nonce).add(earlier.machine).add(unpacked(theirs).addresses).take();
      EXPECT_TRUE(stale.connect(1, r.epoch(1), offer, 1, steady_now() + patience()).empty());
    }
    expect_a_message(r, r.connect(1 - r.rank(), 2, theirs, r.soon()));
  });
}

TEST(Faults, half_open_callers_do_not_use_up_the_limit) {
  if (a_library_connects()) GTEST_SKIP() << "a library listens";
  if (mode_name == "ibverbs") GTEST_SKIP() << "nobody listens: a queue pair receives only from the peer's";
  on_ranks(2, 64, [](Rank& r) {
    const Blob theirs = r.exchange(1 - r.rank(), 1);
    std::vector<Socket> silent;
    if (r.rank() == 0)
      for (int i = 0; i < 100; ++i) {  // more than may wait for admission
        silent.push_back(connect_to(unpacked(theirs).addresses.at(0), steady_now() + patience()));
        EXPECT_TRUE(silent.back());
        if (i % 2) EXPECT_TRUE(send_all(silent.back(), Blob(7), steady_now() + patience()));
      }
    expect_a_message(r, r.connect(1 - r.rank(), 1, theirs, r.soon()));
  });
}

// --- Slow peers

void expect_the_limit_was_kept(Seconds took) {
  EXPECT_GE(took, limit());
  EXPECT_LT(took, 4 * limit());
}

// Answers in time for each wait, but not for the pair.
void answer_slowly(Rank& r, std::unique_ptr<Link> link, Seconds pause) {
  ASSERT_TRUE(link);
  int in = link->start_recv({0, 8});
  OK(link->meet(r.soon()));
  while (link->wait(in, r.transport->now() + 4 * limit()) == Outcome::ok) {
    in = link->start_recv({0, 8});
    sleep(pause);
    if (link->wait(link->start_send({0, 8}), r.transport->now() + 4 * limit()) != Outcome::ok) break;
  }
  r.close_or_abandon(std::move(link));
}

TEST(Faults, occasional_messages_do_not_extend_the_limit_of_the_pair) {
  on_ranks(2, 64, [](Rank& r) {
    const bool made_up = mode_name == "sim";
    if (made_up) r.make_transport({{"latency", fmt::format("{}s", limit() / 40)}});
    auto link = r.link(1 - r.rank(), 1);
    if (r.rank() == 1) return answer_slowly(r, std::move(link), made_up ? 0 : limit() / 20);
    ASSERT_TRUE(link);
    const Seconds begin = r.transport->now();
    const Turn turn{8, 1000, 0, 1, 1, 1, 8, begin + limit()};
    Laps laps;
    EXPECT_EQ(kernel_named("semidirectional").run(*link, {}, *r.transport, true, turn, laps),
              Outcome::timeout);
    expect_the_limit_was_kept(r.transport->now() - begin);
    EXPECT_GT(laps.arrived, 1) << "it was not slow but silent";
    r.close_or_abandon(std::move(link));
  });
}

TEST(Faults, occasional_bytes_do_not_extend_the_limit_of_the_message) {
  if (a_library_connects()) GTEST_SKIP() << "a library sends the bytes";
  if (mode_name == "ibverbs") GTEST_SKIP() << "the adapter sends the bytes";
  if (mode_name == "sim") GTEST_SKIP() << "in sim's network a message arrives whole or not at all";
  on_ranks(2, 1 << 14, [](Rank& r) {
    constexpr std::size_t bytes = 10000, head = 64;
    if (r.rank() == 1) {
      Door door(1, "", true);
      const Blob theirs = r.tell(0, Packer().add(door.offer(0, r.epoch(1))).add(Reachable{}).take());
      const auto streams = parse_settings(mode_options, "mode").count("sockets") ? 3 : 1;
      const auto way_in = Unpacker(theirs).list<std::byte>();
      const auto sockets = door.connect(0, r.epoch(1), way_in, streams, steady_now() + patience());
      ASSERT_FALSE(sockets.empty());
      Blob frames(2 * head + bytes);  // the token of `meet`, and a message
      const std::uint64_t token = 1, length = 8 * bytes;
      std::memcpy(frames.data(), &token, sizeof token);
      std::memcpy(frames.data() + head, &length, sizeof length);
      View rest(frames);
      for (std::size_t n = 2 * head - 5; send_all(sockets[0], rest.first(n), steady_now() + patience());
           n = 1) {
        rest = rest.subspan(n);
        ASSERT_FALSE(rest.empty()) << "it could send slowly to the end";
        sleep(limit() / 20);
      }
      return;
    }
    auto link = r.link(1, 1);
    ASSERT_TRUE(link);
    const int in = link->start_recv({0, bytes});
    OK(link->meet(r.soon()));
    const Seconds begin = r.transport->now();
    EXPECT_EQ(link->wait(in, begin + limit()), Outcome::timeout);
    expect_the_limit_was_kept(r.transport->now() - begin);
    OK(link->close(r.soon()));
  });
}

}  // namespace
}  // namespace everylink::contract
