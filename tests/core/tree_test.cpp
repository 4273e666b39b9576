// Rounds in a tree: hosts are only names, all on loopback. Ranks are redirected, lose the rank above them,
// and reach rank 0 through others.
#include "bootstrap/tree.hpp"
#include "base/clock.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "bootstrap/place.hpp"
#include "net/socket.hpp"
#include "world.hpp"

namespace everylink {
namespace {

Mac host(int number) { return host_hash({.host = "host " + std::to_string(number)}); }
Hello arriving(int rank, int on_host) {
  Hello hello;
  hello.rank = rank;
  hello.host = host(on_host);
  hello.listens = AddressList::of({loopback(1000 + rank)});
  return hello;
}

TEST(Tree, each_host_of_ten_thousand_has_at_most_32_below_it) {
  constexpr int hosts = 10000;
  Tree tree(hosts, host(0), 512);
  std::map<int, int> below, depth{{0, 0}};
  for (int rank = 1; rank < hosts; ++rank) {
    const Reply reply = tree.place(arriving(rank, rank));
    EXPECT_TRUE(reply.keep_listening);
    ASSERT_TRUE(depth.contains(reply.rank)) << rank << " is redirected to a rank that has not arrived yet";
    ++below[reply.rank];
    depth[rank] = depth[reply.rank] + 1;
    EXPECT_LE(depth[rank], 3);
    EXPECT_EQ(reply.decision, reply.rank == 0 ? Decision::welcome : Decision::redirected);
  }
  for (const auto& [rank, count] : below) EXPECT_LE(count, 32) << rank;
  EXPECT_EQ(tree.relays().size(), 4u);
  EXPECT_EQ(tree.levels(), 4);
}

TEST(Tree, the_ranks_of_a_host_are_below_its_first_rank_or_below_rank_0_on_its_host) {
  Tree tree(1000, host(0), 512);
  EXPECT_EQ(tree.place(arriving(5, 1)).decision, Decision::welcome);
  EXPECT_EQ(tree.place(arriving(4, 1)).rank, 5);
  EXPECT_FALSE(tree.place(arriving(4, 1)).keep_listening);
  EXPECT_EQ(tree.place(arriving(1, 0)).decision, Decision::welcome);
  EXPECT_FALSE(tree.place(arriving(1, 0)).keep_listening);
}

TEST(Tree, a_rank_that_lost_the_first_of_its_host_takes_its_place_and_the_others_are_redirected_there) {
  Tree tree(1000, host(0), 512);
  tree.place(arriving(5, 1));
  Hello orphan = arriving(7, 1), other = arriving(6, 1);
  orphan.lost = other.lost = 5;
  EXPECT_EQ(tree.place(orphan).decision, Decision::welcome);
  const Reply redirected = tree.place(other);
  EXPECT_EQ(redirected.decision, Decision::redirected);
  EXPECT_EQ(redirected.rank, 7);
  EXPECT_EQ(redirected.there.whole().at(0).port(), 1007);
}

TEST(Tree, a_rank_with_others_below_it_is_never_redirected) {
  Tree tree(1000, host(0), 512);
  for (int rank = 1; rank < 100; ++rank) tree.place(arriving(rank, rank));
  Hello with_children = arriving(70, 70);
  with_children.has_children = 1;
  with_children.lost = 2;
  EXPECT_EQ(tree.place(with_children).decision, Decision::welcome);
}

TEST(Tree, in_a_star_all_ranks_are_below_rank_0_and_four_keep_listening) {
  Tree tree(512, host(0), 512);
  EXPECT_EQ(tree.levels(), 1);
  std::set<int> listening;
  for (int rank = 1; rank < 512; ++rank) {
    const Reply reply = tree.place(arriving(rank, rank / 8));
    EXPECT_EQ(reply.decision, Decision::welcome);
    if (reply.keep_listening) listening.insert(rank);
  }
  EXPECT_EQ(listening, (std::set<int>{8, 16, 24, 32})) << "the first of four hosts that are not rank 0's";
}

// Records everything that reached rank 0: each message names its rank and round.
class Book {
 public:
  Decide decide() {
    return [this](std::span<const Submitted> submitted, std::span<const int>) {
      const std::lock_guard lock(mutex_);
      std::set<std::string> sorted;
      for (const auto& one : submitted) {
        const std::string message = std::to_string(one.rank) + ":" + text(one.to_rank_0);
        ++seen_[message];
        sorted.insert(message);
      }
      std::string word;
      for (const auto& one : sorted) word += one + " ";
      return blob(word);
    };
  }
  int times(int rank, std::uint64_t round) {
    const std::lock_guard lock(mutex_);
    return seen_[std::to_string(rank) + ":" + std::to_string(round)];
  }
  void expect_nothing_twice() {
    const std::lock_guard lock(mutex_);
    for (const auto& [message, times] : seen_) EXPECT_EQ(times, 1) << message;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> seen_;
};

Round hold_round(Bootstrap& world, std::uint64_t number, int peer, const Decide& decide = never) {
  return must(world.round(blob(std::to_string(number)), {{peer, blob("to " + std::to_string(peer))}},
                          long_limit(), decide));
}

// Each rank joins after the one before it, so that the tree is known.
void start_in_order(Star& star, const std::map<int, std::string>& hosts, const Star::Part& part) {
  for (const auto& [rank, on_host] : hosts) {
    auto joined = std::make_shared<Event>();
    star.start(star.place_on(on_host, rank), [joined, part](Bootstrap& world) {
      if (world.rank() > 0) joined->happens();
      part(world);
    });
    if (rank > 0) joined->wait();
  }
}

const std::map<int, std::string> three_hosts{{0, "a"}, {1, "b"}, {2, "b"}, {3, "b"}, {4, "c"},
                                             {5, "c"}, {6, "a"}, {7, "c"}, {8, "b"}};

std::map<int, std::vector<Round>> all_rounds(int tree_above) {
  Star star(9, tree_above);
  Book book;
  std::mutex mutex;
  std::map<int, std::vector<Round>> rounds;
  start_in_order(star, three_hosts, [&](Bootstrap& world) {
    for (int number = 0; number < 12; ++number) {
      const int peer = world.rank() == 8 ? no_rank : (world.rank() ^ (1 + number % 7));
      const Round round = hold_round(world, static_cast<std::uint64_t>(number), peer, book.decide());
      const std::lock_guard lock(mutex);
      rounds[world.rank()].push_back(round);
    }
  });
  star.wait();
  book.expect_nothing_twice();
  return rounds;
}

TEST(Tree, its_rounds_equal_those_of_a_star) {
  const auto of_star = all_rounds(512), of_tree = all_rounds(4);
  ASSERT_EQ(of_star.size(), 9u);
  for (const auto& [rank, rounds] : of_star) {
    ASSERT_EQ(rounds.size(), 12u);
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const Round &a = rounds[i], &b = of_tree.at(rank).at(i);
      EXPECT_EQ(a.number, b.number);
      EXPECT_EQ(text(a.decision), text(b.decision));
      EXPECT_EQ(a.gone, b.gone);
      EXPECT_EQ(text(a.from_peers.at(0)), text(b.from_peers.at(0))) << "rank " << rank << " round " << i;
      EXPECT_EQ(text(a.from_peers.at(0)), rank == 8 ? "" : "to " + std::to_string(rank)) << rank << " " << i;
    }
  }
}

TEST(Tree, when_the_first_rank_of_a_host_is_killed_the_others_continue_and_nothing_counts_twice) {
  Star star(9, 4);
  Book book;
  start_in_order(star, three_hosts, [&](Bootstrap& world) {
    for (std::uint64_t number = 0; number < 8; ++number) {
      if (world.rank() == 1 && number == 3) return;  // 2, 3 and 8 are below it
      const Round round = hold_round(world, number, world.rank() ^ 1, book.decide());
      EXPECT_EQ(round.number, number) << world.rank();
      EXPECT_EQ(round.gone, number < 3 ? Ranks{} : Ranks{1}) << world.rank() << " " << number;
      if (world.rank() != 8 && (number < 3 || (world.rank() ^ 1) != 1))
        EXPECT_EQ(text(round.from_peers.at(0)), "to " + std::to_string(world.rank())) << number;
    }
  });
  star.wait();
  book.expect_nothing_twice();
  for (int rank = 0; rank < 9; ++rank)
    for (std::uint64_t number = 0; number < (rank == 1 ? 3u : 8u); ++number)
      EXPECT_EQ(book.times(rank, number), 1) << rank << " " << number;
}

TEST(Tree, a_rank_that_sleeps_for_many_rounds_comes_back_and_so_do_the_ranks_below_it) {
  Star star(9, 4);
  Book book;
  Event slept;
  const auto leads = [&](Bootstrap& world) {
    for (std::uint64_t number = 0;; ++number) {
      const bool without_1 = number >= 2 && number < 5;
      const Round round = must(world.round(blob(std::to_string(number)), {},
                                           without_1 ? short_limit() : long_limit(), book.decide()));
      if (without_1) {  // the ranks below it may have completed one more round
        EXPECT_EQ(round.gone.at(0), 1) << number;
        for (const int rank : round.gone) EXPECT_TRUE(rank <= 3 || rank == 8) << rank;
      }
      if (number == 5) slept.happens();
      if (number > 5 && round.gone.empty()) break;
      if (number > 5)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the step that others measure
    }
    must(world.round({}, {}, long_limit(), [](auto, auto) { return Blob(); }));
  };
  start_in_order(star, three_hosts, [&](Bootstrap& world) {
    if (world.rank() == 0) return leads(world);
    for (std::uint64_t number = 0;;) {
      if (world.rank() == 1 && number == 2) slept.wait();
      const Round round = hold_round(world, number, no_rank);
      if (round.decision.empty()) break;
      if (world.rank() > 3 && world.rank() < 8) EXPECT_EQ(round.number, number);
      number = round.number + 1;
    }
  });
  star.wait();
  book.expect_nothing_twice();
}

TEST(Tree, without_rank_0_all_ranks_end_soon) {
  Star star(9, 4);
  const Seconds began = steady_now();
  start_in_order(star, three_hosts, [&](Bootstrap& world) {
    hold_round(world, 0, no_rank, Book().decide());
    if (world.rank() > 0) EXPECT_FALSE(world.round({}, {}, 600 * patience(), never));
  });
  star.wait();
  EXPECT_LT(steady_now() - began, 60 * patience());
}

// A path between two ranks that can be cut: it forwards bytes both ways.
class Cable {
 public:
  explicit Cable(const Address& to) : to_(to), thread_([this] { pass_on(); }) {}
  ~Cable() {
    cut();
    thread_.join();
  }
  Address address() const { return address_; }
  void cut() { is_cut_ = true; }  // every connection is reset, and new ones are refused

 private:
  void pass_on() {
    std::vector<std::pair<Socket, Socket>> ends;
    while (!is_cut_) {
      std::vector<pollfd> polled{{listener_.fd(), POLLIN, 0}};
      for (const auto& [a, b] : ends) {
        polled.push_back({a.fd(), POLLIN, 0});
        polled.push_back({b.fd(), POLLIN, 0});
      }
      ::poll(polled.data(), polled.size(), 5);
      for (auto& [a, b] : ends) move(a, b), move(b, a);
      std::erase_if(ends, [](const auto& pair) { return !pair.first; });
      while (Socket caller = accept_from(listener_))
        ends.emplace_back(std::move(caller), connect_to(to_, steady_now() + long_limit()));
    }
    for (auto& [a, b] : ends) reset(a), reset(b);
    listener_ = Socket();
  }
  static void move(Socket& from, Socket& to) {
    std::byte bytes[65536];
    const ssize_t n = from ? ::recv(from.fd(), bytes, sizeof bytes, 0) : -1;
    if (n > 0) send_all(to, View(bytes, static_cast<std::size_t>(n)), steady_now() + long_limit());
    if (n == 0) from = Socket(), to = Socket();
  }

  Address to_;
  Socket listener_ = listen_on(loopback(0), 16);
  Address address_ = local_address(listener_);
  std::atomic<bool> is_cut_ = false;
  std::thread thread_;
};

TEST(Relay, a_rank_that_loses_the_way_to_rank_0_continues_through_another_rank_and_misses_no_round) {
  Star star(4);
  Book book;
  Cable cable(star.address());
  const auto part = [&](Bootstrap& world) {
    for (std::uint64_t number = 0; number < 8; ++number) {
      if (world.rank() == 3 && number == 3) cable.cut();
      const Round round = hold_round(world, number, 3 - world.rank(), book.decide());
      EXPECT_EQ(round.number, number);
      EXPECT_EQ(round.gone, Ranks{}) << world.rank() << " " << number;
      EXPECT_EQ(text(round.from_peers.at(0)), "to " + std::to_string(world.rank())) << number;
    }
  };
  for (int rank = 0; rank < 3; ++rank) star.start(star.place_on(std::string(1, "abc"[rank]), rank), part);
  Place behind = star.place_on("d", 3);
  behind.rendezvous = {cable.address()};
  star.start(std::move(behind), part);
  star.wait();
  book.expect_nothing_twice();
}

TEST(Relay, a_rank_that_cannot_reach_rank_0_at_all_joins_through_one_that_listens) {
  Star star(4);
  Book book;
  auto of_relay = tcp_network().listen(loopback(0), 16);
  const Relay relay{1, of_relay->addresses()};
  Address nowhere;
  {
    const Socket closed = listen_on(loopback(0), 1);
    nowhere = local_address(closed);
  }
  const auto part = [&](Bootstrap& world) {
    for (std::uint64_t number = 0; number < 4; ++number)
      EXPECT_EQ(hold_round(world, number, no_rank, book.decide()).gone, Ranks{});
  };
  Place cut_off = star.place_on("d", 3), first = star.place_on("b", 1);
  cut_off.rendezvous = {nowhere};
  cut_off.relays = {relay};
  first.listener = std::move(of_relay);
  star.start(std::move(cut_off), part);
  star.start(star.place_on("c", 2), part);
  star.start(star.place_on("a", 0), part);
  star.start(std::move(first), part);
  star.wait();
  book.expect_nothing_twice();
}

TEST(Relay, two_relays_that_have_lost_rank_0_do_not_wait_for_each_other) {
  Star star(4);
  const Seconds began = steady_now();
  const auto part = [&](Bootstrap& world) {
    hold_round(world, 0, no_rank, Book().decide());
    if (world.rank() > 0) EXPECT_FALSE(world.round({}, {}, 600 * patience(), never));
  };
  for (int rank = 0; rank < 4; ++rank) star.start(star.place_on(std::string(1, "abcd"[rank]), rank), part);
  star.wait();
  EXPECT_LT(steady_now() - began, 60 * patience());
}

}  // namespace
}  // namespace everylink
