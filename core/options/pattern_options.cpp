// The command line of a load pattern.
#include "options/pattern_options.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "load/flows.hpp"

namespace everylink {

void bind_pattern(CLI::App& app, const Options& o, PatternWords& w) {
  const Pattern& pattern = *pattern_named(o.pattern);
  const std::string group = fmt::format("The pattern {}: {}", pattern.name, pattern.summary);
  if (pattern.traits.duration > 0)
    app.add_option("--duration", w.duration,
                   fmt::format("of each scene ({})", text_of_seconds(pattern.traits.duration)))
        ->type_name("SECONDS")
        ->group(group);
  for (const auto& option : pattern.options) {
    const std::string name(option.name), summary(option.summary);
    if (option.value.empty())
      app.add_flag("--" + name, w.own_flags[name], summary)->group(group);
    else
      app.add_option("--" + name, w.own[name], summary)->type_name(std::string(option.value))->group(group);
  }
}

void understand_pattern(const PatternWords& w, Options& o) {
  o.schedule = o.pattern;
  o.messages = o.warmups = o.slowest = 0;
  const auto& traits = pattern_named(o.pattern)->traits;
  o.duration = w.duration.empty() ? traits.duration : parse_seconds(w.duration, "--duration");
  if (traits.duration > 0 && (o.duration <= 0 || o.duration > 3600))
    throw UsageError(fmt::format("--duration: {} does not work; above 0, up to 3600 s does", w.duration));
  for (const auto bytes : o.sizes)
    if (bytes == 0)
      throw UsageError("-s/--size-messages: messages of 0 bytes load no network; 1 or more does");
  if (o.window && *o.window > largest_flow_window)
    throw UsageError(fmt::format("--window: {} does not work with a pattern; 1 to {} does", *o.window,
                                 largest_flow_window));
  for (const auto& [name, value] : w.own)
    if (!value.empty()) o.pattern_settings[name] = value;
  for (const auto& [name, is_set] : w.own_flags)
    if (is_set) o.pattern_settings[name] = "yes";
  o.check = o.pattern_settings.contains("check");
}

std::string names_of_patterns() {
  std::vector<std::string_view> names;
  for (const auto* pattern : patterns()) names.push_back(pattern->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string help_of_patterns() {
  std::string text = "Load patterns (everylink-measure PATTERN --help has their options):\n";
  for (const auto* pattern : patterns()) text += fmt::format("  {:<18}{}\n", pattern->name, pattern->summary);
  return text;
}

}  // namespace everylink
