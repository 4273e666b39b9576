// How processes that share a key prove that they have it, and how they protect what they send: HMAC-SHA-256
// (RFC 2104) and ChaCha20-Poly1305 (RFC 8439), both by libsodium.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/bytes.hpp"

namespace everylink {

using Mac = std::array<std::byte, 32>;

Mac hmac_sha256(View key, std::initializer_list<View> parts);
bool same(const Mac&, const Mac&);  // in constant time

// One direction of a connection. Messages are encrypted under their number, so that a message that was
// changed, repeated, left out or moved is not accepted.
class CipherState {
 public:
  static constexpr std::size_t tag_bytes = 16;

  CipherState() = default;
  explicit CipherState(const Mac& key) : key_(key) {}

  // In place: the message, then `tag_bytes` of room for its tag. `clear`: bytes that travel unencrypted and
  // belong to the message.
  void encrypt(std::span<std::byte> message_and_tag, View clear = {});
  // In place. False: it is not the next message of the other end, and this end must close the connection.
  [[nodiscard]] bool decrypt(std::span<std::byte> message_and_tag, View clear = {});

 private:
  Mac key_{};
  std::uint64_t messages_ = 0;
};

}  // namespace everylink
