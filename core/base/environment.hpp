// Environment variables that a launcher sets.
#pragma once

#include <initializer_list>
#include <string>

namespace everylink {

std::string variable(const char* name);  // "": not set
int number_in(const char* name);         // 0 to 2^24; throws UsageError, which names the variable
// Throws UsageError for the first one that is not set: "`what`: NAME is not set; `setter` sets it".
void must_be_set(std::initializer_list<const char*> names, const std::string& what,
                 const std::string& setter);

}  // namespace everylink
