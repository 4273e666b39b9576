// Sockets and addresses. Every call has a time limit.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/seconds.hpp"

namespace everylink {

// An IPv4 or IPv6 address with a port, or the name of a Unix socket. Trivially copyable: it travels as bytes.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0, unused = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  int port() const;
  Address with_port(int port) const;
  std::string host_text() const;  // 127.0.0.1
  std::string text() const;       // 127.0.0.1:4000, [::1]:4000, @00012
  bool is_loopback() const;
  bool is_any() const;       // 0.0.0.0, ::
  bool is_abstract() const;  // a name of a Unix socket that is in no file system
  bool is_whole() const;     // IPv4 or IPv6, and of the right length; check addresses that others send
};
Address make_address(const sockaddr*, socklen_t);

// Nobody knows this name, now.
struct UnknownName : UsageError {
  using UsageError::UsageError;
};

// Parses host:port, where host is a name or a number. Throws UsageError, which names `what`; UnknownName.
Address parse_address(const std::string& text, const std::string& what);
// All addresses that a name has: a host with IPv4 and IPv6 has one of each.
std::vector<Address> parse_addresses(const std::string& text, const std::string& what);
Address loopback(int port);
Address any_address(
    int family);  // all interfaces, a free port; IPv6: a listener there takes IPv4 callers, too

Address unnamed_unix_address();  // the kernel chooses a free abstract name

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// All sockets are non-blocking and close-on-exec. An invalid Socket means failure.
Socket listen_on(const Address&, int backlog);      // throws MachineError
Socket try_listen_on(const Address&, int backlog);  // invalid: errno has the reason
Address local_address(const Socket&);               // throws MachineError
Address peer_address(const Socket&);                // 127.0.0.1:0 if the peer has already left
// Whether the process at the other end, which has accepted the connection or made it, is on this machine and
// belongs to the same user, as the kernel's list of connections says. Throws MachineError if that cannot be
// read.
bool peer_is_of_this_user(const Socket&);
Socket accept_from(const Socket& listener);  // invalid: nobody waits
// `device`: the interface to use, whatever the routes say; "": the routes choose.
Socket start_connecting(const Address&,
                        const std::string& device = {});  // invalid: refused at once; errno has the reason
int connect_result(const Socket&);                        // 0, EINPROGRESS, or the error
Socket connected(Socket started, Seconds until);          // invalid: not connected; errno has the reason
Socket connect_to(const Address&, Seconds until, const std::string& device = {});  // both
bool leave_by(const Socket&, const std::string& device);  // false: errno has the reason
void send_at_once(const Socket&);                         // TCP_NODELAY

// For connections that may be silent for long. Keepalive ends a connection within 5 s when its path goes
// dark, but not when the peer's process is stopped, because its kernel still answers. Keepalive is inactive
// while our bytes are in flight, and TCP_USER_TIMEOUT would end connections to stopped peers with a full
// window (measured), so is_dark looks at unacknowledged bytes.
void watch(const Socket&);
bool is_dark(const Socket&);
std::uint64_t retransmits(const Socket&);  // segments that this end has sent again; 0: none, or not known
void reset(Socket&);  // closes with a reset, which tells the peer that this process has ended
// Closes without a TIME_WAIT state if everything that was sent has arrived. After an orderly close the kernel
// keeps the port for a minute, and thousands of short connections in that time use up the machine's ports.
void close_for_good(Socket&);

// Sleeps in the kernel until the socket is ready for `events` (POLLIN, POLLOUT) or `until` has passed (steady
// clock).
bool ready(const Socket&, short events, Seconds until);
// After send or recv has failed. False: the connection is broken. Throws LocalFault if this machine lacks
// something.
bool may_try_again(const char* call);
bool send_all(const Socket&, View, Seconds until);
bool receive_all(const Socket&, std::span<std::byte>, Seconds until);

void draw(std::span<std::byte>);  // fills with unpredictable random bytes

// The boot id and the network namespace distinguish machines of the same name. Throw MachineError where they
// cannot be read, though they are there.
std::string boot_id();
std::string network_namespace();

}  // namespace everylink
