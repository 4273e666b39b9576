// Admission: only callers with the key are admitted, and each refusal is reported once.
#include "bootstrap/admission.hpp"
#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>

#include <optional>
#include <thread>

#include "base/errors.hpp"
#include "net/callers.hpp"
#include "net/tcp_network.hpp"
#include "world.hpp"

namespace everylink {
namespace {

Blob bytes_of_hex(const std::string& hex) {
  Blob bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}
std::string hex_of(const Mac& mac) {
  std::string text;
  for (const auto byte : mac) {
    text += "0123456789abcdef"[static_cast<int>(byte) / 16];
    text += "0123456789abcdef"[static_cast<int>(byte) % 16];
  }
  return text;
}

TEST(Hmac, matches_the_test_vectors_of_rfc_4231) {
  const auto repeated = [](std::size_t n, int byte) { return Blob(n, static_cast<std::byte>(byte)); };
  struct {
    Blob key, data;
    const char* mac;
  } const cases[] = {
      {repeated(20, 0x0b), blob("Hi There"),
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {blob("Jefe"), blob("what do ya want for nothing?"),
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {repeated(20, 0xaa), repeated(50, 0xdd),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {bytes_of_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), repeated(50, 0xcd),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {repeated(131, 0xaa), blob("Test Using Larger Than Block-Size Key - Hash Key First"),
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {repeated(131, 0xaa),
       blob("This is a test using a larger than block-size key and a larger than block-size data. The key "
            "needs to be hashed before being used by the HMAC algorithm."),
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(hex_of(hmac_sha256(one.key, {one.data})), one.mac);
    const View data = one.data;
    EXPECT_EQ(hex_of(hmac_sha256(one.key, {data.first(3), data.subspan(3)})), one.mac) << "in two parts";
  }
  // Case 5: the first 128 bits.
  EXPECT_EQ(hex_of(hmac_sha256(repeated(20, 0x0c), {blob("Test With Truncation")})).substr(0, 32),
            "a3b6167473100ee06e0c796c2955552b");
}

TEST(Hmac, one_changed_bit_changes_the_proof) {
  const Mac mac = hmac_sha256(blob("key"), {blob("data")});
  Mac other = mac;
  other[31] ^= std::byte{1};
  EXPECT_TRUE(same(mac, mac));
  EXPECT_FALSE(same(mac, other));
}

// Admission on loopback, with a record of its actions.
struct Opened {
  explicit Opened(const Key& key)
      : listener(tcp_network().listen(loopback(0), 256)),
        address(listener->addresses()[0]),
        admission(
            tcp_network(), steady_clock(), std::move(listener), key,
            [this](const Hello& hello) {
              asked.push_back(hello.rank);
              Reply reply;
              reply.decision = Decision::welcome;
              reply.rank = 0;
              return reply;
            },
            [this](const Hello& hello, Channel channel) {
              welcomed.push_back(hello.rank);
              channels.push_back(std::move(channel));
            },
            [this](const std::string& line) { reported.push_back(line); }) {}

  // Serves until the caller has its answer, or for `limit`.
  Call::State serve(Call& call, Seconds limit = long_limit()) {
    const Seconds until = steady_now() + limit;
    while (call.step() != Call::State::answered && call.state() != Call::State::failed &&
           steady_now() < until)
      admission.serve();
    return call.state();
  }
  void serve_for(Seconds time) {
    for (const Seconds until = steady_now() + time; steady_now() < until;) {
      admission.serve();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::unique_ptr<Listener> listener;
  Address address;
  Ranks asked, welcomed;
  std::vector<Channel> channels;
  std::vector<std::string> reported;
  Admission admission;
};

Hello hello_of(int rank) {
  Hello hello;
  hello.rank = rank;
  hello.size = 9;
  return hello;
}

// The next frame; none: the channel was closed.
std::optional<Channel::Frame> arrived(Channel& channel) {
  const Seconds until = steady_now() + long_limit();
  for (;;) {
    if (auto frame = channel.next()) return frame;
    if (!channel.open() || steady_now() > until) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Admission, a_caller_with_the_key_is_admitted_and_knows_that_it_reached_the_right_process) {
  const Key key = random_key();
  Opened opened(key);
  Call call(tcp_network(), opened.address, key, hello_of(3));
  ASSERT_EQ(opened.serve(call), Call::State::answered) << call.why();
  EXPECT_EQ(call.reply().decision, Decision::welcome);
  EXPECT_EQ(opened.welcomed, Ranks{3});
  Channel ours = call.take();
  for (Channel* from : {&ours, &opened.channels.at(0)}) {
    Channel& to = from == &ours ? opened.channels[0] : ours;
    from->send(Channel::Kind::ask, {blob("x")});
    const auto frame = arrived(to);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->kind, Channel::Kind::ask);
    EXPECT_EQ(text(frame->body), "x");
  }
  EXPECT_TRUE(opened.reported.empty());
}

TEST(Admission, a_caller_with_another_key_is_refused_and_reported_once) {
  Opened opened(random_key());
  for (int i = 0; i < 5; ++i) {
    Call call(tcp_network(), opened.address, random_key(), hello_of(3));
    EXPECT_EQ(opened.serve(call), Call::State::failed);
    EXPECT_TRUE(call.turned_away());
  }
  EXPECT_TRUE(opened.asked.empty()) << "nothing that it sends is parsed";
  ASSERT_EQ(opened.reported.size(), 1u);
  EXPECT_NE(opened.reported[0].find("127.0.0.1"), std::string::npos) << opened.reported[0];
  EXPECT_NE(opened.reported[0].find("key"), std::string::npos) << opened.reported[0];
}

// A process without the key listens in place of ours: the caller greets it.
void let_greet(Call& call, const Socket& listener, Socket& caller, Greeting& greeting) {
  const Seconds until = steady_now() + long_limit();
  ASSERT_TRUE(ready(listener, POLLIN, until));
  caller = accept_from(listener);
  while (call.step() != Call::State::greeted && steady_now() < until) {
  }
  ASSERT_TRUE(receive_all(caller, std::as_writable_bytes(std::span(&greeting, 1)), until));
}

// An impostor sees only a nonce and a proof that it cannot use.
TEST(Admission, a_caller_does_not_believe_an_acceptor_that_sends_its_own_proof_back) {
  const Key key = random_key();
  const Socket listener = listen_on(loopback(0), 4);
  Call call(tcp_network(), local_address(listener), key, hello_of(1));
  Socket caller;
  Greeting greeting;
  ASSERT_NO_FATAL_FAILURE(let_greet(call, listener, caller, greeting));
  const Seconds until = steady_now() + long_limit();
  Challenge challenge;
  challenge.nonce = greeting.nonce;
  challenge.proof = greeting.proof;
  ASSERT_TRUE(send_all(caller, bytes_of(challenge), until));
  while (call.step() == Call::State::greeted && steady_now() < until) {
  }
  EXPECT_EQ(call.state(), Call::State::failed);
  EXPECT_NE(call.why().find("key"), std::string::npos) << call.why();
}

TEST(Admission, who_repeats_a_greeting_that_it_has_heard_is_not_admitted) {
  const Key key = random_key();
  Opened opened(key);
  Greeting heard;  // by an eavesdropper: the caller called it first
  {
    const Socket listener = listen_on(loopback(0), 4);
    Call call(tcp_network(), local_address(listener), key, hello_of(1));
    Socket caller;
    ASSERT_NO_FATAL_FAILURE(let_greet(call, listener, caller, heard));
  }
  const Socket again = connect_to(opened.address, steady_now() + long_limit());
  ASSERT_TRUE(send_all(again, bytes_of(heard), steady_now() + long_limit()));
  ASSERT_TRUE(send_all(again, Confirmation{}, steady_now() + long_limit()));
  const Seconds until = steady_now() + long_limit();
  while (opened.reported.empty() && steady_now() < until) opened.admission.serve();
  EXPECT_TRUE(opened.asked.empty());
  ASSERT_EQ(opened.reported.size(), 1u);
  EXPECT_NE(opened.reported[0].find("repeats"), std::string::npos) << opened.reported[0];
}

TEST(Admission, a_program_of_another_version_is_told_apart_from_one_without_the_key) {
  Opened opened(random_key());
  const Socket other = connect_to(opened.address, steady_now() + long_limit());
  Greeting greeting;
  greeting.magic.back() = '9';
  ASSERT_TRUE(send_all(other, bytes_of(greeting), steady_now() + long_limit()));
  const Seconds until = steady_now() + long_limit();
  while (opened.reported.empty() && steady_now() < until) opened.admission.serve();
  ASSERT_EQ(opened.reported.size(), 1u);
  EXPECT_NE(opened.reported[0].find("version"), std::string::npos) << opened.reported[0];
}

TEST(Admission, garbage_and_port_scans_are_reported_once_each_and_the_rank_is_admitted) {
  const Key key = random_key();
  Opened opened(key);
  for (int i = 0; i < 20; ++i) {
    { const Socket scan = connect_to(opened.address, steady_now() + long_limit()); }
    const Socket garbage = connect_to(opened.address, steady_now() + long_limit());
    static_cast<void>(send_all(garbage, Blob(100000, std::byte{0xff}), steady_now() + short_limit() / 20));
    const Socket halfway = connect_to(opened.address, steady_now() + long_limit());
    static_cast<void>(send_all(halfway, blob("GET / HTTP/1.1\r\n\r\n"), steady_now() + long_limit()));
    opened.serve_for(0.002);
  }
  Call call(tcp_network(), opened.address, key, hello_of(3));
  EXPECT_EQ(opened.serve(call), Call::State::answered) << call.why();
  opened.serve_for(short_limit());
  EXPECT_EQ(opened.welcomed, Ranks{3});
  EXPECT_EQ(opened.asked, Ranks{3});
  EXPECT_LE(opened.reported.size(), 5u);
  EXPECT_GE(opened.reported.size(), 2u);
}

// For a time.
struct DescriptorLimit {
  explicit DescriptorLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit now{most, before.rlim_max};
    check_errno(::setrlimit(RLIMIT_NOFILE, &now), "setrlimit");
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};

TEST(Admission, of_callers_that_say_nothing_the_oldest_are_dropped_and_the_rank_is_admitted) {
  const DescriptorLimit limit(400);
  constexpr std::size_t kept = 100;  // a quarter
  const Key key = random_key();
  Opened opened(key);
  std::vector<Socket> silent;
  for (std::size_t i = 0; i < 2 * kept; ++i)
    silent.push_back(connect_to(opened.address, steady_now() + long_limit()));
  Call call(tcp_network(), opened.address, key, hello_of(3));
  EXPECT_EQ(opened.serve(call), Call::State::answered) << call.why();
  std::size_t first_kept = 0;
  std::byte got{};
  while (first_kept < silent.size() &&
         (::recv(silent[first_kept].fd(), &got, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET))
    ++first_kept;
  EXPECT_EQ(first_kept, silent.size() + 1 - kept) << "the call took the place of one";
  EXPECT_LT(first_kept, silent.size()) << "the newest are kept";
  ASSERT_EQ(opened.reported.size(), 1u) << "one line for all";
}

TEST(Admission, without_a_key_a_caller_and_an_acceptor_of_one_user_believe_each_other) {
  Opened opened({});
  Call call(tcp_network(), opened.address, {}, hello_of(3));
  EXPECT_EQ(opened.serve(call), Call::State::answered) << call.why();
  EXPECT_EQ(opened.welcomed, Ranks{3});
}

// A socket as the kernel's list has it, and one that nobody has accepted: its user is not known.
TEST(Admission, the_kernel_says_whether_the_peer_belongs_to_this_user) {
  for (const Address& address : {loopback(0), parse_address("[::1]:0", "test")}) {
    const Socket listener = try_listen_on(address, 4);
    if (!listener) continue;  // a machine without IPv6
    const Socket caller = connect_to(local_address(listener), steady_now() + long_limit());
    const Socket accepted = accept_from(listener);
    EXPECT_TRUE(peer_is_of_this_user(caller));
    EXPECT_TRUE(peer_is_of_this_user(accepted));
  }
}

// Both ends of a connection after admission, and the bytes between them.
struct Sealed {
  Sealed() {
    int ends[2];
    check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    sender = Channel(stream_on(Socket(ends[0])), {.out = CipherState(key), .in = CipherState(back)});
    wire = Socket(ends[1]);
    check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    receiver = Channel(stream_on(Socket(ends[0])), {.out = CipherState(back), .in = CipherState(key)});
    end = Socket(ends[1]);
  }
  Blob sent(const std::string& body) {
    sender.send(Channel::Kind::ask, {blob(body)});
    Blob bytes(1000);
    bytes.resize(static_cast<std::size_t>(
        check_errno(static_cast<int>(::recv(wire.fd(), bytes.data(), 1000, 0)), "recv")));
    return bytes;
  }
  // What the receiver reads of these bytes; "closed".
  std::string read(View bytes) {
    EXPECT_TRUE(send_all(end, bytes, steady_now() + long_limit()));
    const auto frame = receiver.next();
    EXPECT_EQ(receiver.open(), frame.has_value());
    return frame ? text(frame->body) : "closed";
  }

  Mac key{std::byte{1}}, back{std::byte{2}};
  Channel sender, receiver;
  Socket wire, end;
};

TEST(Channel, frames_arrive_in_order_and_cannot_be_read_by_others) {
  Sealed two;
  const Blob bytes = two.sent("a secret");
  EXPECT_EQ(text(bytes).find("a secret"), std::string::npos);
  EXPECT_EQ(two.read(bytes), "a secret");
  EXPECT_EQ(two.read(two.sent("")), "");
}

TEST(Channel, a_frame_that_was_changed_repeated_left_out_or_sent_back_closes_the_connection) {
  for (std::size_t bit = 0; bit < 8 * 27; bit += 5) {  // also in its length
    Sealed two;
    Blob bytes = two.sent("abc");
    ASSERT_EQ(bytes.size(), 27u);
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_TRUE(send_all(two.end, bytes, steady_now() + long_limit()));
    EXPECT_TRUE(send_all(two.end, Blob(300), steady_now() + long_limit()));
    EXPECT_FALSE(two.receiver.next()) << "bit " << bit;
  }
  {
    Sealed two;
    const Blob bytes = two.sent("abc");
    EXPECT_EQ(two.read(bytes), "abc");
    EXPECT_EQ(two.read(bytes), "closed");
  }
  {
    Sealed two;
    two.sent("first");
    EXPECT_EQ(two.read(two.sent("second")), "closed");
  }
  Sealed two;
  const Blob bytes = two.sent("abc");
  EXPECT_TRUE(send_all(two.wire, bytes, steady_now() + long_limit()));
  EXPECT_FALSE(two.sender.next());
  EXPECT_FALSE(two.sender.open());
}

TEST(Admission, an_invalid_address_list_yields_only_valid_addresses) {
  AddressList list = AddressList::of({loopback(7)});
  list.count = 1 << 30;
  list.at[1] = loopback(8);
  list.at[1].length = 5000;
  list.at[2].length = sizeof(sockaddr_in);
  EXPECT_EQ(list.whole().size(), 1u);
  list.count = -1;
  EXPECT_TRUE(list.whole().empty());
}

}  // namespace
}  // namespace everylink
