// Sockets and addresses.
#include "net/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {
namespace {

constexpr int idle_seconds = 2, probe_seconds = 1, probes = 3;  // of a watched connection
constexpr unsigned dark_milliseconds = 4500;

// An IPv4 caller of a listener for both families has the address ::ffff:10.0.0.1.
Address without_mapping(const Address& address) {
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage);
  if (address.family() != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) return address;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = six.sin6_port;
  std::memcpy(&four.sin_addr, six.sin6_addr.s6_addr + 12, sizeof four.sin_addr);
  return make_address(reinterpret_cast<const sockaddr*>(&four), sizeof four);
}

// As in /proc/net/tcp: the words of the address as this machine reads them, and the port, in hexadecimal
// digits.
std::string kernels_text(const Address& address) {
  std::uint32_t words[4]{};
  const auto& four = reinterpret_cast<const sockaddr_in&>(address.storage);
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage);
  if (address.family() == AF_INET)
    std::memcpy(words, &four.sin_addr, sizeof four.sin_addr);
  else
    std::memcpy(words, &six.sin6_addr, sizeof six.sin6_addr);
  std::string text;
  for (int i = 0; i < (address.family() == AF_INET ? 1 : 4); ++i) text += fmt::format("{:08X}", words[i]);
  return text + fmt::format(":{:04X}", address.port());
}

int milliseconds_to(Seconds until) {
  const Seconds left = until - steady_now();
  if (left <= 0) return 0;
  return static_cast<int>(std::ceil(std::min(left, 3600.0) * 1000));
}

// All 0 if it is not known.
tcp_info info_of(const Socket& socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(socket.fd(), IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return {};
  return info;
}

}  // namespace

Address make_address(const sockaddr* raw, socklen_t length) {
  Address address;
  std::memcpy(&address.storage, raw, length);
  address.length = length;
  return address;
}

int Address::port() const {
  return ntohs(family() == AF_INET ? reinterpret_cast<const sockaddr_in*>(&storage)->sin_port
                                   : reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
}

Address Address::with_port(int port) const {
  Address copy = *this;
  auto& field = family() == AF_INET ? reinterpret_cast<sockaddr_in*>(&copy.storage)->sin_port
                                    : reinterpret_cast<sockaddr_in6*>(&copy.storage)->sin6_port;
  field = htons(static_cast<std::uint16_t>(port));
  return copy;
}

std::string Address::host_text() const {
  char name[INET6_ADDRSTRLEN] = "";
  const void* number = &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr;
  if (family() == AF_INET6) number = &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr;
  ::inet_ntop(family(), number, name, sizeof name);
  return name;
}

bool Address::is_loopback() const {
  if (family() == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr) >> 24 == 127;
  return family() == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
}

bool Address::is_any() const {
  if (family() == AF_INET)
    return reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr == INADDR_ANY;
  return family() == AF_INET6 &&
         IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
}

bool Address::is_whole() const {
  return (family() == AF_INET && length == sizeof(sockaddr_in)) ||
         (family() == AF_INET6 && length == sizeof(sockaddr_in6));
}

bool Address::is_abstract() const {
  const auto& local = reinterpret_cast<const sockaddr_un&>(storage);
  return family() == AF_UNIX && length > offsetof(sockaddr_un, sun_path) + 1 && length <= sizeof local &&
         local.sun_path[0] == 0;
}

std::string Address::text() const {
  if (is_abstract()) {
    const auto& local = reinterpret_cast<const sockaddr_un&>(storage);
    return fmt::format("@{}",
                       std::string_view(local.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1));
  }
  return family() == AF_INET ? fmt::format("{}:{}", host_text(), port())
                             : fmt::format("[{}]:{}", host_text(), port());
}

std::vector<Address> parse_addresses(const std::string& text, const std::string& what) {
  const auto colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (host.empty() || port.empty()) throw UsageError(fmt::format("{}: '{}' is not host:port", what, text));
  if (const auto number = parse_integer(port, what); number < 0 || number > 65535)
    throw UsageError(fmt::format("{}: '{}': a port is 0 to 65535", what, text));
  const int rc = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (rc == EAI_MEMORY) errno = ENOMEM;
  if (rc == EAI_MEMORY || rc == EAI_SYSTEM) throw_errno(fmt::format("{}: '{}'", what, text));
  const std::string why = rc == 0 ? "" : fmt::format("{}: '{}': {}", what, text, ::gai_strerror(rc));
  if (rc == EAI_NONAME || rc == EAI_AGAIN || rc == EAI_NODATA) throw UnknownName(why);
  if (rc != 0) throw UsageError(why);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::vector<Address> all;
  for (const addrinfo* one = found; one; one = one->ai_next)
    all.push_back(make_address(one->ai_addr, one->ai_addrlen));
  return all;
}

Address parse_address(const std::string& text, const std::string& what) {
  return parse_addresses(text, what).front();
}

Address loopback(int port) {
  sockaddr_in raw{};
  raw.sin_family = AF_INET;
  raw.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return make_address(reinterpret_cast<const sockaddr*>(&raw), sizeof raw).with_port(port);
}

Address any_address(int family) {
  return parse_address(family == AF_INET ? "0.0.0.0:0" : "[::]:0", "any address");
}

Address unnamed_unix_address() {
  sockaddr_un raw{};
  raw.sun_family = AF_UNIX;
  return make_address(reinterpret_cast<const sockaddr*>(&raw), sizeof raw.sun_family);
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket listen_on(const Address& address, int backlog) {
  Socket listener = try_listen_on(address, backlog);
  if (!listener) throw_errno("cannot listen on " + address.text());
  return listener;
}

Socket try_listen_on(const Address& address, int backlog) {
  Socket listener(
      check_errno(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
  const int on = 1, off = 0;
  check_errno(::setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  if (address.family() == AF_INET6 && address.is_any())  // takes callers of both families
    check_errno(::setsockopt(listener.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off), "IPV6_V6ONLY");
  if (::bind(listener.fd(), address.raw(), address.length) < 0 || ::listen(listener.fd(), backlog) < 0)
    return Socket();
  return listener;
}

Address local_address(const Socket& socket) {
  Address address;
  address.length = sizeof address.storage;
  check_errno(::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address.storage), &address.length),
              "getsockname");
  return address;
}

Address peer_address(const Socket& socket) {
  Address address;
  address.length = sizeof address.storage;
  if (::getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address.storage), &address.length) < 0)
    address = loopback(0);
  return without_mapping(address);
}

bool peer_is_of_this_user(const Socket& socket) {
  const Address peer = peer_address(socket), ours = local_address(socket);
  const char* const path = peer.family() == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6";
  std::ifstream list(path);
  if (!list) throw_errno(path);
  const std::string wanted = kernels_text(peer) + " " + kernels_text(ours);  // as the peer sees it
  for (std::string line; std::getline(list, line);) {
    char local[64], remote[64];
    unsigned user = 0;
    if (std::sscanf(line.c_str(), "%*s %63s %63s %*s %*s %*s %*s %u", local, remote, &user) == 3 &&
        fmt::format("{} {}", local, remote) == wanted)
      return user == ::geteuid();
  }
  return false;
}

Socket accept_from(const Socket& listener) {
  return Socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

bool leave_by(const Socket& socket, const std::string& device) {
  return ::setsockopt(socket.fd(), SOL_SOCKET, SO_BINDTODEVICE, device.data(),
                      static_cast<socklen_t>(device.size())) == 0;
}

Socket start_connecting(const Address& address, const std::string& device) {
  Socket socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket && errno == EAFNOSUPPORT) return Socket();  // another address may be of another family
  check_errno(socket.fd(), "socket");
  if (!device.empty() && !leave_by(socket, device)) return Socket();
  if (::connect(socket.fd(), address.raw(), address.length) < 0 && errno != EINPROGRESS) return Socket();
  return socket;
}

int connect_result(const Socket& socket) {
  if (!ready(socket, POLLOUT, 0)) return EINPROGRESS;
  int error = 0;
  socklen_t length = sizeof error;
  check_errno(::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length), "SO_ERROR");
  return error;
}

Socket connect_to(const Address& address, Seconds until, const std::string& device) {
  Socket socket = start_connecting(address, device);
  return socket ? connected(std::move(socket), until) : std::move(socket);
}

Socket connected(Socket socket, Seconds until) {
  if (!ready(socket, POLLOUT, until)) return errno = ETIMEDOUT, Socket();
  if (const int error = connect_result(socket)) return errno = error, Socket();
  return socket;
}

void send_at_once(const Socket& socket) {
  const int on = 1;
  check_errno(::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

void watch(const Socket& socket) {
  send_at_once(socket);
  const int on = 1;
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_KEEPINTVL, &probe_seconds, sizeof probe_seconds);
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

std::uint64_t retransmits(const Socket& socket) { return info_of(socket).tcpi_total_retrans; }

bool is_dark(const Socket& socket) {
  const tcp_info info = info_of(socket);
  const bool unanswered =
      (info.tcpi_unacked > 0 && info.tcpi_retransmits >= probes) || info.tcpi_probes >= probes;
  return unanswered && info.tcpi_last_ack_recv > dark_milliseconds;
}

void reset(Socket& socket) {
  const linger now{1, 0};
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket = Socket();
}

void close_for_good(Socket& socket) {
  int unacknowledged = 0;
  if (socket && ::ioctl(socket.fd(), SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0)
    return reset(socket);
  socket = Socket();
}

bool ready(const Socket& socket, short events, Seconds until) {
  pollfd one{socket.fd(), events, 0};
  for (;;) {
    const int rc = ::poll(&one, 1, milliseconds_to(until));
    if (rc > 0) return true;
    if (rc < 0 && errno != EINTR) throw_errno("poll");
    if (rc == 0 && steady_now() >= until) return false;
  }
}

bool may_try_again(const char* call) {
  if (errno == EAGAIN || errno == EINTR) return true;
  if (!local_cause(errno).empty()) throw_errno(call);
  return false;
}

bool send_all(const Socket& socket, View bytes, Seconds until) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    else if (!may_try_again("send") || !ready(socket, POLLOUT, until))
      return false;
  }
  return true;
}

bool receive_all(const Socket& socket, std::span<std::byte> bytes, Seconds until) {
  while (!bytes.empty()) {
    const ssize_t n = ::recv(socket.fd(), bytes.data(), bytes.size(), 0);
    if (n > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    else if (n == 0 || !may_try_again("recv") || !ready(socket, POLLIN, until))
      return false;
  }
  return true;
}

void draw(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::getrandom(bytes.data(), bytes.size(), 0);
    if (n < 0 && errno != EINTR) throw_errno("getrandom");
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

namespace {

// "" where the kernel has no such file, or does not show it.
std::string unless_hidden(ssize_t bytes, const char* text, const char* path) {
  if (bytes < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != EPERM)
    throw_errno(path);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

}  // namespace

// Not read by a stream: where memory is short, a stream yields a part of the text, or none, and this rank
// would seem to be on a host of its own.
std::string boot_id() {
  const char* const path = "/proc/sys/kernel/random/boot_id";
  char text[64];
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  ssize_t bytes = -1;
  while (file.is_open() && (bytes = ::read(file.fd(), text, sizeof text)) < 0 && errno == EINTR) continue;
  std::string id = unless_hidden(bytes, text, path);
  id.erase(std::min(id.find('\n'), id.size()));
  return id;
}

std::string network_namespace() {
  const char* const path = "/proc/self/ns/net";
  char name[64];
  return unless_hidden(::readlink(path, name, sizeof name), name, path);
}

}  // namespace everylink
