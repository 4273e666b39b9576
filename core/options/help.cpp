// --help and -h: a page as text of a given width.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "options/manual.hpp"

namespace everylink {
namespace {

std::string blanks(std::size_t count) { return std::string(count, ' '); }

// Wraps text at `width`. The first line begins at `column`; the others are indented by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t at = column;
  for (const auto& word : split(text, ' ')) {
    const bool first = at == column && lines.empty();
    if (!first && at + 1 + word.size() > width) {
      lines += "\n" + blanks(indent);
      at = indent;
    } else if (!first) {
      lines += " ";
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines;
}

std::string names_of(const Option& option) {
  std::string text;
  for (const auto& name : option.names) text += (text.empty() ? "" : ", ") + name;
  if (option.is_optional) return text + "[=" + option.value + "]";
  return text + (option.is_flag() ? "" : " " + option.value);
}

std::string with_default(const Option& option) {
  return option.default_text.empty() ? option.brief
                                     : fmt::format("{} ({})", option.brief, option.default_text);
}

std::string usage_of(const Page& page) {
  std::string text = "Usage: ";
  for (std::size_t i = 0; i < page.usage.size(); ++i) text += (i == 0 ? "" : "\n       ") + page.usage[i];
  return text + "\n";
}

// A name, and its text in a second column.
std::string entry(const std::string& name, const std::string& text, std::size_t column, std::size_t width) {
  const std::string head = "  " + name;
  const bool fits = head.size() + 2 <= column;
  return head + (fits ? blanks(column - head.size()) : "\n" + blanks(column)) +
         wrapped(text, column, column, width) + "\n";
}

std::string list_of(const std::vector<Page>& patterns, std::size_t width) {
  if (patterns.empty()) return {};
  std::string text =
      "\nLoad patterns, instead of pairs (everylink-measure PATTERN --help lists the options)\n";
  text = "\n" + wrapped(text.substr(1, text.size() - 2), 0, 0, width) + "\n";
  for (const auto& pattern : patterns)
    text += entry(pattern.name.substr(pattern.name.rfind(' ') + 1), pattern.summary, 22, width);
  return text;
}

}  // namespace

std::string short_help(const Page& page, const std::vector<Page>& patterns, std::size_t width) {
  std::string text = wrapped(sentence(page.summary), 0, 0, width) + "\n\n" + usage_of(page);
  const std::size_t column = std::min<std::size_t>(34, width / 2);
  for (const auto& section : page.sections) {
    text += "\n" + section.title + "\n";
    for (const auto& option : section.options)
      text += entry(names_of(option), with_default(option), column, width);
  }
  return text + list_of(patterns, width);
}

std::string long_help(const Page& page, const std::vector<Page>& patterns, std::size_t width) {
  constexpr std::size_t indent = 6;
  std::string text = wrapped(sentence(page.summary), 0, 0, width) + "\n\n" + usage_of(page);
  for (const auto& section : page.sections) {
    text += "\n" + section.title + "\n";
    for (const auto& option : section.options) {
      std::string said = sentence(option.brief) + (option.more.empty() ? "" : " " + option.more);
      if (!option.default_text.empty()) said += " Default: " + option.default_text + ".";
      text += "  " + names_of(option) + "\n" + blanks(indent) + wrapped(said, indent, indent, width) + "\n";
    }
  }
  text += list_of(patterns, width);
  for (const auto& note : page.notes)
    text += "\n" + note.title + "\n  " + wrapped(note.text, 2, 2, width) + "\n";
  if (!page.examples.empty()) text += "\nExamples\n";
  for (const auto& example : page.examples)
    text += "  " + wrapped(example.what, 2, 2, width) + "\n" + blanks(indent) + example.line + "\n";
  return text;
}

}  // namespace everylink
