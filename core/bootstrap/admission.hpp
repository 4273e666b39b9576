// Admission to a run: processes that hold the run's key come in, and neither end trusts the other before.
//
// This is the whole protocol of control traffic. All numbers are in this machine's byte order: one program on
// machines of one kind. The acceptor is rank 0, or the rank above the caller in the tree.
//
//   acceptor -> caller   Challenge   magic and version, nonce A
//   caller -> acceptor   Greeting    nonce C, Hello, HMAC(key, "caller" | A | C | Hello)
//                        (or magic alone, then the end: the caller has found another way)
//   acceptor -> caller   Answered    Reply, HMAC(key, "acceptor" | A | C | Reply)
//
// Each has a fixed length. A wrong HMAC gets no answer: the connection is closed, and one line reports it. A
// Reply may redirect the caller, which then calls there. After a welcome the connection carries frames
// (channel.hpp): the length of the body (4 bytes, at most 256 MiB), the kind (4 bytes), the body.
//
//   submission, upwards     round, rank, peer, bytes to rank 0, bytes to the peer      (Submission in
//   channel.hpp) ask, upwards         the head of a submission alone: has it been answered already? ended,
//   upwards       rank: its process has ended answer, downwards    round, word, gone, relays; then the ranks
//   it is for, with what their peers sent each
//
// A submission travels up unchanged, and each rank on its way notes where it came from: the answer goes down
// there. Rank 0 takes nothing twice from one rank for one round, so a submission may be sent again by another
// way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ranks.hpp"
#include "bootstrap/key.hpp"
#include "host/streams.hpp"
#include "net/callers.hpp"
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
  std::uint64_t instance = 0;     // random per process: tells two processes of the same rank apart
  std::int32_t lost = no_rank;    // the rank above that can no longer be reached
  std::int32_t has_children = 0;  // then it is never redirected, so that no rank ends up above itself
  Mac host{};                     // host_hash
  AddressList listens;
};

// no_way: the acceptor has lost rank 0 too.
enum class Decision : std::int32_t { welcome, redirected, refused, no_way };
struct Reply {
  Decision decision = Decision::refused;
  std::int32_t rank = no_rank;      // that answers; redirected: that is to be called
  std::int32_t keep_listening = 0;  // others will be redirected to the caller
  char reason[164] = "";            // refused
  AddressList there;                // redirected
  static Reply refusal(const std::string& reason);
};

struct Challenge {
  char magic[8] = {'e', 'v', 'e', 'r', 'y', 'l', 'k', '2'};
  Mac nonce{};
};
struct Greeting {
  Mac nonce{};
  Hello hello;
  Mac proof{};
};
struct Answered {
  Reply reply;
  Mac proof{};
};

// The acceptor's end.
class Admission {
 public:
  using Policy = std::function<Reply(const Hello&)>;
  using Welcome = std::function<void(const Hello&, std::unique_ptr<ByteStream>)>;
  using Report = std::function<void(const std::string& line)>;  // for people

  Admission(Network&, Clock&, std::unique_ptr<Listener>, Key, Policy, Welcome, Report = complain);
  const Source& source() const { return callers_.source(); }  // ready: serve has something to do
  void serve();                                               // never waits

 private:
  void hear(Callers::Caller);
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
  enum class State { connecting, silent, greeted, answered, failed };

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
  bool turned_away() const { return turned_away_; }  // failed: an acceptor of a run closed after our greeting
  const Address& address() const { return address_; }
  std::unique_ptr<ByteStream> take() { return std::move(connection_); }

 private:
  bool fill(std::span<std::byte>);
  void greet();
  void hear_reply();
  void fail(const std::string& why);

  Address address_;
  Key key_;
  Hello hello_;
  std::unique_ptr<ByteStream> connection_;
  State state_ = State::connecting;
  std::size_t got_ = 0;
  Challenge challenge_;
  Greeting greeting_;
  Answered answered_;
  Reply reply_;
  std::string why_;
  bool refused_ = false, turned_away_ = false;
};

}  // namespace everylink
