// Sockets and addresses, each call bounded in time.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "words.hpp"

namespace everylink {

// An IPv4 or IPv6 address with a port. Trivially copyable: it travels as bytes.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  int port() const;
  Address with_port(int port) const;
  std::string host_text() const;  // 127.0.0.1
  std::string text() const;       // 127.0.0.1:4000, [::1]:4000
};

// host:port, host a name or a number. Throws UsageError naming `what`.
Address parse_address(const std::string& text, const std::string& what);
Address loopback(int port);

// An address of this machine and the interface that has it.
struct Interface {
  std::string name;
  Address address;
  unsigned prefix;  // bits of the network part
  bool is_loopback;
};
std::vector<Interface> interfaces();  // those that are up; link-local IPv6 left out
bool same_network(const Interface&, const Address&);

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

// All sockets are non-blocking and close on exec.
Socket listen_on(const Address&, int backlog);     // throws MachineError
Address local_address(const Socket&);              // throws MachineError
Socket accept_from(const Socket& listener);        // not valid: nobody waits
Socket connect_to(const Address&, Seconds until);  // not valid: not reached; errno says why
void send_at_once(const Socket&);                  // TCP_NODELAY

// Sleeps in the kernel until the socket is ready for `events` (POLLIN, POLLOUT) or `until` has come (steady
// clock).
bool ready(const Socket&, short events, Seconds until);
bool send_all(const Socket&, View, Seconds until);
bool receive_all(const Socket&, std::span<std::byte>, Seconds until);

// This machine, told from others of the same name: boot id; and its network namespace.
std::string boot_id();
std::string network_namespace();

}  // namespace everylink
