// Replaces three functions of the C library.
#include "offline.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "net/socket.hpp"

namespace {

bool is_offline = false;

}  // namespace

// Reads the bytes that the kernel would read.
extern "C" int connect(int socket, const sockaddr* address, socklen_t length) {
  if (!is_offline) return static_cast<int>(::syscall(SYS_connect, socket, address, length));
  volatile unsigned char sum = 0;
  for (socklen_t i = 0; i < length; ++i) sum = sum ^ reinterpret_cast<const unsigned char*>(address)[i];
  errno = ECONNREFUSED;
  return -1;
}

extern "C" int bind(int socket, const sockaddr* address, socklen_t length) noexcept {
  if (!is_offline || everylink::make_address(address, length).is_loopback())
    return static_cast<int>(::syscall(SYS_bind, socket, address, length));
  errno = EADDRNOTAVAIL;
  return -1;
}

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (!is_offline) return real(name, service, hints, found);
  addrinfo numeric = hints ? *hints : addrinfo{};
  numeric.ai_flags |= AI_NUMERICHOST;
  return real(name, service, &numeric, found);
}

namespace everylink::fuzz {

Offline::Offline() { is_offline = true; }
Offline::~Offline() { is_offline = false; }

}  // namespace everylink::fuzz
