// What a rank read about its host at one moment: facts and counters of the host's parts. They are recorded
// and nothing here interprets them (docs/results-file.md, /inventory).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/seconds.hpp"

namespace everylink {

enum class Moment : std::uint8_t {
  before = 0,      // the first step of a process
  under_load = 1,  // during a step that is not timed: speed and width of PCIe alone
  after = 2,       // the last step of the main run
  again = 3        // after links were measured again
};
constexpr Moment last_of(Moment) { return Moment::again; }

inline constexpr std::uint32_t reading_under_load = 1;  // its number; others have 0, 2, 3 ...

// A part, a name and a value are indices into `texts`, whose first one is "".
struct HostReading {
  std::uint32_t number = 0;  // of the reading in this process, the same for all hosts at one moment
  Moment moment = Moment::before;
  Seconds took = 0;
  std::uint32_t unread = 0;  // files that did not answer
  std::vector<std::string> texts = {};
  std::vector<std::uint32_t> facts = {};           // part, name, value; part, name, value; ...
  std::vector<std::uint32_t> counters = {};        // part, name; part, name; ...
  std::vector<std::uint64_t> counter_values = {};  // one per counter
  static constexpr auto fields = std::tuple(&HostReading::number, &HostReading::moment, &HostReading::took,
                                            &HostReading::unread, &HostReading::texts, &HostReading::facts,
                                            &HostReading::counters, &HostReading::counter_values);

  static constexpr std::size_t longest_text = 256, most_rows = 1 << 16;
  static bool is_plain(const std::string& text) {
    return text.size() <= longest_text &&
           std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
  }
  bool is_sound() const {
    const auto is_known = [&](std::uint32_t text) { return text < texts.size(); };
    return std::isfinite(took) && took >= 0 && texts.size() <= most_rows && facts.size() <= most_rows &&
           facts.size() % 3 == 0 && counter_values.size() <= most_rows &&
           counters.size() == 2 * counter_values.size() &&
           std::all_of(texts.begin(), texts.end(), is_plain) &&
           std::all_of(facts.begin(), facts.end(), is_known) &&
           std::all_of(counters.begin(), counters.end(), is_known);
  }
};

// Bytes of messages of a rank so far: contents alone, warm-ups included.
struct Carried {
  std::uint64_t sent = 0, received = 0;
  static constexpr auto fields = std::tuple(&Carried::sent, &Carried::received);
  Carried& operator+=(const Carried& more) {
    sent += more.sent;
    received += more.received;
    return *this;
  }
};

// Segments that TCP has sent again from a rank to a peer while one link was open, and the bytes of messages
// that this rank sent over the link.
struct Retransmits {
  std::int32_t to = 0;
  std::uint64_t segments = 0, bytes = 0;
  static constexpr auto fields = std::tuple(&Retransmits::to, &Retransmits::segments, &Retransmits::bytes);
};

}  // namespace everylink
