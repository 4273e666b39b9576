// Collects the first message of every process that connects to a listener. The message decides whether its
// sender is accepted.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/seconds.hpp"
#include "net/network.hpp"
#include "net/socket.hpp"

namespace everylink {

// The first message has a fixed length, so no stranger's length field is trusted. At most 48 callers may
// be incomplete at a time, for up to 5 s each; the rest wait in the kernel.
class Callers {
 public:
  static constexpr std::size_t most = 48;
  static constexpr Seconds patience = 5;

  struct Caller {
    std::unique_ptr<ByteStream> connection = {};
    Address address = {};
    Blob greeting = {};  // sent to the caller first
    Blob said = {};      // received so far
    Seconds since = 0;
  };
  using Greet = std::function<Blob()>;        // returns the greeting of a caller
  using Heard = std::function<void(Caller)>;  // its message is complete
  using Dropped = std::function<void(const Caller&, const std::string& reason)>;

  Callers(Network&, Clock&, std::unique_ptr<Listener>, std::size_t bytes, Greet greet = {});
  const Source& source() const { return *ready_; }  // ready: serve has something to do
  const Listener& listener() const { return *listener_; }
  void serve(const Heard&, const Dropped&);  // never waits
  // The errno if the last caller could not be accepted because descriptors or memory were missing, else 0.
  int shortage() const { return shortage_; }

 private:
  void accept_all(const Dropped&);
  bool read(Caller&, const Dropped&) const;  // false: it was dropped
  void listen_while_there_is_room();

  Clock& clock_;
  std::unique_ptr<Listener> listener_;
  std::size_t bytes_;
  Greet greet_;
  std::unique_ptr<ReadySet> ready_;
  std::map<std::uint64_t, Caller> callers_;  // by number; 0 is the listener
  std::uint64_t last_number_ = 0;
  bool listening_ = false;
  int shortage_ = 0;
  Seconds rests_until_ = 0;  // accepts nobody until then: no descriptor was free
};

}  // namespace everylink
