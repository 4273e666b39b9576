// The key of a run, and the proof that somebody has it: HMAC-SHA-256 (RFC 2104), by libsodium.
#pragma once

#include <array>
#include <initializer_list>

#include "base/types.hpp"

namespace everylink {

using Key = Blob;
using Mac = std::array<std::byte, 32>;

Key random_key();
Mac hmac_sha256(View key, std::initializer_list<View> parts);
bool same(const Mac&, const Mac&);  // in a time that tells nothing of where they differ

}  // namespace everylink
