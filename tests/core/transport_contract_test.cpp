// The contract of a transport (core/transport/transport.hpp): the same tests over every transport. Faults are
// in transport_faults_test.cpp.
#include <map>

#include "base/errors.hpp"
#include "contract.hpp"

namespace everylink::contract {
namespace {

TEST(Contract, a_message_arrives_in_the_posted_receive) {
  on_ranks(2, 4096, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    ASSERT_TRUE(link);
    r.out->fill({64, 1000}, 10 + r.rank());
    const int in = link->start_recv({64, 1000});
    OK(link->meet(r.soon()));
    const int out = link->start_send({64, 1000});
    OK(link->wait(in, r.soon()));
    OK(link->wait(out, r.soon()));
    EXPECT_TRUE(r.in->holds({64, 1000}, 10 + 1 - r.rank()));
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, offers_made_for_several_epochs_at_once_connect_one_after_another) {
  if (!transport_named(mode_name).steps_ahead) GTEST_SKIP() << "each of its offers is for the next epoch";
  on_ranks(2, 4096, [](Rank& r) {
    std::map<std::uint64_t, Blob> theirs;
    for (const std::uint64_t number : {1, 2, 3}) {
      const int peer = peer_of(r);
      theirs[number] = r.tell(peer, peer == no_rank ? Blob() : r.transport->offer(peer, r.epoch(number)));
    }
    for (const std::uint64_t number : {1, 2, 3}) {
      auto link = r.connect(peer_of(r), number, theirs[number], r.soon());
      ASSERT_TRUE(link) << number;
      r.out->fill({64, 1000}, 10 * number + r.rank());
      const int in = link->start_recv({64, 1000});
      OK(link->meet(r.soon()));
      const int out = link->start_send({64, 1000});
      OK(link->wait(in, r.soon()));
      OK(link->wait(out, r.soon()));
      EXPECT_TRUE(r.in->holds({64, 1000}, 10 * number + 1 - r.rank()));
      OK(link->meet(r.soon()));
      OK(link->close(r.soon()));
    }
  });
}

TEST(Contract, sixty_four_tickets_each_way_are_waited_for_in_any_order) {
  on_ranks(2, 64 * 1024, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    std::vector<int> in, out;
    for (std::size_t i = 0; i < 64; ++i) {
      r.out->fill({i * 1024, 1000}, 100 * r.rank() + i);
      in.push_back(link->start_recv({i * 1024, 1000}));
    }
    OK(link->meet(r.soon()));
    for (std::size_t i = 0; i < 64; ++i) out.push_back(link->start_send({i * 1024, 1000}));
    for (std::size_t i = 0; i < 64; ++i) OK(link->wait(out[(i * 37 + 5) % 64], r.soon()));
    for (std::size_t i = 0; i < 64; ++i) OK(link->wait(in[63 - i], r.soon()));
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_TRUE(r.in->holds({i * 1024, 1000}, 100 * (1 - r.rank()) + i)) << i;
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, both_may_send_first_however_large_the_messages) {
  constexpr std::size_t large = 24 << 20;
  on_ranks(2, large, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    r.out->fill({0, large}, 5 + r.rank());
    const int in = link->start_recv({0, large});
    OK(link->meet(r.soon()));
    const int out = link->start_send({0, large});
    OK(link->wait(out, r.soon()));
    OK(link->wait(in, r.soon()));
    EXPECT_TRUE(r.in->holds({0, large}, 5 + 1 - r.rank()));
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, a_message_may_have_zero_bytes) {
  on_ranks(2, 64, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    const int first = link->start_recv({0, 0}), second = link->start_recv({0, 1});
    OK(link->meet(r.soon()));
    r.out->fill({0, 1}, 7);
    const int a = link->start_send({0, 0}), b = link->start_send({0, 1});
    for (const int ticket : {first, second, a, b}) OK(link->wait(ticket, r.soon()));
    EXPECT_TRUE(r.in->holds({0, 1}, 7));
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, messages_of_many_lengths_arrive_complete_and_in_order) {
  const std::vector<std::size_t> lengths{1,     7,     8,      4087, 4088,    4089, 4096,
                                         16383, 65536, 100001, 3,    1 << 20, 2};
  on_ranks(2, 1 << 21, [&](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Slice slice{i * 13, lengths[i]};
      const int in = link->start_recv(slice);
      OK(link->meet(r.soon()));
      r.out->fill(slice, 1000 + i);
      const int out = link->start_send(slice);
      OK(link->wait(in, r.soon()));
      OK(link->wait(out, r.soon()));
      EXPECT_TRUE(r.in->holds(slice, 1000 + i)) << lengths[i];
    }
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, a_zero_limit_is_a_test_and_a_late_one_leaves_the_ticket_open) {
  on_ranks(2, 64, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    const int in = r.rank() == 0 ? link->start_recv({0, 8}) : -1;
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      if (mode_name != "sim")
        EXPECT_EQ(link->wait(in, 0), Outcome::timeout);  // sim's clock knows when it will arrive
    }
    if (mode_name != "sim") r.together();
    r.out->fill({0, 8}, 3);
    const int out = r.rank() == 1 ? link->start_send({0, 8}) : -1;
    OK(link->wait(r.rank() == 0 ? in : out, r.soon()));
    if (r.rank() == 0) EXPECT_TRUE(r.in->holds({0, 8}, 3));
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, a_message_that_never_comes_is_a_timeout_at_its_limit) {
  on_ranks(2, 64, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    const int in = r.rank() == 0 ? link->start_recv({0, 8}) : -1;
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      const Seconds until = r.transport->now() + 0.2;
      if (mode_name == "sim") {
        r.together();
        EXPECT_EQ(link->wait(in, until), Outcome::timeout);
      } else {
        EXPECT_EQ(link->wait(in, until), Outcome::timeout);
        r.together();
      }
      EXPECT_GE(r.transport->now(), until);
    } else {
      if (mode_name == "sim")
        link->close(r.soon());  // in sim only the end of the stream shows that nothing will arrive
      r.together();
    }
    if (mode_name != "sim" || r.rank() == 0) link->close(r.soon());
  });
}

TEST(Contract, after_meet_the_peer_no_longer_needs_our_cpu) {
  on_ranks(2, 1 << 16, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    const int in = r.rank() == 1 ? link->start_recv({0, 1 << 16}) : -1;
    OK(link->meet(r.soon()));
    const int out = r.rank() == 0 ? link->start_send({0, 1 << 16}) : -1;
    OK(link->wait(r.rank() == 0 ? out : in, r.soon()));
    OK(link->meet(r.soon()));
    if (r.rank() == 0) {
      r.together();  // rank 1 finishes while rank 0 makes no library call
    } else {
      OK(link->close(r.soon()));
      r.together();
    }
    if (r.rank() == 0) OK(link->close(r.soon()));
  });
}

TEST(Contract, two_peers_at_once) {
  on_ranks(3, 4096, [](Rank& r) {
    const int a = (r.rank() + 1) % 3, b = (r.rank() + 2) % 3;
    // Each rank exchanges with one peer per round: 0-1, 1-2, 2-0.
    const auto meets = [&](int x, int y) { return r.rank() == x ? y : r.rank() == y ? x : no_rank; };
    std::map<int, Blob> offers;
    for (const auto& [x, y] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
      const int peer = meets(x, y);
      const Blob theirs = r.exchange(peer, 1);
      if (peer != no_rank) offers[peer] = theirs;
    }
    std::map<int, std::unique_ptr<Link>> links;
    for (const auto& [x, y] : {std::pair{0, 1}, {1, 2}, {2, 0}})
      if (const int peer = meets(x, y); peer != no_rank)
        links[peer] = r.connect(peer, 1, offers[peer], r.soon());
    ASSERT_TRUE(links[a] && links[b]);
    std::map<int, int> in;
    for (const int peer : {a, b})
      in[peer] = links[peer]->start_recv({static_cast<std::size_t>(peer) * 1024, 1000});
    for (const auto& [x, y] : {std::pair{0, 1}, {1, 2}, {2, 0}})
      if (const int peer = meets(x, y); peer != no_rank) OK(links[peer]->meet(r.soon()));
    const Slice ours{static_cast<std::size_t>(r.rank()) * 1024, 1000};
    r.out->fill(ours, 70 + r.rank());
    const int to_a = links[a]->start_send(ours), to_b = links[b]->start_send(ours);
    OK(links[a]->wait(to_a, r.soon()));
    OK(links[b]->wait(to_b, r.soon()));
    for (const int peer : {b, a}) {
      OK(links[peer]->wait(in[peer], r.soon()));
      EXPECT_TRUE(r.in->holds({static_cast<std::size_t>(peer) * 1024, 1000}, 70 + peer))
          << r.rank() << " from " << peer;
    }
    for (const auto& [x, y] : {std::pair{0, 1}, {1, 2}, {2, 0}})
      if (const int peer = meets(x, y); peer != no_rank) OK(links[peer]->meet(r.soon()));
    for (auto& [peer, link] : links) OK(link->close(r.soon()));
  });
}

TEST(Contract, messages_of_an_earlier_epoch_do_not_arrive_in_this_one) {
  on_ranks(2, 4096, [](Rank& r) {
    {
      auto old = r.link(peer_of(r), 1);
      OK(old->meet(r.soon()));
      r.out->fill({0, 64}, 1);
      if (r.rank() == 0) old->start_send({0, 64});  // nobody receives it
      old->close(r.transport->now() + 0.2);
    }
    auto link = r.link(peer_of(r), 2);
    ASSERT_TRUE(link);
    const int in = link->start_recv({0, 64});
    OK(link->meet(r.soon()));
    r.out->fill({0, 64}, 2);
    const int out = link->start_send({0, 64});
    OK(link->wait(in, r.soon()));
    OK(link->wait(out, r.soon()));
    EXPECT_TRUE(r.in->holds({0, 64}, 2));
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, a_hundred_links_one_after_the_other) {
  on_ranks(2, 64, [](Rank& r) {
    for (std::uint64_t epoch = 1; epoch <= 100; ++epoch) {
      auto link = r.link(peer_of(r), epoch);
      ASSERT_TRUE(link) << epoch;
      const int in = link->start_recv({0, 8});
      OK(link->meet(r.soon()));
      r.out->fill({0, 8}, epoch);
      const int out = link->start_send({0, 8});
      OK(link->wait(in, r.soon()));
      OK(link->wait(out, r.soon()));
      EXPECT_TRUE(r.in->holds({0, 8}, epoch));
      OK(link->meet(r.soon()));
      OK(link->close(r.soon()));
    }
  });
}

TEST(Contract, a_message_above_two_gibibytes_arrives_complete) {
  constexpr std::size_t bytes = (std::size_t{2} << 30) + 4097;
  on_ranks(2, bytes, [](Rank& r) {
    auto link = r.link(peer_of(r), 1);
    const int in = r.rank() == 1 ? link->start_recv({0, bytes}) : -1;
    if (r.rank() == 0) r.out->fill({0, bytes}, 9);
    r.together();  // filling takes long
    OK(link->meet(r.soon()));
    const int out = r.rank() == 0 ? link->start_send({0, bytes}) : -1;
    OK(link->wait(r.rank() == 0 ? out : in, r.soon() + 4 * patience()));
    if (r.rank() == 1) EXPECT_TRUE(r.in->holds({0, bytes}, 9));
    r.together();
    OK(link->meet(r.soon()));
    OK(link->close(r.soon()));
  });
}

TEST(Contract, the_clock_never_runs_backwards) {
  on_ranks(2, 64, [](Rank& r) {
    Seconds last = r.transport->now();
    for (int i = 0; i < 1000; ++i) {
      const Seconds now = r.transport->now();
      EXPECT_GE(now, last);
      last = now;
    }
  });
}

TEST(Contract, a_missing_peer_costs_its_limit_and_no_more) {
  on_ranks(2, 64, [](Rank& r) {
    const Blob theirs = r.exchange(peer_of(r), 1);
    if (r.rank() == 0 &&
        mode_name != "sim") {  // sim waits for the peer's process, and its network never refuses
      const Seconds begin = r.transport->now();
      auto link = r.connect(1, 1, theirs, begin + 0.3);
      if (link) {
        EXPECT_NE(link->meet(begin + 0.3), Outcome::ok);
        link->close(r.transport->now() + 0.2);
      }
      EXPECT_LT(r.transport->now() - begin, patience());
    }
    r.together();
  });
}

TEST(Contract, an_unknown_option_is_refused_by_name) {
  on_ranks(2, 64, [](Rank& r) {
    const everylink::Setup setup{r.rank(), 2, *r.out, *r.in, {{"no-such-option", "1"}}, true, true, true};
    try {
      transport_named(mode_name).make(setup);
      ADD_FAILURE() << "it was accepted";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("no-such-option"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace everylink::contract
