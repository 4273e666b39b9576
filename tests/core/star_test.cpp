// Rounds in a star over loopback: ranks report, are gone and come back, and strangers call the rendezvous.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "host/signals.hpp"
#include "net/socket.hpp"
#include "world.hpp"

namespace everylink {
namespace {

TEST(Star, a_round_carries_reports_to_rank_0_and_its_order_back) {
  Star star(3);
  for (int rank = 0; rank < 3; ++rank)
    star.start(rank, [rank](Bootstrap& world) {
      EXPECT_EQ(world.rank(), rank);
      EXPECT_EQ(world.size(), 3);
      for (std::uint64_t number = 0; number < 20; ++number) {
        const Round round = submit(world, "r" + std::to_string(rank) + "n" + std::to_string(number));
        EXPECT_EQ(round.number, number);
        EXPECT_EQ(round.gone, Ranks{});
        EXPECT_EQ(round.from_peers, std::vector<Blob>(1));
        for (int other = 0; other < 3; ++other)
          EXPECT_NE(text(round.decision)
                        .find(std::to_string(other) + ":r" + std::to_string(other) + "n" +
                              std::to_string(number) + " "),
                    std::string::npos)
              << text(round.decision);
      }
    });
}

TEST(Star, an_offer_reaches_a_peer_only_if_both_name_each_other) {
  // 0 and 3 name each other; 1 names 2, which names 4; 4 names no rank; 5 names itself and 6 one that does
  // not exist.
  const int peers[] = {3, 2, 4, 0, no_rank, 5, 99};
  Star star(7);
  for (int rank = 0; rank < 7; ++rank)
    star.start(rank, [rank, peer = peers[rank]](Bootstrap& world) {
      const Round round = submit(world, "", peer, "from " + std::to_string(rank));
      EXPECT_EQ(text(round.from_peers.at(0)), rank == 0   ? "from 3"
                                              : rank == 3 ? "from 0"
                                              : rank == 5 ? "from 5"
                                                          : "")
          << rank;
      const Round next = submit(world, "", rank < 6 ? rank ^ 1 : no_rank, "again " + std::to_string(rank));
      EXPECT_EQ(text(next.from_peers.at(0)), rank < 6 ? "again " + std::to_string(rank ^ 1) : "")
          << "earlier reports are forgotten";
    });
}

TEST(Star, of_several_offers_the_ith_meets_the_ith_of_the_peer) {
  // Ranks 0 and 1 meet first, then 0 and 2, then 1 and 2, while the others have nobody to meet or name
  // another.
  const std::vector<int> peers[] = {{1, 2, no_rank, 1}, {0, no_rank, 2, 2}, {no_rank, 0, 1}};
  Star star(3);
  for (int rank = 0; rank < 3; ++rank)
    star.start(rank, [rank, &peers](Bootstrap& world) {
      std::vector<Offer> offers;
      std::vector<Blob> expected;
      for (const int peer : peers[rank]) {
        const auto number = std::to_string(offers.size());
        offers.push_back({peer, blob(std::to_string(rank) + " offers " + number)});
        const bool meets = peer != no_rank && offers.size() < 4;
        expected.push_back(meets ? blob(std::to_string(peer) + " offers " + number) : Blob());
      }
      EXPECT_EQ(must(world.round({}, offers, long_limit(), rank == 0 ? Decide(echo) : never)).from_peers,
                expected)
          << rank;
    });
}

TEST(Star, a_rank_that_does_not_report_is_gone_and_is_back_when_it_does) {
  Event two_rounds_over, late_is_told;
  Star star(3);
  star.start(0, [&](Bootstrap& world) {
    const auto round = [&](Seconds limit) {
      return must(world.round(blob("zero"), {{2, blob("offer of 0")}}, limit, echo));
    };
    EXPECT_EQ(round(short_limit()).gone, Ranks{2});
    const Round second = round(long_limit());  // does not wait for a rank that is gone
    EXPECT_EQ(second.number, 1u);
    EXPECT_EQ(second.gone, Ranks{2});
    EXPECT_TRUE(second.from_peers.at(0).empty());
    two_rounds_over.happens();
    std::string said;
    Round last = round(long_limit());
    for (said = text(last.decision); !last.gone.empty(); said += text(last.decision))
      last = round(long_limit());
    EXPECT_NE(said.find("2:late "), std::string::npos) << "a late report is kept: " << said;
    EXPECT_NE(said.find("2:back "), std::string::npos) << said;
    EXPECT_EQ(text(last.from_peers.at(0)), "offer of 2");
  });
  star.start(1, [&](Bootstrap& world) {
    EXPECT_EQ(submit(world, "").gone, Ranks{2});
    EXPECT_EQ(submit(world, "").gone, Ranks{2});
    late_is_told.wait();
    do std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the step that others measure
    while (!submit(world, "").gone.empty());
  });
  star.start(2, [&](Bootstrap& world) {
    two_rounds_over.wait();
    Round round = submit(world, "late", 0, "stale offer");
    EXPECT_EQ(round.number, 1u) << "not 0, the round of the report: the others have passed it";
    EXPECT_TRUE(round.from_peers.empty());
    late_is_told.happens();
    std::uint64_t wanted = 2;
    for (round = submit(world, "back", 0, "offer of 2"); round.number != wanted;
         round = submit(world, "back", 0, "offer of 2"))
      wanted = round.number + 1;
    EXPECT_EQ(round.gone, Ranks{});
    EXPECT_EQ(text(round.from_peers.at(0)), "offer of 0");
  });
}

TEST(Star, ranks_that_are_not_called_rest_and_nobody_waits_for_them) {
  constexpr std::uint64_t rounds = 20;
  Star star(3);
  star.start(0, [&](Bootstrap& world) {
    for (std::uint64_t number = 0; number < rounds; ++number) {
      std::string said;
      const auto calls_1 = [&](std::span<const Submitted> submitted, std::span<const int> gone) -> Decided {
        said = text(echo(submitted, gone));
        const bool calls_all = number == 0 || number + 2 >= rounds;
        return calls_all ? Decided(blob(said)) : Decided(blob(said), Ranks{0, 1});
      };
      const Round round = must(world.round(blob("zero"), {{2, {}}}, long_limit(), calls_1));
      EXPECT_EQ(round.gone, Ranks{}) << number;
      EXPECT_EQ(said.find("2:") != std::string::npos, number < 2 || number == rounds - 1) << number << said;
    }
  });
  star.start(1, [&](Bootstrap& world) {
    for (std::uint64_t number = 0; number < rounds; ++number) {
      const Round round = submit(world, "one");
      EXPECT_EQ(round.number, number);
      EXPECT_FALSE(round.rested);
    }
  });
  star.start(2, [&](Bootstrap& world) {
    EXPECT_FALSE(submit(world, "two", 0).rested);
    const Round called = submit(world, "two", 0);
    EXPECT_EQ(called.number, rounds - 2) << "it hears of no round in which it was not needed";
    EXPECT_TRUE(called.rested);
    EXPECT_TRUE(called.from_peers.empty());
    const Round last = submit(world, "two", 0);
    EXPECT_EQ(last.number, rounds - 1);
    EXPECT_FALSE(last.rested);
    EXPECT_EQ(last.from_peers.size(), 1u);
  });
}

TEST(Star, a_rank_that_is_late_by_one_round_learns_that_it_was_gone) {
  Event round_over, late_is_told;
  Star star(3);
  star.start(0, [&](Bootstrap& world) {
    EXPECT_EQ(must(world.round({}, {}, short_limit(), echo)).gone, Ranks{2});
    round_over.happens();
    submit(world, "");
  });
  star.start(1, [&](Bootstrap& world) {
    submit(world, "");
    late_is_told.wait();
    submit(world, "");
  });
  star.start(2, [&](Bootstrap& world) {
    round_over.wait();
    const Round told = submit(world, "");
    EXPECT_TRUE(told.number != 0 || told.gone == Ranks{2})
        << "round 0 was without this rank: all ranks must agree on that";
    late_is_told.happens();
  });
}

TEST(Star, a_rank_that_ends_is_gone_without_waiting_for_the_limit) {
  Event ended;
  Star star(3);
  star.start(0, [&](Bootstrap& world) {
    submit(world, "");
    ended.wait();
    const Seconds began = steady_now();
    EXPECT_EQ(must(world.round({}, {}, 600 * patience(), echo)).gone, Ranks{2});
    EXPECT_LT(steady_now() - began, 60 * patience());
  });
  star.start(1, [&](Bootstrap& world) {
    submit(world, "");
    EXPECT_EQ(submit(world, "").gone, Ranks{2});
  });
  auto place = std::make_shared<Place>(star.place(2, 3));
  std::async(std::launch::async, [&] { submit(*join(*place, long_limit()), ""); }).get();
  ended.happens();
}

// Runs in its own process, because the request to end cannot be undone.
TEST(Star, a_signal_to_rank_0_ends_its_wait_at_once) {
  EXPECT_EXIT(
      {
        handle_signals();
        Event over;
        Star star(2);
        star.start(1, [&](Bootstrap&) { over.wait(); });
        star.start(0, [&](Bootstrap& world) {
          std::thread asks([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            ::kill(::getpid(), SIGTERM);
          });
          const Seconds began = steady_now();
          const auto round = must(world.round({}, {}, 600 * patience(), echo));
          asks.join();
          over.happens();
          const bool right = round.gone == Ranks{1} && steady_now() - began < 60 * patience();
          std::fprintf(stderr, right ? "at once" : "late");
        });
        star.wait();
        ::_exit(0);
      },
      testing::ExitedWithCode(0), "at once");
}

TEST(Star, without_rank_0_the_others_end_at_once) {
  Star star(3);
  const Seconds began = steady_now();
  star.start(0, [](Bootstrap& world) { submit(world, ""); });
  for (const int rank : {1, 2})
    star.start(rank, [](Bootstrap& world) {
      submit(world, "");
      for (int i = 0; i < 2; ++i)
        EXPECT_FALSE(world.round({}, {}, 600 * patience(), never)) << "and for good";
    });
  star.wait();
  EXPECT_LT(steady_now() - began, 60 * patience());
}

TEST(Star, strangers_and_impostors_at_the_rendezvous_are_refused_and_the_run_continues) {
  Star star(2);
  const Socket silent = connect_to(star.address(), steady_now() + long_limit()),
               garbage = connect_to(star.address(), steady_now() + long_limit());
  EXPECT_TRUE(send_all(garbage, blob("GET / HTTP/1.1\r\nHost: rank0\r\n\r\n"), steady_now() + long_limit()));
  { const Socket leaves = connect_to(star.address(), steady_now() + long_limit()); }
  star.start(0, [](Bootstrap& world) {
    EXPECT_EQ(text(submit(world, "zero").decision).size(), std::strlen("0:zero 1:one "));
  });
  for (const auto& [rank, size] : {std::pair{1, 3}, {7, 2}, {2, 2}, {-1, 2}}) {
    auto place = star.place(rank, size);
    try {
      join(place, long_limit());
      ADD_FAILURE() << "rank " << rank << " of " << size;
    } catch (const MachineError& error) {
      EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(rank)), std::string::npos)
          << error.what();
    }
  }
  star.start(1, [](Bootstrap& world) { EXPECT_EQ(submit(world, "one").gone, Ranks{}); });
}

TEST(Star, a_second_rank_of_the_same_number_is_refused) {
  Star star(3);
  star.start(0, [](Bootstrap& world) { EXPECT_EQ(submit(world, "").gone, Ranks{}); });
  auto one = star.place(1, 3), twin = star.place(1, 3);
  const auto first = join(one, long_limit());
  EXPECT_THROW(join(twin, long_limit()), MachineError);
  star.start(2, [](Bootstrap& world) { submit(world, ""); });
  EXPECT_TRUE(first->round({}, {}, long_limit(), never));
}

TEST(Star, ranks_that_never_join_are_gone_in_the_first_round) {
  Star star(4);
  auto place = star.place(0, 4);
  star.start(2, [](Bootstrap& world) { EXPECT_EQ(submit(world, "").gone, (Ranks{1, 3})); });
  const auto world = join(place, 10 * short_limit());
  EXPECT_EQ(submit(*world, "").gone, (Ranks{1, 3}));
}

TEST(Star, a_rank_reports_that_no_process_listens_at_the_rendezvous) {
  Place place{.rank = 1, .size = 2, .bootstrap = "tcp"};
  {
    const Socket closed = listen_on(loopback(0), 1);
    place.rendezvous = {local_address(closed)};
  }
  try {
    join(place, short_limit());
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find(place.rendezvous[0].text()), std::string::npos) << error.what();
  }
}

TEST(Star, large_words_pass_in_both_directions) {
  constexpr std::size_t bytes = 8 << 20;
  Star star(3);
  for (int rank = 0; rank < 3; ++rank)
    star.start(rank, [rank](Bootstrap& world) {
      const Blob mine(bytes, static_cast<std::byte>(rank)), offer(bytes, static_cast<std::byte>(10 + rank));
      const auto decide = [](std::span<const Submitted> submitted, std::span<const int>) {
        EXPECT_EQ(submitted.size(), 3u);
        for (const auto& one : submitted)
          EXPECT_EQ(one.to_rank_0, Blob(bytes, static_cast<std::byte>(one.rank)));
        return Blob(bytes, std::byte{99});
      };
      const Round round =
          must(world.round(mine, {{rank ^ 1, offer}}, long_limit(), rank == 0 ? Decide(decide) : never));
      EXPECT_EQ(round.decision, Blob(bytes, std::byte{99}));
      EXPECT_EQ(round.from_peers.at(0),
                rank == 2 ? Blob() : Blob(bytes, static_cast<std::byte>(10 + (rank ^ 1))));
      submit(world, "");  // a rank that leaves has sent everything
    });
}

}  // namespace
}  // namespace everylink
