// The gate to a run: who holds the run's key comes in, and nobody trusts the other before.
//
// The whole protocol of the control plane. All numbers are as this machine has them: one program on machines
// of one kind. The acceptor is rank 0 or whoever stands above us in the tree.
//
//   acceptor -> caller   Challenge   magic and version, nonce A
//   caller -> acceptor   Greeting    nonce C, Hello, HMAC(key, "caller" | A | C | Hello)
//                        (or magic alone, and the end: the caller has found another way)
//   acceptor -> caller   Verdict     Reply, HMAC(key, "acceptor" | A | C | Reply)
//
// Each of a fixed length. A wrong HMAC is answered by nothing: the connection is closed, and one line says
// so. A Reply may send the caller on (redirected): it then calls there. Once welcome, the connection carries
// frames (channel.hpp): the length of the body (4 bytes, at most 256 MiB), the kind (4 bytes), the body.
//
//   hand_in, upwards     round, rank, peer, bytes to rank 0, bytes to the peer      (HandIn in channel.hpp)
//   ask, upwards         the head of a hand-in alone: is it answered already?
//   ended, upwards       rank: its process has ended
//   answer, downwards    round, word, gone, relays; then the ranks it is for, with what their peers sent each
//
// A hand-in goes up as it came, and each one above notes from where: there the answer goes down. Rank 0 takes
// nothing twice from one rank for one round, so a hand-in may be sent again through another way.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bootstrap/hmac.hpp"
#include "bootstrap/place.hpp"
#include "net/callers.hpp"

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
  std::uint64_t instance = 0;     // drawn by the process: two of the same rank are told apart
  std::int32_t lost = no_rank;    // who stood above us, and cannot be reached any more
  std::int32_t has_children = 0;  // then we are never sent on, because nobody may come to stand above itself
  Mac host{};                     // its hash
  AddressList listens;
};

enum class Verdict : std::int32_t {
  welcome,
  redirected,
  refused,
  no_way
};  // no_way: we have lost rank 0 too
struct Reply {
  Verdict verdict = Verdict::refused;
  std::int32_t rank = no_rank;      // of the one who answers; redirected: of the one to call
  std::int32_t keep_listening = 0;  // others will be sent to you
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
class Gate {
 public:
  using Judge = std::function<Reply(const Hello&)>;
  using Welcome = std::function<void(const Hello&, Socket)>;
  using Say = std::function<void(const std::string&)>;  // one line for people

  Gate(Socket listener, Key key, Judge judge, Welcome welcome, Say say);
  int fd() const { return callers_.fd(); }
  const Socket& listener() const { return callers_.listener(); }
  void serve();  // never waits

 private:
  void hear(Callers::Caller);
  void refuse(const Address&, const std::string& reason);

  Key key_;
  Judge judge_;
  Welcome welcome_;
  Say say_;
  Callers callers_;
  std::set<std::string> said_;  // each reason and address once
};

// The caller's end: one attempt, which never waits.
class Call {
 public:
  enum class State { connecting, silent, greeted, answered, failed };

  Call(const Address&, const Key&, const Hello&);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  int fd() const { return socket_.fd(); }
  short events() const;  // to poll for
  State step();
  State state() const { return state_; }
  const Reply& reply() const { return reply_; }      // answered
  const std::string& why() const { return why_; }    // failed
  bool refused() const { return refused_; }          // failed: nobody listens there
  bool turned_away() const { return turned_away_; }  // failed: one of ours closed on our greeting
  const Address& address() const { return address_; }
  Socket take() { return std::move(socket_); }

 private:
  bool fill(std::span<std::byte>);
  void greet();
  void hear_reply();
  void fail(const std::string& why);

  Address address_;
  Key key_;
  Hello hello_;
  Socket socket_;
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
