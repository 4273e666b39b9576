// The outcome of a link: data, never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace everylink {

// Results files store the numbers. `local` says nothing of the link: one of its hosts lacks what measuring
// takes, such as descriptors, memory or an address.
enum class Outcome : std::uint8_t {
  ok = 0,
  timeout = 1,
  broken = 2,
  corrupt = 3,
  absent = 4,
  presumed = 5,
  local = 6
};
constexpr Outcome last_of(Outcome) { return Outcome::local; }

// The link failed, or the process or the host at one end lacked something: the outcome alone does not tell.
constexpr bool is_doubtful(Outcome outcome) {
  return outcome == Outcome::timeout || outcome == Outcome::broken;
}

// The predicate of a sentence about a link.
constexpr std::string_view said_of(Outcome outcome) {
  constexpr std::string_view sentences[] = {"ok",
                                            "timed out",
                                            "broke",
                                            "delivered wrong bytes",
                                            "found the peer gone",
                                            "not tried, the rank is dark",
                                            "could not be measured"};
  return sentences[static_cast<std::size_t>(outcome)];
}

}  // namespace everylink
