// --help=json: the table for programs (docs/options.md is generated from it).
#include <fmt/format.h>

#include "base/version.hpp"
#include "options/manual.hpp"

namespace everylink {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

template <class Items, class Text>
std::string list_of(const Items& items, Text text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return "[" + all + "]";
}

std::string strings(const std::vector<std::string>& items) { return list_of(items, quoted); }

std::string_view unit_of(const Option& option) {
  if (option.is_flag()) return "none";
  switch (option.unit) {
    case Quantity::text: return "text";
    case Quantity::choice: return "choice";
    case Quantity::count: return "count";
    case Quantity::bytes: return "bytes";
    case Quantity::seconds: return "seconds";
    case Quantity::file: return "file";
  }
  return "text";
}

std::string range_of(const Option& option) {
  if (option.is_flag() || option.unit != Quantity::count) return "null";
  const bool is_open = option.most >= std::numeric_limits<int>::max();
  return fmt::format("[{}, {}]", option.least, is_open ? "null" : fmt::to_string(option.most));
}

std::string in_patterns_of(const Option& option) {
  std::string all;
  for (const auto& [pattern, in_pattern] : option.in_patterns)
    all += fmt::format("{}{}: {{\"more_names\": {}, \"default\": {}}}", all.empty() ? "" : ", ",
                       quoted(pattern), strings(in_pattern.more_names), quoted(in_pattern.default_text));
  return "{" + all + "}";
}

std::string object_of(const Option& option) {
  return fmt::format(
      "{{\"names\": {}, \"value\": {}, \"unit\": \"{}\", \"list\": {}, \"optional\": {}, \"range\": {}, "
      "\"choices\": {}, \"group\": {}, \"brief\": {}, \"more\": {}, \"default\": {}, \"applies_to\": {}, "
      "\"in_patterns\": {}, \"kernels\": {}, \"modes\": {}, \"linktest2\": {}, \"linktest1\": {}}}",
      strings(option.names), quoted(option.value), unit_of(option), option.is_list, option.is_optional,
      range_of(option), strings(option.choices), quoted(option.group), quoted(option.brief),
      quoted(option.more), quoted(option.default_text), strings(option.applies_to), in_patterns_of(option),
      strings(option.kernels), strings(option.modes), strings(option.linktest2), quoted(option.linktest1));
}

std::string object_of(const Exclusion& exclusion) {
  return fmt::format("{{\"options\": {}, \"reason\": {}}}", strings(exclusion.options),
                     quoted(exclusion.reason));
}

}  // namespace

std::string json_of(const Manual& manual) {
  const Page& page = manual.page;
  const auto line = [](const std::string& object) { return "\n    " + object; };
  const std::size_t front = page.name.size() + 1;
  const auto patterns = list_of(manual.patterns, [&](const Page& pattern) {
    return line(fmt::format("{{\"name\": {}, \"summary\": {}}}", quoted(pattern.name.substr(front)),
                            quoted(pattern.summary)));
  });
  const auto examples = list_of(page.examples, [&](const Example& example) {
    return line(fmt::format("{{\"what\": {}, \"line\": {}}}", quoted(example.what), quoted(example.line)));
  });
  const auto notes = list_of(page.notes, [&](const Paragraph& note) {
    return line(fmt::format("{{\"title\": {}, \"text\": {}}}", quoted(note.title), quoted(note.text)));
  });
  return fmt::format(
      "{{\n  \"program\": {},\n  \"version\": {},\n  \"summary\": {},\n  \"usage\": {},\n  \"options\": "
      "{},\n  "
      "\"exclusions\": {},\n  \"patterns\": {},\n  \"examples\": {},\n  \"notes\": {}\n}}\n",
      quoted(page.name), quoted(version), quoted(page.summary), strings(page.usage),
      list_of(manual.options, [&](const Option& option) { return line(object_of(option)); }),
      list_of(manual.exclusions, [&](const Exclusion& one) { return line(object_of(one)); }), patterns,
      examples, notes);
}

}  // namespace everylink
