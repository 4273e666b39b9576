// The addresses in a peer's offer. Nothing leaves this machine: every call is refused.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.hpp"
#include "fuzz.hpp"
#include "net/door.hpp"

using namespace everylink;

static bool refuses = false;

// Replaces the C library's function, and reads the bytes that the kernel would read.
extern "C" int connect(int socket, const sockaddr* address, socklen_t length) {
  if (!refuses) return static_cast<int>(::syscall(SYS_connect, socket, address, length));
  volatile unsigned char sum = 0;
  for (socklen_t i = 0; i < length; ++i) sum = sum ^ reinterpret_cast<const unsigned char*>(address)[i];
  errno = ECONNREFUSED;
  return -1;
}

EVERYLINK_FUZZ_TARGET(offers) {
  struct Refusing {
    Refusing() { refuses = true; }
    ~Refusing() { refuses = false; }
  } const refusing;
  fuzz::Pieces in(bytes);
  const int peer = in.byte() % 2 ? 1 : 0;  // the lower rank calls, the upper one listens
  Door door(1 - peer, "", true);
  door.offer(peer, 7);
  door.connect(peer, 7, in.rest(), 1, steady_now());
}
