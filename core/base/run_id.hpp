// Identifies a run.
#pragma once

#include <array>
#include <cstdint>

namespace everylink {

using RunId = std::array<std::uint8_t, 16>;  // drawn by rank 0; ties unsaved rows to their file

}  // namespace everylink
