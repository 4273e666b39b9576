// The command line: its meaning, and refusals with a message that names the option.
#include "options/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.hpp"
#include "kernel/kernel.hpp"
#include "linktest/manual.hpp"
#include "options/parser.hpp"
#include "options/table.hpp"

namespace everylink {
namespace {

using Args = std::vector<std::string>;

Options options(Args args) {
  args.insert(args.begin(), "everylink-measure");
  const Command command = parse(in_our_words(args, ""));
  if (command.action != Action::measure) throw std::logic_error("nothing to measure");
  return command.options;
}

// Expects a refusal in one line that contains all these parts.
void expect_refused(const Args& args, const std::vector<std::string>& parts) {
  std::string line;
  for (const auto& arg : args) line += arg + " ";
  try {
    options(args);
    ADD_FAILURE() << "accepted: " << line;
  } catch (const UsageError& error) {
    const std::string message = error.what();
    for (const auto& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << line << "gave: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Config, the_defaults) {
  const Options o = options({});
  EXPECT_EQ(o.np, 0);
  EXPECT_EQ(o.bootstrap, StartBy::automatic);
  EXPECT_EQ(o.mode, "tcp");
  EXPECT_EQ(o.mode_options, "");
  EXPECT_EQ(o.memory, "host");
  EXPECT_EQ(o.most_messages(), 100);
  EXPECT_EQ(o.warmups, 10);
  EXPECT_EQ(o.sizes, std::vector<std::size_t>{1});
  EXPECT_EQ(o.kernel, "semidirectional");
  EXPECT_EQ(o.buffers, 1);
  EXPECT_EQ(o.schedule, "all");
  EXPECT_EQ(o.randomize, 0);
  EXPECT_EQ(o.slowest, 10);
  EXPECT_EQ(o.min_iterations, 1);
  EXPECT_EQ(o.min_runtime, 0);
  EXPECT_EQ(o.output, "everylink.h5");
  EXPECT_EQ(o.progress, Progress::automatic);
  EXPECT_FALSE(o.window || o.seed || o.check || o.serial || o.all_to_all || o.yes || o.force || o.no_output ||
               o.keep_laps || o.step_lines);
}

TEST(Config, every_option_reaches_its_field) {
  const Options o = options({"--np",
                             "4",
                             "--bootstrap",
                             "local",
                             "--node-name",
                             "n7",
                             "--mode",
                             "sim:hosts=2,slow-link=0>1*0.5",
                             "--memory",
                             "huge",
                             "-n",
                             "7",
                             "-w",
                             "0",
                             "-s",
                             "1,64KiB",
                             "--unidirectional",
                             "--window",
                             "3",
                             "--check",
                             "--num-multi-buf",
                             "5",
                             "--schedule",
                             "sample:2",
                             "--serial-tests",
                             "--num-randomize-tasks",
                             "6",
                             "--seed",
                             "9",
                             "--num-slowest",
                             "0",
                             "--min-iterations",
                             "2",
                             "--min-runtime",
                             "1.5",
                             "--yes",
                             "--time-limit",
                             "2ms",
                             "-o",
                             "x.h5",
                             "--force",
                             "--keep-laps",
                             "--step-lines",
                             "--progress",
                             "json"});
  EXPECT_EQ(o.np, 4);
  EXPECT_EQ(o.bootstrap, StartBy::local);
  EXPECT_EQ(o.node_name, "n7");
  EXPECT_EQ(o.mode, "sim");
  EXPECT_EQ(o.mode_options, "hosts=2,slow-link=0>1*0.5");
  EXPECT_EQ(o.memory, "huge");
  EXPECT_EQ(o.most_messages(), 7);
  EXPECT_EQ(o.warmups, 0);
  EXPECT_EQ(o.sizes, (std::vector<std::size_t>{1, 65536}));
  EXPECT_EQ(o.kernel, "unidirectional");
  EXPECT_EQ(o.window, 3);
  EXPECT_EQ(o.buffers, 5);
  EXPECT_EQ(o.schedule, "sample");
  EXPECT_EQ(o.schedule_option, "2");
  EXPECT_EQ(o.randomize, 6);
  EXPECT_EQ(o.seed, 9u);
  EXPECT_EQ(o.slowest, 0);
  EXPECT_EQ(o.min_iterations, 2);
  EXPECT_EQ(o.min_runtime, 1.5);
  EXPECT_EQ(o.time_limit, 2e-3);
  EXPECT_EQ(o.output, "x.h5");
  EXPECT_EQ(o.progress, Progress::json);
  EXPECT_TRUE(o.check && o.serial && o.yes && o.force && o.keep_laps && o.step_lines);
  EXPECT_TRUE(options({"--mode", "mpi", "--all-to-all"}).all_to_all);
  EXPECT_EQ(options({"--bidirectional"}).kernel, "bidirectional");
  EXPECT_EQ(options({"--put"}).kernel, "put");
  EXPECT_EQ(window_used(options({"--get", "-n", "7"})), 7);
  EXPECT_EQ(options({"--np", "2", "-n", "3"}).command, "everylink-measure --np 2 -n 3");
}

TEST(Config, a_value_may_be_attached_to_its_option) {
  EXPECT_EQ(options({"-n5"}).most_messages(), 5);
  EXPECT_EQ(options({"-s1,2KiB"}).sizes, (std::vector<std::size_t>{1, 2048}));
  EXPECT_EQ(options({"--np=4"}).np, 4);
  EXPECT_EQ(options({"--mode=sim:hosts=2,latency=1us"}).mode_options, "hosts=2,latency=1us");
  EXPECT_EQ(options({"-m", "sim:hosts=2,latency=1us"}).mode_options, "hosts=2,latency=1us");
  EXPECT_EQ(options({"-msim:hosts=2"}).mode_options, "hosts=2");
  EXPECT_EQ(options({"--schedule=file:a:b=c"}).schedule_option, "a:b=c");
  EXPECT_EQ(options({"-o", "a=b,c.h5"}).output, "a=b,c.h5");
}

TEST(Config, an_unambiguous_abbreviation_is_accepted) {
  EXPECT_EQ(options({"--bidirection"}).kernel, "bidirectional");
  EXPECT_EQ(options({"--size", "8"}).sizes, std::vector<std::size_t>{8});
  EXPECT_EQ(options({"--size=8"}).sizes, std::vector<std::size_t>{8});
  EXPECT_EQ(options({"--num-mes", "3"}).most_messages(), 3);
  EXPECT_EQ(options({"--bis"}).schedule, "bisection");
  EXPECT_EQ(options({"--mode", "sim"}).mode, "sim") << "a full name is never an abbreviation";
}

TEST(Config, an_ambiguous_abbreviation_is_refused_with_all_candidates) {
  expect_refused({"--num", "3"}, {"--num", "--num-messages", "--num-warmup-messages", "--num-multi-buf",
                                  "--num-randomize-tasks", "--num-slowest"});
  expect_refused({"--bi"}, {"--bidirectional", "--bisection"});
  expect_refused({"--min=3"}, {"--min-iterations", "--min-runtime"});
}

TEST(Config, a_host_name_that_is_too_long_is_refused) {
  expect_refused({"--node-name", std::string(256, 'n')}, {"--node-name", "256", "at most 255"});
  EXPECT_EQ(options({"--node-name", std::string(255, 'n')}).node_name.size(), 255u);
}

TEST(Config, an_unknown_word_is_refused) {
  expect_refused({"--frobnicate"}, {"--frobnicate", "unknown option", "--help"});
  expect_refused({"--frobnicate=3"}, {"--frobnicate"});
  expect_refused({"-x"}, {"-x"});
  expect_refused({"stray"}, {"'stray' is neither an option nor a load pattern", "incast"});
  expect_refused({"--np", "2", "3"}, {"3"});
}

TEST(Config, an_option_without_its_value_is_refused) {
  for (const char* option : {"-s", "-n", "-o", "--np", "--mode", "--schedule", "--window", "--seed",
                             "--time-limit", "--progress"}) {
    expect_refused({option}, {option, "value"});
    expect_refused({option, ""}, {option, "value"});
    expect_refused({option, "--force"}, {option, "--force"});
    expect_refused({option, "-w"}, {option, "-w"});
    if (std::string(option).starts_with("--")) expect_refused({std::string(option) + "="}, {option});
  }
}

TEST(Config, the_last_of_repeated_options_counts) {
  EXPECT_EQ(options({"-n", "3", "--num-messages", "4"}).most_messages(), 4);
  EXPECT_EQ(options({"--mode", "tcp", "--mode=sim"}).mode, "sim");
}

TEST(Config, a_flag_takes_no_value) { expect_refused({"--check=maybe"}, {"--check"}); }

TEST(Config, wrong_numbers_are_refused_with_the_options_name) {
  const std::pair<Args, std::string> wrong[] = {{{"-s", "abc"}, "-s"},
                                                {{"-s", "-1"}, "-s"},
                                                {{"-s", "1,-64KiB"}, "-s"},
                                                {{"-s-5"}, "-s"},
                                                {{"-s", "1.5"}, "-s"},
                                                {{"-s", "8,8"}, "-s"},
                                                {{"-s", "1KiB,1024"}, "-s"},
                                                {{"-s", "1,,2"}, "-s"},
                                                {{"-s", "32TiB"}, "-s"},
                                                {{"-n", "0"}, "-n"},
                                                {{"-n", "-3"}, "-n"},
                                                {{"-n-3"}, "-n"},
                                                {{"-n", "ten"}, "-n"},
                                                {{"-n", "1.5"}, "-n"},
                                                {{"-n", "99999999999"}, "-n"},
                                                {{"-w", "-1"}, "-w"},
                                                {{"-w", "x"}, "-w"},
                                                {{"--np", "1"}, "--np"},
                                                {{"--np", "0"}, "--np"},
                                                {{"--np", "-2"}, "--np"},
                                                {{"--np", "two"}, "--np"},
                                                {{"--np", "1000000"}, "--np"},
                                                {{"--unidirectional", "--window", "0"}, "--window"},
                                                {{"--num-multi-buf", "0"}, "--num-multi-buf"},
                                                {{"--num-randomize-tasks", "-1"}, "--num-randomize-tasks"},
                                                {{"--num-slowest", "-1"}, "--num-slowest"},
                                                {{"--min-iterations", "0"}, "--min-iterations"},
                                                {{"--min-runtime", "-1"}, "--min-runtime"},
                                                {{"--min-runtime", "soon"}, "--min-runtime"},
                                                {{"--seed", "-1"}, "--seed"},
                                                {{"--seed", "x"}, "--seed"},
                                                {{"--time-limit", "0"}, "--time-limit"},
                                                {{"--time-limit", "x"}, "--time-limit"}};
  for (const auto& [args, option] : wrong) expect_refused(args, {option});
}

TEST(Config, an_unknown_name_is_refused_with_the_known_ones) {
  expect_refused({"--schedule", "ring"}, {"--schedule", "ring", "all", "bisection", "sample:K", "screen[:K]",
                                          "inter-host", "rail", "file:PAIRS"});
  expect_refused({"--memory", "tape"}, {"--memory", "tape", "host", "huge"});
  expect_refused({"--bootstrap", "smoke"}, {"--bootstrap", "smoke", "auto", "local", "tcp", "mpi"});
  expect_refused({"--progress", "fast"}, {"--progress", "fast", "plain", "json", "none"});
  expect_refused({"--mode", "sim:hosts"}, {"--mode sim", "hosts"});
}

TEST(Config, rails_are_stored_with_the_modes_options_where_resume_compares_them) {
  EXPECT_EQ(options({"--rails", "eth0,eth1"}).mode_options, "rails=eth0,rails=eth1");
  EXPECT_EQ(options({"--rails", "auto", "-m", "ucp:tls=tcp"}).mode_options, "tls=tcp,rails=auto");
  EXPECT_EQ(options({"--rails", "auto", "--interface", "lo"}).mode_options, "rails=auto");
  expect_refused({"--rails", "auto", "-m", "sim"},
                 {"--rails", "--mode sim", "tcp, ucp, ofi, ibverbs, portals"});
  expect_refused({"--rails", "a,b", "-m", "tcp:interface=lo"}, {"--rails", "interface=", "exclude"});
  expect_refused({"--rails", "a,b", "-m", "ibverbs:device=a"}, {"--rails", "device=", "exclude"});
  expect_refused({"--rails", "a,,b"}, {"--rails a,,b", "empty"});
  expect_refused({"--rails", "auto", "-m", "ofi"}, {"--rails auto", "--mode ofi", "dev1,dev2"});
}

TEST(Config, a_schedule_requires_its_option_or_takes_none) {
  expect_refused({"--schedule", "sample"}, {"--schedule sample:K"});
  expect_refused({"--schedule", "sample:"}, {"--schedule sample:K"});
  expect_refused({"--schedule", "file"}, {"--schedule file:PAIRS"});
  expect_refused({"--schedule", "all:3"}, {"--schedule all"});
  EXPECT_EQ(options({"--schedule", "screen"}).schedule_text(), "screen:18");
  EXPECT_EQ(options({"--schedule", "screen:5"}).schedule_text(), "screen:5");
  expect_refused({"--schedule", "screen:"}, {"--schedule screen:K"});
}

TEST(Config, switches_belong_to_the_schedule_screen) {
  EXPECT_EQ(options({"--schedule", "screen", "--switches", "x.txt"}).switches, "x.txt");
  expect_refused({"--switches", "x.txt"}, {"--switches", "--schedule all", "--schedule screen"});
}

TEST(Config, contradictions_are_refused_with_both_names) {
  expect_refused({"--semidirectional", "--bidirectional"}, {"--semidirectional", "--bidirectional"});
  expect_refused({"--bidirectional", "--unidirectional"}, {"--bidirectional", "--unidirectional"});
  expect_refused({"--window", "4"}, {"--window", "--unidirectional", "semidirectional"});
  expect_refused({"--bidirectional", "--window", "4"}, {"--window", "bidirectional"});
  expect_refused({"--bisection", "--schedule", "all"}, {"--bisection", "--schedule all"});
  expect_refused({"--all-to-all"}, {"--all-to-all", "--mode mpi", "tcp"});
  expect_refused({"--mode", "sim", "--all-to-all"}, {"--all-to-all", "sim"});
  expect_refused({"--np", "2", "--bootstrap", "pmix"}, {"--np", "--bootstrap pmix"});
  expect_refused({"--no-output", "-o", "x.h5"}, {"--no-output", "--output"});
  expect_refused({"--no-output", "--keep-laps"}, {"--no-output", "--keep-laps"});
  EXPECT_EQ(options({"--bisection", "--schedule", "bisection"}).schedule, "bisection") << "the same, twice";
}

TEST(Config, the_limit_grows_with_the_work_unless_it_is_given) {
  const Options few = options({"-n", "10"}), many = options({"-n", "100000"}),
                given = options({"-n", "100000", "--time-limit", "3"});
  EXPECT_GE(few.limit(1), 10);
  EXPECT_GT(few.limit(1 << 30), few.limit(1) + 100) << "10 messages of a GiB over a slow network";
  EXPECT_GT(many.limit(1), few.limit(1) + 10);
  EXPECT_GT(options({"-w", "100000"}).limit(1), few.limit(1) + 10) << "warm-ups count too";
  EXPECT_EQ(given.limit(1), 3);
  EXPECT_EQ(given.limit(1 << 30), 3);
}

TEST(Config, the_window_depends_on_the_kernel) {
  EXPECT_EQ(window_used(options({})), 1);
  EXPECT_EQ(window_used(options({"--bidirectional"})), 1);
  EXPECT_EQ(window_used(options({"--unidirectional"})), 64);
  EXPECT_EQ(window_used(options({"--unidirectional", "-n", "5"})), 5);
  EXPECT_EQ(window_used(options({"--unidirectional", "--window", "200"})), 200);
}

TEST(Config, each_message_that_is_verified_has_a_buffer) {
  EXPECT_EQ(buffers_used(options({})), 1);
  EXPECT_EQ(buffers_used(options({"--check"})), 1);
  EXPECT_EQ(buffers_used(options({"--check", "--bidirectional"})), 2);
  EXPECT_EQ(buffers_used(options({"--check", "--unidirectional", "--window", "8"})), 8);
  EXPECT_EQ(buffers_used(options({"--unidirectional", "--window", "8"})), 1) << "nothing is verified";
  EXPECT_EQ(buffers_used(options({"--check", "--num-multi-buf", "100"})), 100);
  const Options o = options({"-s", "1,100,30", "--num-multi-buf", "3"});
  EXPECT_EQ(o.largest(), 100u);
  EXPECT_EQ(o.stride(), 128u) << "a buffer begins on a cache line";
  EXPECT_EQ(memory_bytes(o), 3 * 128u);
}

TEST(Config, help_version_and_list_measure_nothing) {
  const auto action = [](const Args& words) { return parse({words, {}}).action; };
  for (const char* option : {"--help", "-h", "--help=json", "--hel"})
    EXPECT_EQ(action({option}), Action::show_help);
  for (const char* option : {"--version", "-V"}) EXPECT_EQ(action({option}), Action::show_version);
  EXPECT_EQ(action({"--list"}), Action::list);
  EXPECT_EQ(parse({{"-h"}, {}}).form, "short");
  EXPECT_EQ(parse({{"--help"}, {}}).form, "text");
  EXPECT_EQ(parse({{"--help=man"}, {}}).form, "man");
  expect_refused({"--help=jason"}, {"--help", "'jason'", "did you mean json?", "text, short, json, man"});
}

TEST(Config, a_misspelling_is_answered_with_the_probable_name) {
  expect_refused({"--num-mesages", "3"}, {"--num-mesages: unknown option (did you mean --num-messages?)"});
  expect_refused({"--Check"}, {"did you mean --check?"});
  expect_refused({"insact"}, {"did you mean incast?"});
  expect_refused({"--schedule", "bisecton"}, {"did you mean bisection?"});
  expect_refused({"--memory", "hots"}, {"did you mean host?"});
  expect_refused({"--progress", "jsno"}, {"did you mean json?"});
  expect_refused({"--bootstrap", "slrum"}, {"did you mean slurm?"});
  expect_refused({"--preset", "jupitr"}, {"did you mean jupiter?"});
  expect_refused({"-s", "64 KiB"}, {"invalid size '64 KiB' (did you mean 64KiB?)"});
  expect_refused({"-s", "64Kb"}, {"did you mean 64KB?"});
  try {
    options({"--qqqq"});
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "--qqqq: unknown option; --help lists the options");
  }
}

TEST(Config, sizes_in_linktests_short_form_are_binary) {
  EXPECT_EQ(options({"-s", "64K,1M,2g,3kib"}).sizes,
            (std::vector<std::size_t>{65536, 1048576, 2147483648, 3072}));
  expect_refused({"-s", "1M,1mib"}, {"1mib is given twice"});
}

TEST(Config, an_option_of_another_command_is_refused_with_where_it_applies) {
  expect_refused({"incast", "--schedule", "all"}, {"--schedule: does not apply to the pattern incast"});
  expect_refused({"incast", "--draws", "3"}, {"--draws", "ring, random-bisection", "not to incast"});
  expect_refused({"--draws", "3"}, {"--draws: applies only to the patterns ring, random-bisection; --help"});
}

TEST(Config, a_pattern_may_be_anywhere_except_in_place_of_a_value) {
  EXPECT_EQ(options({"incast"}).pattern, "incast");
  EXPECT_EQ(options({"--np", "4", "incast"}).pattern, "incast");
  EXPECT_EQ(options({"--force", "--mode=sim", "-s8", "incast"}).pattern, "incast");
  EXPECT_EQ(options({"-o", "incast"}).pattern, "");
  EXPECT_EQ(options({"victim", "--congestor", "shift"}).pattern, "victim");
  EXPECT_EQ(options({"--congestor", "shift", "victim"}).pattern, "victim");
}

// Giving the default that help shows changes nothing.
TEST(Config, the_default_in_help_is_the_one_in_effect) {
  std::vector<std::string> commands = pattern_names();
  commands.emplace_back(of_pairs);
  int compared = 0;
  for (const auto& command : commands) {
    const Options usual = command == of_pairs ? options({}) : options({command});
    for (const auto& option : options_of(command)) {
      const bool is_pattern_own = std::holds_alternative<std::monostate>(option.effect);
      if (option.default_text.empty() || option.default_text.find(' ') != std::string::npos || is_pattern_own)
        continue;
      if (option.name() == "--interface") continue;  // "any"
      Options same = usual;
      apply(option, option.default_text, same);
      EXPECT_TRUE(same == usual) << command << " " << option.name() << " " << option.default_text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(Table, every_entry_is_complete) {
  for (const auto& option : all_options()) {
    EXPECT_FALSE(option.names.empty() || option.group.empty() || option.brief.empty()) << option.name();
    EXPECT_FALSE(option.applies_to.empty()) << option.name();
    EXPECT_NE(option.brief.back(), '.') << option.name();
    EXPECT_TRUE(option.more.empty() || option.more.back() == '.') << option.name();
    EXPECT_TRUE(option.unit != Quantity::choice || !option.choices.empty()) << option.name();
    EXPECT_LE(option.least, option.most) << option.name();
  }
  for (const auto& [names, reason] : exclusions())
    for (const auto& name : names) EXPECT_EQ(option_named(name).name(), name) << reason;
}

TEST(Table, no_name_occurs_twice_in_a_command) {
  std::vector<std::string> commands = pattern_names();
  commands.emplace_back(of_pairs);
  for (const auto& command : commands) {
    std::vector<std::string> names;
    for (const auto& option : options_of(command))
      names.insert(names.end(), option.names.begin(), option.names.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << command;
  }
}

// Every option appears in each form, and no line is wider than requested.
TEST(Help, is_generated_from_the_table_and_keeps_the_width) {
  for (const char* program : {"everylink-measure", "linktest", "linktest.ucp", "mpilinktest"}) {
    const Manual manual = manual_of(caller_of(program));
    for (const std::size_t width : {60u, 80u, 100u})
      for (const char* form : {"text", "short"}) {
        const auto help = help_of(manual, form, "", width);
        EXPECT_NE(help.find(std::string("Usage: ") + program), std::string::npos);
        for (std::size_t at = 0, end = 0; at < help.size(); at = end + 1) {
          end = help.find('\n', at);
          EXPECT_LE(end - at, std::max<std::size_t>(width, 82)) << help.substr(at, end - at);
        }
        for (const auto& section : manual.page.sections)
          for (const auto& option : section.options)
            EXPECT_NE(help.find("  " + option.names.front()), std::string::npos) << form << option.name();
      }
    for (const char* form : {"json", "man", "bash", "zsh", "fish"}) {
      const auto text = help_of(manual, form, "", 80);
      for (const auto& section : manual.page.sections)
        for (const auto& option : section.options) {
          auto name = option.name().substr(option.name().find_first_not_of('-'));
          if (form == std::string("man"))
            for (auto at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2))
              name.insert(at, "\\");
          EXPECT_NE(text.find(name), std::string::npos) << program << " " << form << " " << name;
        }
    }
  }
  const Manual ours = manual_of({});
  for (const auto& pattern : pattern_names()) {
    EXPECT_NE(help_of(ours, "text", "", 80).find("\n  " + pattern + " "), std::string::npos);
    EXPECT_NE(help_of(ours, "text", pattern, 80).find("everylink-measure " + pattern), std::string::npos);
  }
}

TEST(Config, numbers_of_messages_are_one_for_all_sizes_or_one_per_size) {
  const auto o = options({"-s", "1MiB,8", "-n", "5,100"});
  EXPECT_EQ(o.messages_of(1 << 20), 5);
  EXPECT_EQ(o.messages_of(8), 100);
  EXPECT_LT(o.limit(8), options({"-s", "1MiB,8", "-n", "100"}).limit(1 << 20));
  EXPECT_EQ(options({"-s", "1MiB,8", "-n", "7"}).messages_of(8), 7);
  expect_refused({"-s", "1,8,64", "-n", "5,100"}, {"-n/--num-messages", "2 numbers for 3 sizes"});
  expect_refused({"-n", "5,100"}, {"2 numbers for 1 size;"});
  expect_refused({"-s", "1,8", "-n", "5,0"}, {"-n/--num-messages", "0 is "});
}

}  // namespace
}  // namespace everylink
