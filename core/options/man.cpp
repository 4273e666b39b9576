// --help=man: the man page, for man(7).
#include <fmt/format.h>

#include <cctype>

#include "base/version.hpp"
#include "options/manual.hpp"

namespace everylink {
namespace {

// Escapes backslashes and minus signs, and a dot or quote that would begin a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string item(const Option& option) {
  std::string names;
  for (const auto& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  if (!option.is_flag())
    names += fmt::format("{}\\fI{}\\fR{}", option.is_optional ? "[=" : " ", escaped(option.value),
                         option.is_optional ? "]" : "");
  std::string text = sentence(option.brief) + (option.more.empty() ? "" : " " + option.more);
  if (!option.default_text.empty()) text += " Default: " + option.default_text + ".";
  return fmt::format(".TP\n{}\n{}\n", names, escaped(text));
}

std::string synopsis(const Page& page) {
  std::string text;
  for (const auto& usage : page.usage) {
    const auto blank = usage.find(" [");
    text += fmt::format("{}\\fB{}\\fR{}\n", text.empty() ? "" : ".br\n", escaped(usage.substr(0, blank)),
                        blank == std::string::npos ? "" : escaped(usage.substr(blank)));
  }
  return text;
}

// First the options that patterns share, then the options of each pattern.
std::string of_patterns(const Manual& manual) {
  std::string text =
      ".SH LOAD PATTERNS\nA pattern loads the network with many flows at the same time and measures each of "
      "them. Its name precedes the options. It takes the options above for ranks, transport and output, "
      "those of all patterns, and its own.\n.SS All patterns\n";
  for (Option option : manual.options) {
    if (!differs_in_patterns(option)) continue;
    if (const auto names = names_in_patterns(option); !names.empty())
      option.more += fmt::format("{}Other names: {}.", option.more.empty() ? "" : " ", names);
    option.default_text = defaults_in_patterns(option);
    text += item(option);
  }
  for (const auto& pattern : manual.patterns) {
    text += fmt::format(".SS {}\n{}\n", escaped(pattern.name.substr(manual.page.name.size() + 1)),
                        escaped(sentence(pattern.summary)));
    for (const auto& section : pattern.sections)
      for (const auto& option : section.options)
        if (is_of_one_pattern(option)) text += item(option);
  }
  return text;
}

}  // namespace

std::string man_page(const Manual& manual) {
  const Page& page = manual.page;
  std::string text = fmt::format(".TH {} 1 \"\" \"Everylink {}\" \"User Commands\"\n.nh\n.ad l\n",
                                 escaped(upper(page.name)), version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(page.name), escaped(page.summary));
  text += ".SH SYNOPSIS\n" + synopsis(page);
  text += ".SH OPTIONS\n";
  for (const auto& section : page.sections) {
    text += fmt::format(".SS {}\n", escaped(section.title));
    for (const auto& option : section.options) text += item(option);
  }
  if (!manual.patterns.empty()) text += of_patterns(manual);
  for (const auto& note : page.notes)
    text += fmt::format(".SH {}\n{}\n", escaped(upper(note.title)), escaped(note.text));
  if (!page.examples.empty()) text += ".SH EXAMPLES\n";
  for (const auto& example : page.examples)
    text +=
        fmt::format(".PP\n{}\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", escaped(example.what), escaped(example.line));
  return text + ".SH SEE ALSO\n.BR everylink (1)\n";
}

}  // namespace everylink
