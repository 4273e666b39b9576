// The command line: a word per line.
#include "options/command_line.hpp"

#include "base/units.hpp"
#include "fuzz.hpp"
#include "linktest/command_line.hpp"
#include "linktest/manual.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(options) {
  std::vector<std::string> words = split(fuzz::text_of(bytes), '\n');
  words.insert(words.begin(), "everylink-measure");
  const Command command = parse(in_our_words(words, ""));
  if (command.action == Action::show_help)
    help_of(manual_of(caller_of(words[0])), command.form, command.options.pattern, 80);
  command.options.schedule_text();
  command.options.limit(command.options.largest());
}
