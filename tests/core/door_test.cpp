// How two ranks connect by sockets while strangers interfere.
#include "net/door.hpp"
#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <future>
#include <map>
#include <set>
#include <string>

#include "base/errors.hpp"
#include "base/pack.hpp"

namespace everylink {
namespace {

constexpr std::uint64_t epoch = 5;

Seconds patience() {
  const char* factor = std::getenv("EVERYLINK_TEST_PATIENCE");
  return factor ? std::atof(factor) : 1;
}
Seconds soon() { return steady_now() + 30 * patience(); }      // for what must happen
Seconds shortly() { return steady_now() + 0.2 * patience(); }  // for what must not happen

// Rank 0 calls, rank 1 listens; each in its own thread.
struct Two {
  Door caller, listener;
  Two() : caller(0, "", true), listener(1, "", true) {}
  Two(Door a, Door b) : caller(std::move(a)), listener(std::move(b)) {}
  static Two unmeasured() { return {Door::unmeasured(0, true), Door::unmeasured(1, true)}; }
  Blob of_caller = caller.offer(1, epoch), of_listener = listener.offer(0, epoch);

  std::pair<std::vector<Socket>, std::vector<Socket>> connect(int count, Seconds until) {
    auto called =
        std::async(std::launch::async, [&] { return listener.connect(0, epoch, of_caller, count, until); });
    auto calling = caller.connect(1, epoch, of_listener, count, until);
    return {std::move(calling), called.get()};
  }
};

struct Offered {
  Nonce nonce;
  std::string machine;
  std::vector<Address> addresses;
};
Offered unpacked(const Blob& offer) {
  Unpacker in(offer);
  Offered o{in.get<Nonce>(), in.text(), in.list<Address>()};
  return o;
}
Blob packed(const Offered& o) { return Packer().add(o.nonce).add(o.machine).add(o.addresses).take(); }

// Nobody sets padding, so it would send what was in memory before: bytes_of and Packer refuse it.
struct Padded {
  std::uint64_t whole;
  std::uint32_t half;
};
static_assert(!has_no_padding<Padded> && !has_no_padding<std::array<Padded, 2>>);
static_assert(has_no_padding<Address> && has_no_padding<std::array<double, 2>>);

void expect_joined(const Socket& a, const Socket& b, char letter) {
  const auto sent = static_cast<std::byte>(letter);
  std::byte got{};
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(send_all(a, View(&sent, 1), soon()));
  EXPECT_TRUE(receive_all(b, std::span(&got, 1), soon()));
  EXPECT_EQ(got, sent);
}

TEST(Door, two_ranks_find_each_other) {
  Two two;
  const auto [calling, called] = two.connect(1, soon());
  ASSERT_EQ(calling.size(), 1u);
  ASSERT_EQ(called.size(), 1u);
  expect_joined(calling[0], called[0], 'a');
  expect_joined(called[0], calling[0], 'b');
}

TEST(Door, where_sockets_are_not_measured_they_are_unix_sockets) {
  Two two = Two::unmeasured();
  const Address at = unpacked(two.of_listener).addresses.at(0);
  EXPECT_TRUE(at.is_abstract());
  EXPECT_TRUE(at.text().starts_with("@")) << at.text();
  const auto [calling, called] = two.connect(2, soon());
  ASSERT_TRUE(calling.size() == 2 && called.size() == 2);
  expect_joined(calling[1], called[1], 'a');
  EXPECT_EQ(local_address(called[0]).family(), AF_UNIX);
}

TEST(Door, strangers_who_fill_the_queue_of_a_unix_socket_do_not_keep_the_peer_out) {
  Two two = Two::unmeasured();
  std::vector<Socket> strangers;
  while (Socket one = start_connecting(unpacked(two.of_listener).addresses.at(0)))
    strangers.push_back(std::move(one));
  EXPECT_EQ(errno, EAGAIN);
  const auto [calling, called] = two.connect(1, soon());
  ASSERT_TRUE(calling.size() == 1 && called.size() == 1);
  expect_joined(calling[0], called[0], 'a');
}

TEST(Door, a_unix_socket_takes_no_address_of_a_network) {
  Two two = Two::unmeasured(), other;
  auto offer = unpacked(two.of_listener);
  offer.addresses = unpacked(other.of_listener).addresses;
  EXPECT_THROW(two.caller.connect(1, epoch, packed(offer), 1, soon()), std::exception);
  EXPECT_THROW(other.caller.connect(1, epoch, two.of_listener, 1, soon()), std::exception);
}

TEST(Door, the_i_th_socket_of_one_is_the_i_th_of_the_other) {
  Two two;
  const auto [calling, called] = two.connect(5, soon());
  ASSERT_EQ(calling.size(), 5u);
  ASSERT_EQ(called.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) expect_joined(calling[i], called[i], static_cast<char>('a' + i));
}

TEST(Door, it_opens_for_several_peers_in_one_epoch) {
  Door upper(2, "", true), first(0, "", true), second(1, "", true);
  const Blob to_first = upper.offer(0, epoch), to_second = upper.offer(1, epoch),
             of_first = first.offer(2, epoch), of_second = second.offer(2, epoch);
  auto a = std::async(std::launch::async, [&] { return first.connect(2, epoch, to_first, 1, soon()); });
  auto b = std::async(std::launch::async, [&] { return second.connect(2, epoch, to_second, 1, soon()); });
  const auto with_second = upper.connect(1, epoch, of_second, 1, soon()),
             with_first = upper.connect(0, epoch, of_first, 1, soon());
  const auto called_first = a.get(), called_second = b.get();
  ASSERT_TRUE(with_first.size() == 1 && with_second.size() == 1 && called_first.size() == 1 &&
              called_second.size() == 1);
  expect_joined(with_first[0], called_first[0], '0');
  expect_joined(with_second[0], called_second[0], '1');
}

TEST(Door, a_caller_that_reaches_the_wrong_rank_learns_which) {
  Door caller(0, "", true), wrong(7, "", true), meant(1, "", true);
  auto of_meant = unpacked(meant.offer(0, epoch));
  of_meant.addresses = unpacked(wrong.offer(3, epoch)).addresses;  // as if two hosts had one address
  const Blob of_caller = caller.offer(1, epoch);
  auto other = std::async(std::launch::async, [&] {
    return wrong.connect(3, epoch, Door(3, "", true).offer(7, epoch), 1, steady_now() + 2 * patience());
  });
  EXPECT_TRUE(caller.connect(1, epoch, packed(of_meant), 1, soon()).empty());
  EXPECT_EQ(caller.last_fault(), "answered by rank 7");
  EXPECT_TRUE(other.get().empty()) << "and it is not mistaken for the expected rank";
}

void expect_a_fault_that_names_the_address(Two two) {
  two.listener.offer(0, epoch + Door::most_epochs_ahead + 1);  // closes the listener of this epoch
  EXPECT_TRUE(two.caller.connect(1, epoch, two.of_listener, 1, soon()).empty());
  EXPECT_NE(two.caller.last_fault().find(unpacked(two.of_listener).addresses.at(0).text()), std::string::npos)
      << two.caller.last_fault();
}

TEST(Door, if_nobody_listens_the_fault_names_the_address) {
  expect_a_fault_that_names_the_address(Two());
  expect_a_fault_that_names_the_address(Two::unmeasured());
}

TEST(Door, listeners_of_an_epoch_use_the_same_port_on_different_hosts) {
  const auto port_at = [](std::uint64_t number) {
    return unpacked(Door(1, "", false).offer(0, number)).addresses.at(0).port();
  };
  int same = 0;  // the previous one is closed by then, as if on another host
  for (std::uint64_t number = 100; number < 110; ++number) same += port_at(number) == port_at(number);
  EXPECT_GE(same, 8) << "except for ports in use";
  Door first(1, "", false), second(2, "", false);
  EXPECT_NE(unpacked(first.offer(0, epoch)).addresses.at(0).port(),
            unpacked(second.offer(0, epoch)).addresses.at(0).port())
      << "on one host each uses its own port";
}

TEST(Door, a_half_open_caller_does_not_use_up_the_limit) {
  Two two;
  const Address there = unpacked(two.of_listener).addresses.at(0);
  const Socket silent = connect_to(there, soon()), halfway = connect_to(there, soon()),
               garbage = connect_to(there, soon());
  { const Socket leaves_at_once = connect_to(there, soon()); }
  const std::byte some[60]{};
  EXPECT_TRUE(send_all(halfway, View(some, 7), soon()));
  EXPECT_TRUE(send_all(garbage, some, soon()));
  const auto [calling, called] = two.connect(1, soon());
  ASSERT_EQ(calling.size(), 1u);
  ASSERT_EQ(called.size(), 1u);
  expect_joined(calling[0], called[0], 'a');
}

TEST(Door, a_caller_with_a_wrong_nonce_is_refused) {
  Two two;
  auto wrong = unpacked(two.of_listener);
  wrong.nonce[0] ^= std::byte{1};
  two.of_listener = packed(wrong);
  const auto [calling, called] = two.connect(1, shortly());
  EXPECT_TRUE(calling.empty());
  EXPECT_TRUE(called.empty());
}

TEST(Door, a_listener_that_does_not_prove_its_identity_is_not_accepted) {
  Two two;
  auto wrong = unpacked(two.of_caller);  // the listener echoes a nonce that is not the caller's
  wrong.nonce[15] ^= std::byte{1};
  two.of_caller = packed(wrong);
  EXPECT_TRUE(two.connect(1, shortly()).first.empty());
}

TEST(Door, an_offer_of_an_earlier_epoch_does_not_connect) {
  Two two;
  const Blob stale = two.of_listener;
  two.of_caller = two.caller.offer(1, epoch + 1);
  two.of_listener = two.listener.offer(0, epoch + 1);
  auto called = std::async(std::launch::async,
                           [&] { return two.listener.connect(0, epoch + 1, two.of_caller, 1, shortly()); });
  EXPECT_TRUE(two.caller.connect(1, epoch + 1, stale, 1, shortly()).empty());
  EXPECT_TRUE(called.get().empty());
  EXPECT_TRUE(two.caller.connect(1, epoch, stale, 1, soon()).empty()) << "the old offer is forgotten";
}

TEST(Door, without_an_offer_of_our_own_there_is_no_connection) {
  Two two;
  EXPECT_TRUE(Door(0, "", true).connect(1, epoch, two.of_listener, 1, soon()).empty());
}

TEST(Door, a_peer_that_never_comes_is_not_reached_and_the_limit_is_kept) {
  Two two;
  const Seconds until = shortly();
  EXPECT_TRUE(two.listener.connect(0, epoch, two.of_caller, 1, until).empty());
  EXPECT_GE(steady_now(), until) << "it might still have arrived";
  EXPECT_LT(steady_now(), until + 30 * patience());
}

TEST(Door, a_peer_that_listens_but_never_answers_is_not_reached) {
  Two two;
  const Seconds until = shortly();
  EXPECT_TRUE(two.caller.connect(1, epoch, two.of_listener, 1, until).empty());
  EXPECT_LT(steady_now(), until + 30 * patience());
}

TEST(Door, offers_made_ahead_connect_in_turn_with_a_note_and_an_earlier_one_is_then_closed) {
  Two two;  // their offers of `epoch` are not used
  const Blob skipped = two.of_listener;
  std::map<std::uint64_t, std::pair<Blob, Blob>> offers;
  for (const std::uint64_t later : {1, 2})
    offers[later] = {two.caller.offer(1, epoch + later), two.listener.offer(0, epoch + later)};
  for (const std::uint64_t later : {1, 2}) {
    const auto& [from_caller, from_listener] = offers[later];
    std::uint64_t of_listener = 100 + later, of_caller = later;
    auto called = std::async(std::launch::async, [&, &offer = from_caller] {
      return two.listener.connect(0, epoch + later, offer, 1, soon(), &of_listener);
    });
    EXPECT_EQ(two.caller.connect(1, epoch + later, from_listener, 1, soon(), &of_caller).size(), 1u);
    EXPECT_EQ(called.get().size(), 1u);
    EXPECT_EQ(of_listener, later);
    EXPECT_EQ(of_caller, 100 + later);
  }
  EXPECT_TRUE(two.caller.connect(1, epoch, skipped, 1, soon()).empty());
}

TEST(Door, if_nobody_listens_the_caller_learns_it_at_once) {
  Two two;
  two.listener.offer(0, epoch + Door::most_epochs_ahead + 1);  // closes the listener of this epoch
  EXPECT_TRUE(two.caller.connect(1, epoch, two.of_listener, 1, soon()).empty());
}

TEST(Door, a_dead_address_is_skipped_for_one_that_works) {
  Two two;
  auto more = unpacked(two.of_listener);
  Address refused;
  {
    const Socket closed = listen_on(loopback(0), 1);
    refused = local_address(closed);
  }
  more.addresses.insert(more.addresses.begin(), refused);
  two.of_listener = packed(more);
  const auto [calling, called] = two.connect(1, soon());
  ASSERT_EQ(calling.size(), 1u);
  expect_joined(calling[0], called.at(0), 'a');
}

TEST(Door, an_address_that_drops_calls_leaves_time_for_the_others) {
  Two two;
  const Socket full = listen_on(loopback(0), 0);  // once its queue is full, the kernel drops callers
  std::vector<Socket> queue;
  do queue.push_back(connect_to(local_address(full), shortly()));
  while (queue.back());
  auto more = unpacked(two.of_listener);
  more.addresses.insert(more.addresses.begin(), local_address(full));
  two.of_listener = packed(more);
  const auto [calling, called] = two.connect(1, steady_now() + 4 * patience());
  ASSERT_EQ(calling.size(), 1u);
  expect_joined(calling[0], called.at(0), 'a');
}

TEST(Door, a_chosen_interface_is_the_only_one_offered) {
  for (const auto& one : interfaces()) {
    const Door chosen(1, one.address.host_text(), false);
    for (const auto& i : chosen.interfaces()) EXPECT_EQ(i.address.host_text(), one.address.host_text());
    std::set<std::string> of_interface, offered;
    for (const auto& i : interfaces_named(one.name, "")) of_interface.insert(i.address.host_text());
    for (const auto& address : unpacked(Door(1, one.name, false).offer(0, epoch)).addresses)
      offered.insert(address.host_text());
    EXPECT_EQ(offered, of_interface) << "of both families, if it has them";
  }
}

Blob of_another_machine(const std::vector<Address>& addresses) {
  return packed({.nonce = {}, .machine = "another", .addresses = addresses});
}

TEST(Door, ranks_without_a_common_address_family_are_told_so_at_once_and_no_network_is_blamed) {
  std::vector<Interface> far;
  for (const auto& one : interfaces())
    if (!one.is_loopback && one.address.family() == AF_INET) far.push_back(one);
  if (far.empty()) GTEST_SKIP() << "no IPv4 interface here";
  for (const int rank : {0, 2}) {  // it calls; it listens
    Door door(rank, far.front().address.host_text(), false);
    static_cast<void>(door.offer(1, epoch));
    const Address six = parse_address("[2001:db8::1]:4000", "test");
    try {
      door.connect(1, epoch, of_another_machine({six}), 1, soon());
      FAIL() << "it connected";
    } catch (const LocalFault& fault) {
      EXPECT_EQ(fault.cause, "no address family in common with the peer: IPv4 here, IPv6 there");
    }
  }
}

TEST(Door, without_a_free_descriptor_it_is_this_host_that_is_named) {
  Two two;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string said;
  try {
    two.caller.connect(1, epoch, two.of_listener, 1, soon());
  } catch (const LocalFault& fault) {
    said = fault.cause;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(said, "too many open files");
}

TEST(Door, on_one_machine_it_opens_on_loopback_alone) {
  const auto offered = unpacked(Door(1, "", true).offer(0, epoch));
  ASSERT_FALSE(offered.addresses.empty());
  for (const auto& address : offered.addresses)
    EXPECT_TRUE(address.host_text() == "127.0.0.1" || address.host_text() == "::1") << address.text();
}

TEST(Door, an_unknown_interface_is_refused_with_the_known_ones) {
  try {
    Door door(0, "warp0", false);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("interface=warp0"), std::string::npos) << error.what();
    for (const auto& one : interfaces())
      EXPECT_NE(std::string(error.what()).find(one.name + " (" + one.address.host_text() + ")"),
                std::string::npos)
          << error.what();
  }
}

}  // namespace
}  // namespace everylink
