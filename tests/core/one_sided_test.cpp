// The contract of OneSided (core/transport/transport.hpp): the same tests over every transport that has it.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/pack.hpp"
#include "contract.hpp"
#include "kernel/kernel.hpp"

namespace everylink::contract {
namespace {

class OneSidedContract : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!transport_named(mode_name).one_sided) GTEST_SKIP() << mode_name << " has no one-sided transfers";
    Rank::one_sided = true;
  }
  void TearDown() override { Rank::one_sided = false; }
};

// Looks it up once, because a look-up may start the library in a child process.
OneSided& side(const std::unique_ptr<Link>& link) {
  static const TransportEntry& entry = transport_named(mode_name);
  return entry.one_sided(*link);
}

void part(Rank& r, Link& link) {
  OK(link.meet(r.soon()));
  OK(link.close(r.soon()));
}

TEST_F(OneSidedContract, a_put_is_in_the_peers_memory_before_a_message_sent_after_the_flush) {
  on_ranks(2, 1 << 17, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    for (std::uint64_t turn = 0; turn < 60; ++turn) {
      const std::size_t bytes = std::size_t{1} << turn % 16;
      const int notice = r.rank() == 1 ? link->start_recv({0, 0}) : no_ticket;
      OK(link->meet(r.soon()));
      if (r.rank() == 0) {
        r.out->fill({64, bytes}, turn);
        const int put = side(link).start_put({64, bytes}, 1 + bytes);
        OK(side(link).flush(r.soon()));
        OK(link->wait(link->start_send({0, 0}), r.soon()));
        OK(link->wait(put, r.transport->now())) << "the flush has completed it";
      } else {
        OK(link->wait(notice, r.soon()));
        EXPECT_TRUE(r.in->holds({1 + bytes, bytes}, turn)) << bytes;
      }
    }
    part(r, *link);
  });
}

TEST_F(OneSidedContract, a_flush_that_timed_out_continues_and_completes_while_more_is_put) {
  constexpr std::size_t bytes = 1 << 20;
  constexpr Seconds a_moment = 20e-6;
  on_ranks(2, 2 * bytes, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    const int notice = r.rank() == 1 ? link->start_recv({0, 0}) : no_ticket;
    for (const std::size_t half : {0, 1}) r.out->fill({half * bytes, bytes}, 5 + half);
    r.in->fill({0, bytes}, 7);
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      const Seconds until = r.soon();
      side(link).start_put({0, bytes}, 0);
      Outcome outcome = side(link).flush(0);
      const int more = side(link).start_put({bytes, bytes}, bytes);
      while (outcome == Outcome::timeout && r.transport->now() < until)
        outcome = side(link).flush(r.transport->now() + a_moment);
      OK(outcome);
      OK(link->wait(link->start_send({0, 0}), r.soon()));
      OK(link->wait(more, r.soon()));
    } else {
      OK(link->wait(notice, r.soon()));
      EXPECT_TRUE(r.in->holds({0, bytes}, 5));
    }
    part(r, *link);
  });
}

TEST_F(OneSidedContract, a_get_fetches_the_contents_of_the_peers_memory) {
  on_ranks(2, 1 << 17, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    for (std::uint64_t turn = 0; turn < 40; ++turn) {
      const std::size_t bytes = std::size_t{1} << turn % 16;
      if (r.rank() == 1) r.out->fill({2 * bytes, bytes}, turn);
      OK(link->meet(r.soon()));
      if (r.rank() == 0) {
        OK(link->wait(side(link).start_get({3, bytes}, 2 * bytes), r.soon()));
        EXPECT_TRUE(r.in->holds({3, bytes}, turn)) << bytes;
      }
      OK(link->meet(r.soon()));
    }
    part(r, *link);
  });
}

TEST_F(OneSidedContract, a_put_writes_only_the_peers_memory_and_a_get_only_ours) {
  on_ranks(2, 8192, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    const auto rank = static_cast<std::uint64_t>(r.rank());
    r.out->fill({0, 8192}, 10 + rank);
    r.in->fill({0, 8192}, 20 + rank);
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      side(link).start_put({0, 1024}, 0);
      OK(side(link).flush(r.soon()));
      OK(link->wait(side(link).start_get({4096, 1024}, 0), r.soon()));
    }
    OK(link->meet(r.soon()));
    EXPECT_TRUE(r.out->holds({0, 8192}, 10 + rank));
    if (r.rank() == 0) {
      EXPECT_TRUE(r.in->holds({0, 4096}, 20)) << "it was written outside the target of the get";
      EXPECT_TRUE(r.in->holds({4096, 1024}, 11));
    } else {
      EXPECT_TRUE(r.in->holds({0, 1024}, 10));
      r.in->fill({0, 1024}, 0);
      r.out->fill({0, 8192}, 21);
      for (auto* memory : {r.in.get(), r.out.get()}) memory->download({0, 8192});
      EXPECT_EQ(std::memcmp(r.in->host_copy() + 1024, r.out->host_copy() + 1024, 8192 - 1024), 0)
          << "it was written outside the target of the put";
    }
    part(r, *link);
  });
}

TEST_F(OneSidedContract, sixty_four_puts_and_gets_are_open_at_once_both_ways) {
  on_ranks(2, 128 * 1024, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    const auto of = [](int rank, std::size_t i) { return 1000 * static_cast<std::uint64_t>(rank) + i; };
    for (std::size_t i = 0; i < 128; ++i) r.out->fill({i * 1024, 1000}, of(r.rank(), i));
    OK(link->meet(r.soon()));
    std::vector<int> puts, gets;
    for (std::size_t i = 0; i < 64; ++i) {
      puts.push_back(side(link).start_put({i * 1024, 1000}, i * 1024));
      gets.push_back(side(link).start_get({(64 + i) * 1024, 1000}, (64 + i) * 1024));
    }
    for (std::size_t i = 0; i < 64; ++i) OK(link->wait(gets[(i * 37 + 5) % 64], r.soon()));
    for (std::size_t i = 0; i < 64; ++i) OK(link->wait(puts[63 - i], r.soon()));
    OK(side(link).flush(r.soon()));
    OK(link->meet(r.soon()));
    for (std::size_t i = 0; i < 128; ++i)
      EXPECT_TRUE(r.in->holds({i * 1024, 1000}, of(1 - r.rank(), i))) << i;
    part(r, *link);
  });
}

TEST_F(OneSidedContract, large_transfers_go_both_ways_at_once_and_together_with_messages) {
  constexpr std::size_t large = 12 << 20;
  on_ranks(2, 3 * large, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    for (const std::size_t at : {std::size_t{0}, 2 * large})
      r.out->fill({at, large}, 5 + static_cast<std::uint64_t>(r.rank()));
    const int in = link->start_recv({2 * large, large});
    OK(link->meet(r.soon()));
    side(link).start_put({0, large}, 0);
    const int out = link->start_send({2 * large, large});
    const int get = side(link).start_get({large, large}, 0);
    OK(side(link).flush(r.soon()));
    for (const int ticket : {in, out, get}) OK(link->wait(ticket, r.soon()));
    OK(link->meet(r.soon()));
    for (const std::size_t at : {std::size_t{0}, large, 2 * large})
      EXPECT_TRUE(r.in->holds({at, large}, 6 - static_cast<std::uint64_t>(r.rank()))) << at;
    part(r, *link);
  });
}

TEST_F(OneSidedContract, zero_bytes_can_be_put_and_got_even_at_the_end_of_the_memory) {
  on_ranks(2, 64, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    OK(link->meet(r.soon()));
    if (r.rank() == 0)
      for (const std::size_t at : {0, 64}) {
        OK(link->wait(side(link).start_put({0, 0}, at), r.soon()));
        OK(side(link).flush(r.soon()));
        OK(link->wait(side(link).start_get({0, 0}, at), r.soon()));
      }
    OK(side(link).flush(r.soon())) << "a flush of nothing";
    part(r, *link);
  });
}

TEST_F(OneSidedContract, an_offset_outside_the_peers_memory_is_refused_and_the_link_still_works) {
  constexpr std::size_t size = 4096;
  on_ranks(2, size, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    if (r.rank() == 1) r.out->fill({0, 64}, 8);
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      for (const std::size_t at : {size - 63, size + 1, SIZE_MAX - 32, SIZE_MAX / 2}) {
        EXPECT_EQ(side(link).start_put({0, 64}, at), no_ticket) << at;
        EXPECT_EQ(side(link).start_get({0, 64}, at), no_ticket) << at;
      }
      EXPECT_EQ(link->wait(no_ticket, r.soon()), Outcome::broken);
      r.out->fill({0, 64}, 9);
      side(link).start_put({0, 64}, size - 64);
      OK(side(link).flush(r.soon()));
      OK(link->wait(side(link).start_get({0, 64}, 0), r.soon()));
      EXPECT_TRUE(r.in->holds({0, 64}, 8));
    }
    OK(link->meet(r.soon()));
    if (r.rank() == 1) EXPECT_TRUE(r.in->holds({size - 64, 64}, 9));
    part(r, *link);
  });
}

// Gives every rank two links, connected in the rounds 0-1, 1-2, 2-0.
std::map<int, std::unique_ptr<Link>> ring(Rank& r) {
  std::map<int, std::unique_ptr<Link>> links;
  std::map<int, Blob> offers;
  const auto each_peer = [&](auto call) {
    for (const auto& [x, y] : {std::pair{0, 1}, {1, 2}, {2, 0}})
      call(r.rank() == x ? y : r.rank() == y ? x : no_rank);
  };
  each_peer([&](int peer) { offers[peer] = r.exchange(peer, 1); });
  each_peer([&](int peer) {
    if (peer != no_rank) links[peer] = r.connect(peer, 1, offers[peer], r.soon());
  });
  each_peer([&](int peer) {
    if (peer != no_rank) OK(links[peer]->meet(r.soon()));
  });
  return links;
}

TEST_F(OneSidedContract, each_of_two_peers_is_served_during_a_wait_for_the_other) {
  constexpr std::size_t bytes = 1 << 20;
  on_ranks(3, 4 * bytes, [](Rank& r) {
    auto links = ring(r);
    const int next = (r.rank() + 1) % 3, before = (r.rank() + 2) % 3;
    ASSERT_TRUE(links[next] && links[before]);
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
      const auto seed = [&](int rank) { return 10 * turn + static_cast<std::uint64_t>(rank); };
      r.out->fill({0, bytes}, seed(r.rank()));
      for (const int peer : {std::min(next, before), std::max(next, before)}) OK(links[peer]->meet(r.soon()));
      // Every rank puts to the next one and gets from it, and no rank waits for the previous one.
      side(links[next]).start_put({0, bytes}, 0);
      const int get = side(links[next]).start_get({bytes, bytes}, 0);
      OK(side(links[next]).flush(r.soon()));
      OK(links[next]->wait(get, r.soon()));
      EXPECT_TRUE(r.in->holds({bytes, bytes}, seed(next)));
      for (const int peer : {std::min(next, before), std::max(next, before)}) OK(links[peer]->meet(r.soon()));
      EXPECT_TRUE(r.in->holds({0, bytes}, seed(before)));
    }
    for (auto& [peer, link] : links) OK(link->close(r.soon()));
  });
}

TEST_F(OneSidedContract, a_rank_serves_requests_of_two_peers_at_the_same_time) {
  constexpr std::size_t bytes = 1 << 16;
  on_ranks(3, 4 * bytes, [](Rank& r) {
    auto links = ring(r);
    for (std::uint64_t turn = 0; turn < 5; ++turn) {
      if (r.rank() == 0) {
        std::map<int, int> asked;
        for (const int peer : {1, 2}) asked[peer] = links[peer]->start_recv({0, 0});
        for (const int peer : {1, 2}) OK(links[peer]->meet(r.soon()));
        for (const int peer : {2, 1}) OK(links[peer]->wait(asked[peer], r.soon()));
        for (const int peer : {1, 2}) {
          const auto to = static_cast<std::size_t>(peer);
          r.out->fill({to * bytes, bytes}, 100 * turn + to);
          side(links[peer]).start_put({to * bytes, bytes}, bytes);
          OK(side(links[peer]).flush(r.soon()));
          OK(links[peer]->wait(side(links[peer]).start_get({to * bytes, bytes}, 0), r.soon()));
          EXPECT_TRUE(r.in->holds({to * bytes, bytes}, 1000 + 100 * turn + to));
          OK(links[peer]->wait(links[peer]->start_send({0, 0}), r.soon()));
        }
      } else {
        const auto us = static_cast<std::size_t>(r.rank());
        const int reply = links[0]->start_recv({0, 0});
        r.out->fill({0, bytes}, 1000 + 100 * turn + us);
        OK(links[0]->meet(r.soon()));
        OK(links[0]->wait(links[0]->start_send({0, 0}), r.soon()));
        OK(links[0]->wait(reply, r.soon()));
        EXPECT_TRUE(r.in->holds({bytes, bytes}, 100 * turn + us));
      }
    }
    for (auto& [peer, link] : links)
      if (r.rank() == 0 || peer == 0) OK(link->meet(r.soon()));
    if (r.rank() > 0) OK(links[3 - r.rank()]->meet(r.soon()));
    for (auto& [peer, link] : links) OK(link->close(r.soon()));
  });
}

TEST_F(OneSidedContract, a_hundred_links_one_after_the_other) {
  on_ranks(2, 64, [](Rank& r) {
    for (std::uint64_t epoch = 1; epoch <= 100; ++epoch) {
      auto link = r.link(peer_of(r), epoch);
      ASSERT_TRUE(link) << epoch;
      r.out->fill({0, 8}, epoch);
      OK(link->meet(r.soon()));
      side(link).start_put({0, 8}, 8);
      OK(side(link).flush(r.soon()));
      OK(link->wait(side(link).start_get({0, 8}, 0), r.soon()));
      OK(link->meet(r.soon()));
      EXPECT_TRUE(r.in->holds({0, 8}, epoch) && r.in->holds({8, 8}, epoch));
      part(r, *link);
    }
  });
}

TEST_F(OneSidedContract, more_than_two_gibibytes_are_put_and_got_completely) {
  if (!std::getenv("EVERYLINK_TEST_LONG")) GTEST_SKIP() << "make test-long runs it";
  constexpr std::size_t border = std::size_t{2} << 30, bytes = border + 9999;
  on_ranks(2, bytes, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    constexpr Slice looked_at[] = {{0, 4096}, {border - 4096, 8192}, {bytes - 9, 9}};
    if (r.rank() == 0)
      for (const Slice slice : looked_at) r.out->fill(slice, 9 + slice.offset);
    const Seconds until = r.soon() + 4 * patience();
    OK(link->meet(until));
    if (r.rank() == 0) side(link).start_put({0, bytes}, 0);
    if (r.rank() == 0) OK(side(link).flush(until));
    OK(link->meet(until));
    for (const Slice slice : looked_at) {
      if (r.rank() == 1) EXPECT_TRUE(r.in->holds(slice, 9 + slice.offset)) << slice.offset;
      r.in->fill(slice, 0);
    }
    if (r.rank() == 1) OK(link->wait(side(link).start_get({0, bytes}, 0), until));
    OK(link->meet(until));
    for (const Slice slice : looked_at)
      if (r.rank() == 1) EXPECT_TRUE(r.in->holds(slice, 9 + slice.offset)) << slice.offset;
    part(r, *link);
  });
}

TEST_F(OneSidedContract, both_kernels_move_complete_messages_in_the_right_direction) {
  on_ranks(2, 1 << 16, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    for (const char* name : {"put", "get"})
      for (const bool leads : {r.rank() == 0, r.rank() == 1}) {
        const Kernel& kernel = kernel_named(name);
        const auto us = static_cast<std::uint64_t>(r.rank());
        Checking checking{*r.out, *r.in, 70 + us, 71 - us};
        const Turn checked{1000, 20, 3, 8, 1, 8, 1024, r.soon()};
        Laps laps;
        OK(run_checked(kernel, *link, {.one_sided = &side(link)}, *r.transport, leads, checked, laps,
                       checking))
            << name;
        EXPECT_EQ(checking.wrong, 0) << name;
        EXPECT_EQ(laps.one_way.size(), leads ? 3 : 0) << name;
        if (!leads) EXPECT_EQ(laps.arrived, 23) << name;
        const Turn many{100, 200, 10, 100, 1, 1, 128, r.soon()};
        Laps more;
        OK(kernel.run(*link, {.one_sided = &side(link)}, *r.transport, leads, many, more)) << name;
        EXPECT_EQ(more.one_way.size(), leads ? 2 : 0) << name;
        if (!leads) EXPECT_EQ(more.arrived, 210) << name;
      }
    part(r, *link);
  });
}

// --- Peers that break the contract

class OneSidedFaults : public OneSidedContract {};

TEST_F(OneSidedFaults, a_passive_peer_costs_at_most_the_limit_and_started_transfers_continue) {
  if (mode_name == "sim") GTEST_SKIP() << "sim waits for the peer's process, and its network needs no CPU";
  if (mode_name == "mpi")
    GTEST_SKIP() << "MPI_Win_flush has no limit: the runner ends a rank that is stuck in it";
  constexpr std::size_t bytes = 8 << 20;
  on_ranks(2, bytes, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    r.out->fill({0, bytes}, static_cast<std::uint64_t>(r.rank()));
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      const Seconds begin = r.transport->now(), until = begin + limit();
      side(link).start_put({0, bytes}, 0);
      const int get = side(link).start_get({0, bytes}, 0);
      for (const auto outcome : {side(link).flush(until), link->wait(get, until)})
        EXPECT_TRUE(outcome == Outcome::ok || outcome == Outcome::timeout);
      EXPECT_LT(r.transport->now() - begin, 4 * limit());
      r.together();  // so far, the other end has made no library call
      OK(link->wait(get, r.soon()));
      OK(side(link).flush(r.soon()));
      EXPECT_TRUE(r.in->holds({0, bytes}, 1));
    } else {
      r.together();
    }
    OK(link->meet(r.soon()));
    if (r.rank() == 1) EXPECT_TRUE(r.in->holds({0, bytes}, 0));
    part(r, *link);
  });
}

TEST_F(OneSidedFaults, a_peer_that_dies_breaks_the_link_or_costs_its_limit) {
  if (mode_name == "mpi") GTEST_SKIP() << "MPI ends the job when a process dies";
  if (mode_name == "cuda")
    GTEST_SKIP() << "memory of a GPU that another process has opened outlives its owner";
  constexpr std::size_t bytes = 8 << 20;
  on_ranks(2, bytes, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    OK(link->meet(r.soon()));
    if (r.rank() == 1) ::_exit(0);  // only the kernel closes its sockets
    const Seconds begin = r.transport->now(), until = begin + 2 * limit();
    const bool adapters_die = mode_name != "sim";
    Outcome put = Outcome::ok;
    do {  // until the peer is gone, its memory can be written
      for (int i = 0; i < 3; ++i) side(link).start_put({0, bytes}, 0);
      put = side(link).flush(until);
    } while (adapters_die && put == Outcome::ok && r.transport->now() < until);
    const auto got = link->wait(side(link).start_get({0, bytes}, 0), until);
    if (adapters_die) EXPECT_NE(put, Outcome::ok);
    EXPECT_NE(got, Outcome::ok);
    if (adapters_die) EXPECT_LT(r.transport->now() - begin, 10 * limit());
    r.close_or_abandon(std::move(link));
  });
}

TEST_F(OneSidedFaults, a_peer_that_stops_and_continues_corrupts_nothing) {
  if (mode_name == "sim") GTEST_SKIP() << "in sim's virtual time a process cannot be stopped";
  if (mode_name == "mpi")
    GTEST_SKIP() << "MPI_Win_flush has no limit: the runner ends a rank that is stuck in it";
  constexpr std::size_t large = 32 << 20;
  on_ranks(3, large, [](Rank& r) {
    const Blob told = r.tell(peer_of(r), Packer().add(::getpid()).take());
    r.out->fill({0, large}, 100 + static_cast<std::uint64_t>(r.rank()));
    if (r.rank() == 2) {
      r.exchange(no_rank, 1);
      const Blob theirs = r.exchange_beside_a_stopped_one(0, 2);
      auto link = r.connect(0, 2, theirs, r.soon());
      ASSERT_TRUE(link);
      for (int i = 0; i < 3; ++i) OK(link->meet(r.soon() + patience()));
      OK(link->close(r.soon()));
      return r.idle();
    }
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    OK(link->meet(r.soon()));
    if (r.rank() == 1) {
      const int put = side(link).start_put({0, large}, 0);
      link->wait(put, 0);
      ::raise(SIGSTOP);
      side(link).flush(r.transport->now() + limit());
      link->wait(side(link).start_get({0, large}, 0), r.transport->now() + limit());
      r.close_or_abandon(std::move(link));
      r.exchange_beside_a_stopped_one(0, 3);
      return r.idle();
    }
    const auto peer = Unpacker(told).get<pid_t>();
    const Seconds until = r.transport->now() + limit();
    side(link).start_put({0, large}, 0);
    const int get = side(link).start_get({0, large}, 0);
    side(link).flush(until);
    link->wait(get, until);
    r.close_or_abandon(std::move(link));
    const Blob theirs = r.exchange_beside_a_stopped_one(2, 2);
    link = r.connect(2, 2, theirs, r.soon());
    ASSERT_TRUE(link) << "the link after a stopped one failed";
    OK(link->meet(r.soon()));
    OK(link->wait(side(link).start_get({0, large}, 0), r.soon()));
    EXPECT_TRUE(r.in->holds({0, large}, 102));
    ASSERT_EQ(::kill(peer, SIGCONT), 0);
    const int nothing = link->start_recv({0, 0});
    EXPECT_EQ(link->wait(nothing, r.transport->now() + limit()),
              Outcome::timeout);  // late messages arrive now
    OK(link->meet(r.soon()));
    EXPECT_TRUE(r.in->holds({0, large}, 102)) << "a late message overwrote it";
    OK(link->meet(r.soon()));
    r.close_or_abandon(std::move(link));
    r.exchange_beside_a_stopped_one(1, 3);
  });
}

}  // namespace
}  // namespace everylink::contract
