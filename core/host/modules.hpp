// Loads modules on demand: shared objects for parts that need a library that may be absent.
#pragma once

#include <string>

namespace everylink {

// The symbol of the module `name`.so, searched for in EVERYLINK_TRANSPORT_PATH (folders separated by ':'),
// next to the executable, and in the folders of an installation. "mpi" and "launch_mpi" have a module for
// each ABI of MPI (mpi_library.hpp). Null: not found, or a library that it needs is missing; `why` has one
// sentence.
void* module_symbol(const std::string& name, const char* symbol, std::string& why);

// Whether the file `name`.so is in one of these folders.
bool has_module(const std::string& name);

// That symbol as an Entry, whose `abi` must be this one. Null as above, or where the module is of another
// version.
template <class Entry>
const Entry* module_entry(const std::string& name, const char* symbol, int abi, std::string& why) {
  const auto* entry = static_cast<const Entry*>(module_symbol(name, symbol, why));
  if (!entry || entry->abi == abi) return entry;
  why = name + ".so belongs to another version of Everylink";
  return nullptr;
}

}  // namespace everylink
