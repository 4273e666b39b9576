// The key of a run, and where it comes from.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace everylink {

using Key = Blob;

Key random_key();
// From EVERYLINK_KEY or EVERYLINK_KEY_FILE; empty when neither is set. Throws UsageError.
Key key_from_variables();
void must_share_a_key(const Key&, const std::string& where);  // throws UsageError when it is empty

}  // namespace everylink
