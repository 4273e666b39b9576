// What there is to say about the program by whose name we were called: LinkTest's own options first.
#pragma once

#include "linktest/command_line.hpp"
#include "options/manual.hpp"

namespace everylink {

Manual manual_of(const Caller&);

}  // namespace everylink
