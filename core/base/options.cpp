// Values that follow from the options alone.
#include "base/options.hpp"

#include <algorithm>

namespace everylink {

bool Options::is_sion() const { return !no_output && output.ends_with(".sion"); }

std::string Options::schedule_text() const {
  return schedule + (schedule_option.empty() ? "" : ":" + schedule_option);
}

std::string Options::pairs_option() const {
  return confirms() ? "--confirm " + confirm : "--schedule " + schedule_text();
}

std::string Options::continued_option() const {
  return (confirms() ? "--confirm: --output " : "--resume ") + output;
}

int Options::messages_of(std::size_t bytes) const {
  if (messages.size() == 1) return messages.front();
  const auto at = std::find(sizes.begin(), sizes.end(), bytes) - sizes.begin();
  return messages.at(static_cast<std::size_t>(at));
}

int Options::most_messages() const { return *std::max_element(messages.begin(), messages.end()); }

std::size_t Options::largest() const { return *std::max_element(sizes.begin(), sizes.end()); }

std::size_t Options::stride() const { return (largest() + 63) / 64 * 64; }

Seconds at_worst(double messages, std::size_t bytes) {
  return messages * (200e-6 + static_cast<double>(bytes) / 10e6);
}

// Two turns, each with messages there and back.
Seconds Options::limit(std::size_t bytes) const {
  if (time_limit > 0) return time_limit;
  return 10 + at_worst(4.0 * (messages_of(bytes) + warmups), bytes);
}

}  // namespace everylink
