// The table of patterns, and the assignment of turns and lanes to the flows of a scene.
#include "load/pattern.hpp"
#include "base/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace everylink {

extern const Pattern pattern_incast, pattern_outcast, pattern_shift, pattern_ring, pattern_random_bisection,
    pattern_victim, pattern_client_server, pattern_all_to_all;

std::span<const Pattern* const> patterns() {
  static const Pattern* const all[] = {&pattern_incast,        &pattern_outcast,          &pattern_shift,
                                       &pattern_ring,          &pattern_random_bisection, &pattern_victim,
                                       &pattern_client_server, &pattern_all_to_all};
  return all;
}

const Pattern* pattern_named(std::string_view name) {
  for (const auto* pattern : patterns())
    if (pattern->name == name) return pattern;
  return nullptr;
}

namespace {

// The smallest number that none of these sets contains; adds it to all of them.
int take_first_free(std::initializer_list<std::set<int>*> taken) {
  int number = 0;
  const auto is_taken = [&](const std::set<int>* set) { return set->contains(number); };
  while (std::any_of(taken.begin(), taken.end(), is_taken)) ++number;
  for (auto* set : taken) set->insert(number);
  return number;
}

}  // namespace

AssignedScene assign(Scene scene) {
  AssignedScene all{std::move(scene), {}, {}, 0};
  std::map<int, std::set<int>> turns, out, in;  // by rank
  for (const auto& flow : all.scene.flows) {
    all.turn.push_back(take_first_free({&turns[flow.from], &turns[flow.to]}));
    all.turns = std::max(all.turns, all.turn.back() + 1);
    all.lane.push_back(flow.kind == FlowKind::ping
                           ? take_first_free({&out[flow.from], &in[flow.to], &out[flow.to], &in[flow.from]})
                           : take_first_free({&out[flow.from], &in[flow.to]}));
  }
  return all;
}

int pattern_number(const PatternInput& input, const std::string& name, int fallback, int least, int most) {
  const auto text = setting(input.settings, name);
  if (text.empty()) return fallback;
  const auto value = parse_integer(text, "--" + name);
  if (value < least || value > most)
    throw UsageError(fmt::format("--{}: {} is out of range; use {} to {}", name, text, least, most));
  return static_cast<int>(value);
}

std::vector<int> pattern_numbers(const PatternInput& input, const std::string& name, int least, int most) {
  std::vector<int> numbers;
  const auto text = setting(input.settings, name);
  for (const auto& word : text.empty() ? std::vector<std::string>() : split(text, ',')) {
    const auto value = parse_integer(word, "--" + name);
    if (value < least || value > most)
      throw UsageError(fmt::format("--{}: {} is out of range; use {} to {}", name, word, least, most));
    numbers.push_back(static_cast<int>(value));
  }
  return numbers;
}

std::string text_of_lost(int failed, int unmeasured, int flows, std::string_view what) {
  std::vector<std::string> parts;
  if (failed) parts.push_back(fmt::format("{} of {} {} FAILED", failed, flows, what));
  if (unmeasured) parts.push_back(fmt::format("{} of {} {} could not be measured", unmeasured, flows, what));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace everylink
