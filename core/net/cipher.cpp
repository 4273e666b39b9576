// Proofs and encryption, by libsodium.
#include "net/cipher.hpp"

#include <sodium.h>

#include <cstring>

#include "base/errors.hpp"

namespace everylink {
namespace {

// The library does not accept a null pointer, not even for no bytes.
const unsigned char* raw(const std::byte* at) {
  static constexpr unsigned char nothing = 0;
  return at ? reinterpret_cast<const unsigned char*>(at) : &nothing;
}
unsigned char* raw(std::byte* at) { return reinterpret_cast<unsigned char*>(at); }

// Without it the library uses its slowest code.
void begin_library() {
  static const int begun = ::sodium_init();
  if (begun < 0) throw MachineError("libsodium cannot be used on this machine");
}

auto numbered(std::uint64_t number) {
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> nonce{};
  std::memcpy(nonce.data(), &number, sizeof number);
  return nonce;
}

}  // namespace

static_assert(sizeof(Mac) == crypto_auth_hmacsha256_BYTES);
static_assert(sizeof(Mac) == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(CipherState::tag_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

Mac hmac_sha256(View key, std::initializer_list<View> parts) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, raw(key.data()), key.size());
  for (const View part : parts) crypto_auth_hmacsha256_update(&state, raw(part.data()), part.size());
  Mac mac;
  crypto_auth_hmacsha256_final(&state, raw(mac.data()));
  sodium_memzero(&state, sizeof state);
  return mac;
}

bool same(const Mac& a, const Mac& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

void CipherState::encrypt(std::span<std::byte> message_and_tag, View clear) {
  begin_library();
  const std::size_t bytes = message_and_tag.size() - tag_bytes;
  unsigned char* const message = raw(message_and_tag.data());
  crypto_aead_chacha20poly1305_ietf_encrypt_detached(message, message + bytes, nullptr, message, bytes,
                                                     raw(clear.data()), clear.size(), nullptr,
                                                     numbered(messages_++).data(), raw(key_.data()));
}

bool CipherState::decrypt(std::span<std::byte> message_and_tag, View clear) {
  begin_library();
  if (message_and_tag.size() < tag_bytes) return false;
  const std::size_t bytes = message_and_tag.size() - tag_bytes;
  unsigned char* const message = raw(message_and_tag.data());
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
             message, nullptr, message, bytes, message + bytes, raw(clear.data()), clear.size(),
             numbered(messages_++).data(), raw(key_.data())) == 0;
}

}  // namespace everylink
