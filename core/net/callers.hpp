// Collects what strangers say at a listening socket, until each has said as much as it must: then they are
// known or refused.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/types.hpp"
#include "net/socket.hpp"

namespace everylink {

// Each caller says a message of one fixed length, so that no length of theirs is ever trusted. At most 48 may
// be half-way at a time, for 5 s each; the rest wait in the kernel.
class Callers {
 public:
  static constexpr std::size_t most = 48;
  static constexpr Seconds patience = 5;

  struct Caller {
    Socket socket;
    Address address;
    Blob greeting;  // what we said first
    Blob said;
    Seconds since = 0;
  };
  using Greet = std::function<Blob()>;                                     // what a caller is told first
  using Heard = std::function<void(Caller)>;                               // has said all
  using Dropped = std::function<void(const Caller&, const std::string&)>;  // and why

  Callers(Socket listener, std::size_t bytes, Greet greet = {});
  int fd() const { return epoll_.fd(); }  // readable: serve has something to do
  const Socket& events() const { return epoll_; }
  const Socket& listener() const { return listener_; }
  void serve(const Heard&, const Dropped&);  // never waits

 private:
  void accept_all(const Dropped&);
  bool read(Caller&, const Dropped&) const;  // whether we go on with it
  void listen_while_there_is_room();

  Socket listener_;
  std::size_t bytes_;
  Greet greet_;
  Socket epoll_;
  std::map<int, Caller> callers_;  // by descriptor
  bool listening_ = false;
  Seconds rests_until_ = 0;  // no descriptor was free
};

}  // namespace everylink
