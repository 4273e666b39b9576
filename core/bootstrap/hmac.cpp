// HMAC-SHA-256 by libsodium.
#include "bootstrap/hmac.hpp"

#include <sodium.h>

#include "net/socket.hpp"

namespace everylink {
namespace {

// The library wants no null, not even for nothing.
const unsigned char* raw(const std::byte* at) {
  static constexpr unsigned char nothing = 0;
  return at ? reinterpret_cast<const unsigned char*>(at) : &nothing;
}

}  // namespace

static_assert(sizeof(Mac) == crypto_auth_hmacsha256_BYTES);

Key random_key() {
  Key key(32);
  draw(key);
  return key;
}

Mac hmac_sha256(View key, std::initializer_list<View> parts) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, raw(key.data()), key.size());
  for (const View part : parts) crypto_auth_hmacsha256_update(&state, raw(part.data()), part.size());
  Mac mac;
  crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(mac.data()));
  sodium_memzero(&state, sizeof state);
  return mac;
}

bool same(const Mac& a, const Mac& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace everylink
