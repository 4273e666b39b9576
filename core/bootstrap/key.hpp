// The key of a run: where it comes from, and how a process proves that it has it.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "base/bytes.hpp"

namespace everylink {

using Key = Blob;
using Mac = std::array<std::byte, 32>;

Key random_key();
// From EVERYLINK_KEY or EVERYLINK_KEY_FILE; empty when neither is set. Throws UsageError.
Key key_from_variables();
void must_share_a_key(const Key&, const std::string& where);  // throws UsageError when it is empty

Mac hmac_sha256(View key, std::initializer_list<View> parts);  // RFC 2104
bool same(const Mac&, const Mac&);                             // in constant time

}  // namespace everylink
