// Names that a user abbreviates or misspells.
#include "base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace everylink {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edit distance: letters inserted, dropped, changed, or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> beginning_with(std::string_view typed, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& name : names) {
    if (name == typed) return {name};
    if (name.starts_with(typed)) found.push_back(name);
  }
  return found;
}

// Allows one typing error, or one per three letters of a long name.
std::string nearest_to(std::string_view typed, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 64, letters_per_error = 3;
  if (typed.empty() || typed.size() > longest) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / letters_per_error) + 1;
  for (const auto& name : names)
    if (const auto slips = distance(typed, name); slips < least && slips < name.size()) {
      least = slips;
      best = name;
    }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names,
                         std::string_view before) {
  const auto name = nearest_to(typed, names);
  return name.empty() ? "" : fmt::format(" (did you mean {}{}?)", before, name);
}

std::string unknown_name(std::string_view what, std::string_view typed,
                         const std::vector<std::string>& names) {
  return fmt::format("unknown {} '{}'{}; use {}", what, typed, did_you_mean(typed, names),
                     fmt::join(names, ", "));
}

}  // namespace everylink
