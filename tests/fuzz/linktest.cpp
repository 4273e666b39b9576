// The command lines of LinkTest 2 and of LinkTest 1.2: a word per line, the name of the program first.
#include "linktest/command_line.hpp"

#include "base/units.hpp"
#include "fuzz.hpp"
#include "linktest/manual.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(linktest) {
  fuzz::Pieces in(bytes);
  const int which = in.byte() % 4;
  std::vector<std::string> words = split(fuzz::text_of(in.rest()), '\n');
  const std::string layer = which == 3 ? words[0] : "tcp";  // LINKTEST_VCLUSTER_IMPL
  constexpr const char* names[] = {"mpilinktest", "linktest", "linktest.", "linktest"};
  words[0] = names[which] + (which == 2 ? words[0] : "");
  const Command command = parse(in_our_words(words, layer));
  if (command.action == Action::show_help) help_of(manual_of(caller_of(words[0])), command.form, "", 80);
}
