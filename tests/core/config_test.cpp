// The command line: what it means, and what is refused with a message that names the option.
#include "options/command_line.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "kernel/kernel.hpp"

namespace everylink {
namespace {

using Args = std::vector<std::string>;

Options options(Args args) {
  args.insert(args.begin(), "everylink-measure");
  std::vector<const char*> argv;
  for (const auto& arg : args) argv.push_back(arg.c_str());
  auto parsed = parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (!parsed) throw std::logic_error("nothing to measure");
  return *parsed;
}

// One line that holds all these parts.
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
  EXPECT_EQ(o.bootstrap, "auto");
  EXPECT_EQ(o.mode, "tcp");
  EXPECT_EQ(o.mode_options, "");
  EXPECT_EQ(o.memory, "host");
  EXPECT_EQ(o.messages, 100);
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
  EXPECT_FALSE(o.window || o.seed || o.check || o.serial || o.all_to_all || o.yes || o.list || o.force ||
               o.no_output || o.keep_laps || o.step_lines);
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
  EXPECT_EQ(o.bootstrap, "local");
  EXPECT_EQ(o.node_name, "n7");
  EXPECT_EQ(o.mode, "sim");
  EXPECT_EQ(o.mode_options, "hosts=2,slow-link=0>1*0.5");
  EXPECT_EQ(o.memory, "huge");
  EXPECT_EQ(o.messages, 7);
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

TEST(Config, a_value_may_be_glued_to_its_option) {
  EXPECT_EQ(options({"-n5"}).messages, 5);
  EXPECT_EQ(options({"-s1,2KiB"}).sizes, (std::vector<std::size_t>{1, 2048}));
  EXPECT_EQ(options({"--np=4"}).np, 4);
  EXPECT_EQ(options({"--mode=sim:hosts=2,latency=1us"}).mode_options, "hosts=2,latency=1us");
  EXPECT_EQ(options({"-m", "sim:hosts=2,latency=1us"}).mode_options, "hosts=2,latency=1us");
  EXPECT_EQ(options({"-msim:hosts=2"}).mode_options, "hosts=2");
  EXPECT_EQ(options({"--schedule=file:a:b=c"}).schedule_option, "a:b=c");
  EXPECT_EQ(options({"-o", "a=b,c.h5"}).output, "a=b,c.h5");
}

TEST(Config, an_unambiguous_beginning_stands_for_the_option) {
  EXPECT_EQ(options({"--bidirection"}).kernel, "bidirectional");
  EXPECT_EQ(options({"--size", "8"}).sizes, std::vector<std::size_t>{8});
  EXPECT_EQ(options({"--size=8"}).sizes, std::vector<std::size_t>{8});
  EXPECT_EQ(options({"--num-mes", "3"}).messages, 3);
  EXPECT_EQ(options({"--bis"}).schedule, "bisection");
  EXPECT_EQ(options({"--mode", "sim"}).mode, "sim") << "a whole name is never an abbreviation";
}

TEST(Config, an_ambiguous_beginning_is_refused_with_all_it_could_be) {
  expect_refused({"--num", "3"}, {"--num", "--num-messages", "--num-warmup-messages", "--num-multi-buf",
                                  "--num-randomize-tasks", "--num-slowest"});
  expect_refused({"--bi"}, {"--bidirectional", "--bisection"});
  expect_refused({"--min=3"}, {"--min-iterations", "--min-runtime"});
}

TEST(Config, a_host_name_without_end_is_refused) {
  expect_refused({"--node-name", std::string(256, 'n')}, {"--node-name", "256", "at most 255"});
  EXPECT_EQ(options({"--node-name", std::string(255, 'n')}).node_name.size(), 255u);
}

TEST(Config, what_is_no_option_is_refused) {
  expect_refused({"--frobnicate"}, {"--frobnicate", "no such option"});
  expect_refused({"--frobnicate=3"}, {"--frobnicate"});
  expect_refused({"-x"}, {"-x"});
  expect_refused({"stray"}, {"stray"});
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

TEST(Config, of_an_option_given_twice_the_last_counts) {
  EXPECT_EQ(options({"-n", "3", "--num-messages", "4"}).messages, 4);
  EXPECT_EQ(options({"--mode", "tcp", "--mode=sim"}).mode, "sim");
}

TEST(Config, a_flag_takes_no_value) { expect_refused({"--check=maybe"}, {"--check"}); }

TEST(Config, wrong_numbers_are_refused_by_the_options_name) {
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

TEST(Config, an_unknown_name_is_refused_with_those_there_are) {
  expect_refused({"--schedule", "ring"},
                 {"--schedule", "ring", "all", "bisection", "sample:K", "inter-host", "rail", "file:PAIRS"});
  expect_refused({"--memory", "tape"}, {"--memory", "tape", "host", "huge"});
  expect_refused({"--bootstrap", "smoke"}, {"--bootstrap", "smoke", "auto", "local", "tcp", "mpi"});
  expect_refused({"--progress", "fast"}, {"--progress", "fast", "plain", "json", "none"});
  expect_refused({"--mode", "sim:hosts"}, {"--mode sim", "hosts"});
}

TEST(Config, rails_stand_with_the_modes_options_where_resume_compares_them) {
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

TEST(Config, a_schedules_option_is_wanted_or_not) {
  expect_refused({"--schedule", "sample"}, {"--schedule sample:K"});
  expect_refused({"--schedule", "sample:"}, {"--schedule sample:K"});
  expect_refused({"--schedule", "file"}, {"--schedule file:PAIRS"});
  expect_refused({"--schedule", "all:3"}, {"--schedule all"});
}

TEST(Config, contradictions_are_refused_with_both_names) {
  expect_refused({"--semidirectional", "--bidirectional"}, {"--semidirectional", "--bidirectional"});
  expect_refused({"--bidirectional", "--unidirectional"}, {"--bidirectional", "--unidirectional"});
  expect_refused({"--window", "4"}, {"--window", "--unidirectional", "semidirectional"});
  expect_refused({"--bidirectional", "--window", "4"}, {"--window", "bidirectional"});
  expect_refused({"--bisection", "--schedule", "all"}, {"--bisection", "--schedule all"});
  expect_refused({"--all-to-all"}, {"--all-to-all", "--mode mpi", "tcp"});
  expect_refused({"--mode", "sim", "--all-to-all"}, {"--all-to-all", "sim"});
  expect_refused({"--np", "2", "--bootstrap", "tcp"}, {"--np", "--bootstrap tcp"});
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
  EXPECT_GT(options({"-w", "100000"}).limit(1), few.limit(1) + 10) << "warm-ups are work too";
  EXPECT_EQ(given.limit(1), 3);
  EXPECT_EQ(given.limit(1 << 30), 3);
}

TEST(Config, the_window_is_that_of_the_kernel) {
  EXPECT_EQ(window_used(options({})), 1);
  EXPECT_EQ(window_used(options({"--bidirectional"})), 1);
  EXPECT_EQ(window_used(options({"--unidirectional"})), 64);
  EXPECT_EQ(window_used(options({"--unidirectional", "-n", "5"})), 5);
  EXPECT_EQ(window_used(options({"--unidirectional", "--window", "200"})), 200);
}

TEST(Config, there_is_a_buffer_for_each_message_that_is_looked_at) {
  EXPECT_EQ(buffers_used(options({})), 1);
  EXPECT_EQ(buffers_used(options({"--check"})), 1);
  EXPECT_EQ(buffers_used(options({"--check", "--bidirectional"})), 2);
  EXPECT_EQ(buffers_used(options({"--check", "--unidirectional", "--window", "8"})), 8);
  EXPECT_EQ(buffers_used(options({"--unidirectional", "--window", "8"})), 1) << "nobody looks";
  EXPECT_EQ(buffers_used(options({"--check", "--num-multi-buf", "100"})), 100);
  const Options o = options({"-s", "1,100,30", "--num-multi-buf", "3"});
  EXPECT_EQ(o.largest(), 100u);
  EXPECT_EQ(o.stride(), 128u) << "a buffer begins on a cache line";
  EXPECT_EQ(memory_bytes(o), 3 * 128u);
}

TEST(Config, help_and_version_are_printed_and_nothing_is_measured) {
  for (const char* option : {"--help", "-h", "--version", "-V"}) {
    const char* const argv[] = {"everylink-measure", option};
    ::testing::internal::CaptureStdout();
    EXPECT_FALSE(parse_command_line(2, argv)) << option;
    EXPECT_NE(::testing::internal::GetCapturedStdout().find("everylink-measure"), std::string::npos)
        << option;
  }
}

}  // namespace
}  // namespace everylink
