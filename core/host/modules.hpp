// Shared objects loaded on demand: what needs a library that may be absent.
#pragma once

#include <string>

namespace everylink {

// The symbol of the module `name`.so, looked for in EVERYLINK_TRANSPORT_PATH (folders joined by ':'), beside
// the executable and in the places of an installation. Null, with one sentence in `why`: not found, or a
// library it needs is missing.
void* module_symbol(const std::string& name, const char* symbol, std::string& why);

}  // namespace everylink
