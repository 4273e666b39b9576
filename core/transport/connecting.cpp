// What keeps this machine from connecting becomes data.
#include <cerrno>
#include <new>

#include "base/errors.hpp"
#include "transport/transport.hpp"

namespace everylink {

Connection connect_or_explain(Transport& transport, int peer, std::uint64_t epoch, View peer_offer,
                              Seconds until) {
  try {
    return transport.connect(peer, epoch, peer_offer, until);
  } catch (const LocalFault& fault) {
    return {.link = nullptr, .fault = fault.cause, .is_local = true};
  } catch (const std::bad_alloc&) {
    return {.link = nullptr, .fault = local_cause(ENOMEM), .is_local = true};
  }
}

}  // namespace everylink
