// Outcomes in words.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/types.hpp"

namespace everylink {

// The predicate of a sentence about a link.
constexpr std::string_view said_of(Outcome outcome) {
  constexpr std::string_view sentences[] = {"ok",
                                            "timed out",
                                            "broke",
                                            "delivered wrong bytes",
                                            "found the peer gone",
                                            "not tried, the rank is dark"};
  return sentences[static_cast<std::size_t>(outcome)];
}

}  // namespace everylink
