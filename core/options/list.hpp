// --list: everything available, and whether it can run here.
#pragma once

#include <string>

namespace everylink {

std::string list_text();

}  // namespace everylink
