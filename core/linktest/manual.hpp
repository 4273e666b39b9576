// The help of the program that we were called as: LinkTest's options first.
#pragma once

#include "linktest/command_line.hpp"
#include "options/manual.hpp"

namespace everylink {

Manual manual_of(const Caller&);

}  // namespace everylink
