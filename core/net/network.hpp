// The network of control traffic: byte streams, listeners, and sleeping until one of them is ready. TCP is
// one implementation (tcp_network.hpp); tests use a simulated one. Only Network::wait blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/seconds.hpp"
#include "net/socket.hpp"

namespace everylink {

// What a process can wait for.
class Source {
 public:
  virtual ~Source() = default;
  virtual int handle() const = 0;  // identifies it to its network; negative: it is never ready
};

// The destructor closes the stream in an orderly way: the peer learns that this process has ended.
class ByteStream : public Source {
 public:
  enum class State {
    open,    // zero bytes: nothing to receive, or no room to send, for now
    ended,   // the peer's process has ended; its kernel closed the connection
    broken,  // the path to it is broken
  };
  struct Transfer {
    std::size_t bytes = 0;
    State state = State::open;
  };

  virtual int connect_result() = 0;  // 0: connected; EINPROGRESS; or the errno that says why not
  virtual Transfer send(View) = 0;
  virtual Transfer receive(std::span<std::byte>) = 0;
  virtual bool is_dark() const = 0;  // sent bytes have been unacknowledged for too long
  virtual void reset() = 0;          // closes abruptly
  virtual Address peer() const = 0;
  // Whether the process at the other end is on this machine and belongs to the same user. Throws
  // MachineError.
  virtual bool is_of_this_user() const = 0;
};

class Listener : public Source {
 public:
  struct Accepted {
    std::unique_ptr<ByteStream> connection;  // null: nobody waits, or none can be accepted now
    int shortage = 0;                        // errno: no descriptor or no memory was free
  };

  virtual Accepted accept() = 0;
  // The addresses that others can connect to: all of this machine's if it listens on all, loopback only if
  // there is no other.
  virtual std::vector<Address> addresses() const = 0;
};

// Combines many sources into one.
class ReadySet : public Source {
 public:
  virtual void add(const Source&, std::uint64_t key) = 0;
  virtual void remove(const Source&) = 0;  // not needed for a closed source
  // Fills in the keys of sources where something has arrived, or there is room again, since they were last
  // given. Returns how many; never waits.
  virtual std::size_t take(std::span<std::uint64_t> keys) = 0;
};

struct Watched {
  const Source* source;
  bool arrival = true;  // wait for something to arrive
  bool room = false;    // wait for room to send, or a connection to be made
};

class Network {
 public:
  virtual ~Network() = default;
  virtual std::unique_ptr<ByteStream> connect(const Address&) = 0;
  virtual std::unique_ptr<Listener> listen(const Address&, int backlog) = 0;  // throws MachineError
  virtual std::unique_ptr<ReadySet> ready_set() = 0;
  // Sleeps until one of them is ready, for at most `longest`. False: none is. A signal ends the sleep early.
  virtual bool wait(std::span<const Watched>, Seconds longest) = 0;
};

}  // namespace everylink
