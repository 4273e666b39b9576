// Admission to a run: processes that hold the run's key come in, and neither end trusts the other before.
//
// This is the whole protocol of control traffic. All numbers are in this machine's byte order: one program on
// machines of one kind. The acceptor is rank 0, or the rank above the caller in the tree.
//
//   caller -> acceptor   Greeting   magic and version, nonce C, Hello, HMAC(key, "caller" | all before)
//   acceptor -> caller   Challenge  magic and version, nonce A, HMAC(key, "acceptor" | Greeting | before)
//   caller -> acceptor   sealed: nothing
//   acceptor -> caller   sealed: Reply
//
// Each has a fixed length. A wrong HMAC gets no answer: the connection is closed, and one line reports it.
// Sealed messages are encrypted and numbered (cipher.hpp), with a key for each direction that comes from the
// run's key, the Greeting and the Challenge: who repeats a Greeting of another process cannot go on. Where
// the run has no key, which is possible on one machine only, the process at the other end must belong to the
// same user.
//
// A Reply may redirect the caller, which then calls there. After a welcome the connection carries frames
// (channel.hpp): the length of the rest (4 bytes, at most 256 MiB), then sealed the kind (4 bytes) and the
// body:
//
//   submission, upwards   round, rank, peer, bytes to rank 0, bytes to the peer (Submission)
//   ask, upwards          the head of a submission alone: has it been answered already?
//   ended, upwards        rank: its process has ended
//   answer, downwards     round, word, gone, relays; then the ranks it is for, with what their peers sent
//
// A submission travels up unchanged, and each rank on its way notes where it came from: the answer goes down
// there. Rank 0 takes nothing twice from one rank for one round, so a submission may be sent again by another
// way.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ranks.hpp"
#include "bootstrap/channel.hpp"
#include "bootstrap/key.hpp"
#include "host/streams.hpp"
#include "net/callers.hpp"
#include "net/cipher.hpp"
#include "net/network.hpp"
#include "net/socket.hpp"

namespace everylink {

inline constexpr int most_addresses = 8;
struct AddressList {
  std::int32_t count = 0, unused = 0;
  Address at[most_addresses];
  static AddressList of(const std::vector<Address>&);
  std::vector<Address> whole() const;  // those that are addresses
};

struct Hello {
  std::int32_t rank = no_rank, size = 0;
  std::int32_t called = no_rank, unused = 0;  // the rank that it means to reach
  std::uint64_t instance = 0;     // random per process: tells two processes of the same rank apart
  std::int32_t lost = no_rank;    // the rank above that can no longer be reached
  std::int32_t has_children = 0;  // then it is never redirected, so that no rank ends up above itself
  Mac host{};                     // host_hash
  AddressList listens;
};

// no_way: the acceptor has lost rank 0 too, or is not the rank that was called.
enum class Decision : std::int32_t { welcome, redirected, refused, no_way };
struct Reply {
  Decision decision = Decision::refused;
  std::int32_t rank = no_rank;      // that answers; redirected: that is to be called
  std::int32_t keep_listening = 0;  // others will be redirected to the caller
  char reason[164] = "";            // refused
  AddressList there;                // redirected
  static Reply refusal(const std::string& reason);
};

inline constexpr std::array<char, 8> magic = {'e', 'v', 'e', 'r', 'y', 'l', 'k', '3'};
struct Greeting {
  std::array<char, 8> magic = everylink::magic;
  Mac nonce{};
  Hello hello;
  Mac proof{};
};
struct Challenge {
  std::array<char, 8> magic = everylink::magic;
  Mac nonce{};
  Mac proof{};
};
using Confirmation = std::array<std::byte, CipherState::tag_bytes>;
using SealedReply = std::array<std::byte, sizeof(Reply) + CipherState::tag_bytes>;

// The acceptor's end.
class Admission {
 public:
  using Policy = std::function<Reply(const Hello&)>;
  using Welcome = std::function<void(const Hello&, Channel)>;
  using Report = std::function<void(const std::string& line)>;  // for people

  Admission(Network&, Clock&, std::unique_ptr<Listener>, Key, Policy, Welcome, Report = complain);
  const Source& source() const { return callers_.source(); }        // ready: serve has something to do
  Seconds longest_wait() const { return callers_.longest_wait(); }  // for `source`
  void serve();                                                     // never waits

 private:
  void hear(Callers::Caller);
  void challenge(Callers::Caller, const Greeting&);
  void answer(Callers::Caller);
  void refuse(const Address&, const std::string& reason);

  Key key_;
  Policy policy_;
  Welcome welcome_;
  Report report_;
  Callers callers_;
  std::set<std::string> reported_;  // each reason and address once
};

// The caller's end: one attempt, which never waits.
class Call {
 public:
  enum class State { connecting, greeted, confirmed, answered, failed };

  Call(Network&, const Address&, const Key&, const Hello&);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  Watched watched() const;  // what its next step waits for
  State step();
  State state() const { return state_; }
  const Reply& reply() const { return reply_; }      // answered
  const std::string& why() const { return why_; }    // failed
  bool refused() const { return refused_; }          // failed: no process listens there
  bool turned_away() const { return turned_away_; }  // failed: the acceptor and this end do not share a key
  const Address& address() const { return address_; }
  Channel take() { return Channel(std::move(connection_), seals_); }  // answered

 private:
  bool fill(std::span<std::byte>);
  void greet();
  void hear_challenge();
  void hear_reply();
  void fail(const std::string& why);
  void fail_for_good(const std::string& why);
  bool send(View);

  Address address_;
  Key key_;
  Hello hello_;
  std::unique_ptr<ByteStream> connection_;
  State state_ = State::connecting;
  std::size_t got_ = 0;
  Greeting greeting_;
  Challenge challenge_;
  Seals seals_;
  SealedReply answered_;
  Reply reply_;
  std::string why_;
  bool refused_ = false, turned_away_ = false;
};

}  // namespace everylink
