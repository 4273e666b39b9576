// The answers of a PMI server.
#include <sys/socket.h>

#include <string>

#include "base/errors.hpp"
#include "bootstrap/place.hpp"
#include "fuzz.hpp"
#include "offline.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(pmi) {
  const fuzz::Offline offline;
  fuzz::Pieces in(bytes);
  const int rank = in.byte() % 4;
  int ends[2];
  check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  const Socket server(ends[1]);
  const fuzz::Variables variables({"PMI_FD", "PMI_RANK", "PMI_SIZE"},
                                  {std::to_string(ends[0]), std::to_string(rank), "3"});
  const View answers = in.rest();
  if (::send(server.fd(), answers.data(), answers.size(), MSG_NOSIGNAL) < 0) throw_errno("send");
  check_errno(::shutdown(server.fd(), SHUT_WR), "shutdown");
  if (rank > 0) {
    place_from_launcher("pmi", "");
  } else {
    const auto launcher = join_by_pmi();
    launcher->tell_all(std::as_bytes(std::span("what rank 0 says")));
    launcher->leave(0, true);
  }
}
