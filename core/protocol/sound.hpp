// Which values a broken peer may not hand us.
#pragma once

#include "base/flow.hpp"
#include "base/pack.hpp"
#include "base/rows.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"

namespace everylink {

inline constexpr std::uint32_t most_lead_in = 1000000, most_rounds = 1u << 30;
inline constexpr Seconds longest_time = 1e9;

inline bool is_sound(const Tuning& tuning) {
  return tuning.rounds_per_reading <= most_rounds && tuning.lead_in <= most_lead_in;
}
inline bool is_sound(const Care& care) {
  return care.reach <= Reach::far && Unpacker::is_flag(care.suspect) && Unpacker::is_flag(care.dark);
}
inline bool is_sound(const Sample& sample) {
  return sample.attempt <= Attempt::direction && sample.outcome <= Outcome::presumed;
}
inline bool is_sound(const FlowEnd& end) {
  const bool is_time = end.seconds >= 0 && end.seconds <= longest_time;
  return Unpacker::is_flag(end.sends) && end.outcome <= Outcome::presumed && is_time;
}
inline bool is_sound(const Note& note) { return Unpacker::is_flag(note.corrupt); }

template <class T>
std::vector<T> sound_list(Unpacker& in) {
  auto values = in.list<T>();
  for (const auto& value : values) Unpacker::must(is_sound(value));
  return values;
}

}  // namespace everylink
