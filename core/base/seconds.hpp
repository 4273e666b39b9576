// The unit of all times in the core. Input and output convert other units (base/units.hpp).
#pragma once

namespace everylink {

using Seconds = double;

}  // namespace everylink
