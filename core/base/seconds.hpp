// The unit of every time in the core. Text in other units is made where it is read or printed
// (base/units.hpp).
#pragma once

namespace everylink {

using Seconds = double;

}  // namespace everylink
