// Collects the first messages of every process that connects to a listener. Whoever connects speaks first,
// and what it says decides whether it is accepted.
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

// Messages have fixed lengths, so no stranger's length field is trusted. A caller has 5 s for each. Those
// whose first message is not complete are strangers: beyond `most_strangers`, the oldest is dropped for the
// next one, but not before it has had a tenth of a second, more than ranks of the run need. So strangers
// cannot keep the others out.
class Callers {
 public:
  static constexpr std::size_t most_strangers = 1024, most_known = 24;
  static constexpr Seconds patience = 5, least_patience = 0.1;

  struct Caller {
    std::unique_ptr<ByteStream> connection = {};
    Address address = {};
    Blob said = {};          // received so far of its current message
    std::size_t bytes = 0;   // of that message
    bool is_known = false;   // its first message was accepted: `await`
    Blob conversation = {};  // kept for whoever awaits more of it
    Seconds since = 0;
  };
  using Heard = std::function<void(Caller)>;  // its message is complete
  using Dropped = std::function<void(const Caller&, const std::string& reason)>;

  Callers(Network&, Clock&, std::unique_ptr<Listener>, std::size_t bytes);
  const Source& source() const { return *ready_; }  // ready: serve has something to do
  const Listener& listener() const { return *listener_; }
  void serve(const Heard&, const Dropped&);  // never waits
  Seconds longest_wait() const;              // for `source`, before serve has something to do
  // For `heard`: waits for this caller's next message, which has `bytes` bytes. Nobody else is accepted while
  // `most_known` callers are awaited.
  void await(Caller, std::size_t bytes);
  // The errno if the last caller could not be accepted because descriptors or memory were missing, else 0.
  int shortage() const { return shortage_; }

 private:
  using ByNumber = std::map<std::uint64_t, Caller>;  // in the order of their calls; 0 is the listener

  void accept_all(const Heard&, const Dropped&);
  bool serve_ready(const Heard&, const Dropped&);
  bool read(Caller&, const Dropped&) const;  // false: it was dropped
  void take(std::uint64_t number, const Heard&, const Dropped&);
  bool has_room() const;
  bool drop_oldest_stranger(const Dropped&);
  void listen_while_there_is_room();

  Clock& clock_;
  std::unique_ptr<Listener> listener_;
  std::size_t bytes_, most_strangers_;
  std::unique_ptr<ReadySet> ready_;
  ByNumber strangers_, known_;
  std::uint64_t last_number_ = 0;
  bool listening_ = false;
  int shortage_ = 0;
  Seconds rests_until_ = 0;  // accepts nobody until then: no descriptor was free
};

}  // namespace everylink
