// Translates LinkTest's command lines into ours.
#include "linktest/command_line.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "kernel/kernel.hpp"
#include "linktest/manual.hpp"

namespace everylink {
namespace {

using Words = std::vector<std::string>;

Words split_words(const std::string& line) {
  Words words;
  std::string word;
  for (const char c : line + " ") {
    if (c != ' ')
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, ""));
  }
  return words;
}

std::string ours(const std::string& typed, std::string_view layer = "") {
  std::string text;
  for (const auto& word : in_our_words(split_words(typed), layer).words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

// The message of the refusal.
std::string refusal(const std::string& typed, std::string_view layer = "") {
  try {
    return "understood: " + ours(typed, layer);
  } catch (const UsageError& error) {
    return error.what();
  }
}

Options options(const std::string& typed) { return parse(in_our_words(split_words(typed), "")).options; }

TEST(DropIn, the_program_name_selects_the_command_line) {
  EXPECT_EQ(in_our_words({"/usr/bin/everylink-measure", "-s", "8"}, "mpi").defaults.program,
            Program::everylink_measure);
  EXPECT_EQ(ours("build/everylink-measure -s 8 --mix", "mpi"), "-s 8 --mix") << "unchanged";
  EXPECT_EQ(in_our_words({"Compile/benchmark/linktest", "-m", "mpi"}, "").defaults.program,
            Program::linktest);
  EXPECT_EQ(in_our_words({"./mpilinktest"}, "").defaults.program, Program::mpilinktest);
  EXPECT_EQ(in_our_words({}, "").defaults.program, Program::everylink_measure);
}

TEST(DropIn, the_mode_comes_from_the_option_the_name_or_the_variable) {
  EXPECT_EQ(options("linktest --mode sim").mode, "sim");
  EXPECT_EQ(options("linktest -msim").mode, "sim");
  EXPECT_EQ(ours("./linktest.ucp -n 3"), "--mode ucp -n 3");
  EXPECT_EQ(ours("linktest -n 3", "psm2"), "--mode psm2 -n 3");
  EXPECT_EQ(ours("linktest.ucp -n 3", "psm2"), "--mode ucp -n 3");
  EXPECT_EQ(options("linktest.ucp --mode tcp").mode, "tcp");
  EXPECT_EQ(
      refusal("linktest -n 3"),
      "-m/--mode is required (mpi, tcp, ucp, ibverbs, psm2, ...): --mode mpi, or the name linktest.mpi, or "
      "LINKTEST_VCLUSTER_IMPL=mpi");
  for (const char* line : {"linktest --help", "linktest -v", "linktest --list"})
    EXPECT_EQ(refusal(line).find("understood"), 0u) << line;
}

TEST(DropIn, linktests_published_lines_are_understood) {
  const std::string line =
      "linktest --mode mpi --num-warmup-messages 100 --num-messages 1000 --size-messages 16777216 ";
  for (const char* both : {"--bidirectional", "--bidirection"}) {
    const Options o = options(line + both + " --bisection");
    EXPECT_EQ(o.program, Program::linktest);
    EXPECT_EQ(o.mode, "mpi");
    EXPECT_EQ(o.warmups, 100);
    EXPECT_EQ(o.most_messages(), 1000);
    EXPECT_EQ(o.sizes, std::vector<std::size_t>{16777216});
    EXPECT_EQ(o.kernel, "bidirectional");
    EXPECT_EQ(o.schedule, "bisection");
  }
}

TEST(DropIn, as_linktest_results_go_where_linktest_put_them) {
  const Options o = options("linktest --mode sim");
  EXPECT_EQ(o.output, "pingpong_results_bin.sion");
  EXPECT_TRUE(o.is_sion());
  EXPECT_TRUE(o.force) << "a job script may be started twice";
  EXPECT_TRUE(o.step_lines);
  EXPECT_EQ(options("linktest --mode sim -o x.sion").output, "x.sion");
  EXPECT_TRUE(options("linktest --mode sim --no-sion-file").no_output);
  EXPECT_FALSE(options("linktest --mode sim --parallel-sion-file").no_output);
}

TEST(DropIn, as_linktest_a_window_is_all_messages) {
  EXPECT_EQ(window_used(options("linktest --mode sim --unidirectional -n 500")), 500);
  EXPECT_EQ(window_used(options("linktest --mode sim --unidirectional -n 500 --window 1")), 1);
  EXPECT_EQ(window_used(options("linktest --mode sim -n 500")), 1);
  EXPECT_EQ(window_used(options("everylink-measure --unidirectional -n 500")), 64);
}

TEST(DropIn, linktests_own_names_of_options_become_ours) {
  EXPECT_EQ(ours("linktest.sim --check-buffers --multi-buffer --num-multi-buffer 4"),
            "--mode sim --check --num-multi-buf 4");
  EXPECT_EQ(ours("linktest.sim --num-randomize-tasks=3 --seed-randomize-tasks 7"),
            "--mode sim --num-randomize-tasks 3 --seed 7");
  EXPECT_EQ(ours("linktest.sim --mix"), "--mode sim --num-randomize-tasks=1");
  EXPECT_EQ(ours("linktest.sim --randomize"), "--mode sim --num-randomize-tasks=1");
  EXPECT_EQ(ours("linktest.sim --hide-progress"), "--mode sim --progress=none");
  EXPECT_EQ(ours("linktest.sim --use-gpu-memory"), "--mode sim --memory=cuda");
  EXPECT_EQ(ours("linktest.sim --memory-buffer-allocator DEFAULT --serial"), "--mode sim --serial-tests");
  EXPECT_EQ(ours("linktest.sim --num-slow 3 --min-it 2 --min-r 1"),
            "--mode sim --num-slowest 3 --min-iterations 2 --min-runtime 1");
}

TEST(DropIn, as_linktest_our_own_options_work_too) {
  EXPECT_EQ(ours("linktest.sim --np 4 --time-limit=3 --seed 5 --memory huge"),
            "--mode sim --np 4 --time-limit=3 --seed 5 --memory huge");
  EXPECT_EQ(options("linktest.sim --np 4").np, 4);
}

TEST(DropIn, options_that_only_linktest_has_are_refused_with_an_alternative) {
  const std::pair<const char*, const char*> refused[] = {
      {"--randomize-steps", "--num-randomize-tasks 1"},
      {"--seed-randomize-steps 3", "--num-randomize-tasks 1"},
      {"--randomize-buffers", "--num-multi-buffer K"},
      {"--seed-randomize-buffers 3", "--num-multi-buffer K"},
      {"--memory-buffer-allocator POSIX", "--memory host or --memory huge"},
      {"--multi-buffer", "requires --num-multi-buffer K"},
      {"--randomize-steps", "a pair's step follows from its ranks"},
      {"--randomize-buffers", "buffers are always used in turn"},
      {"--memory-buffer-allocator POSIX", "LinkTest's allocators do not exist here"},
      {"--hostname", "leave it out"},
      {"--bi", "could be --bidirectional or --bisection"},
      {"--bisection=3", "takes no value"},
  };
  for (const auto& [option, instead] : refused)
    EXPECT_NE(refusal(std::string("linktest.sim ") + option).find(instead), std::string::npos)
        << refusal(std::string("linktest.sim ") + option);
  EXPECT_THROW(options("linktest.sim --num-messages"), UsageError);
  EXPECT_THROW(options("linktest.sim --use-gpu-memory --no-such-thing"), UsageError);
}

TEST(DropIn, mpilinktest_has_the_defaults_of_linktest_1) {
  const Options o = options("mpilinktest");
  EXPECT_EQ(o.program, Program::mpilinktest);
  EXPECT_EQ(o.mode, "mpi");
  EXPECT_EQ(o.most_messages(), 3);
  EXPECT_EQ(o.warmups, 0);
  EXPECT_EQ(o.sizes, std::vector<std::size_t>{131072});
  EXPECT_GE(o.slowest, 1 << 20) << "as many as ranks";
  EXPECT_EQ(o.kernel, "semidirectional");
  EXPECT_FALSE(o.serial || o.all_to_all || o.randomize || o.no_output);
  EXPECT_EQ(o.output, "pingpong_results_bin.sion");
}

TEST(DropIn, mpilinktests_options_become_ours) {
  const Options o = options("mpilinktest -s 1 -i 10 -I 11 -S 1 -Z 2 -a 1 -M 1 -Y 0 -W 1 -T 0.5");
  EXPECT_EQ(o.sizes, std::vector<std::size_t>{1});
  EXPECT_EQ(o.most_messages(), 10);
  EXPECT_EQ(o.warmups, 11);
  EXPECT_EQ(o.slowest, 2);
  EXPECT_TRUE(o.serial && o.all_to_all);
  EXPECT_EQ(o.randomize, 1);
  EXPECT_EQ(o.min_runtime, 30);
  EXPECT_TRUE(o.is_sion());
  EXPECT_EQ(options("mpilinktest -k 1024 -S 1 -i 10").sizes, std::vector<std::size_t>{1048576});
}

TEST(DropIn, the_last_of_mpilinktests_options_counts_and_0_turns_off) {
  EXPECT_EQ(options("mpilinktest -k 4 -s 7").sizes, std::vector<std::size_t>{7});
  EXPECT_EQ(options("mpilinktest -s 7 -k 4").sizes, std::vector<std::size_t>{4096});
  EXPECT_FALSE(options("mpilinktest -S 1 -S 0").serial);
  EXPECT_FALSE(options("mpilinktest -a 0 -M 0").all_to_all);
  EXPECT_TRUE(options("mpilinktest -W 0").no_output);
  EXPECT_EQ(options("mpilinktest -T -1").min_runtime, 0);
  EXPECT_GE(options("mpilinktest -Z -1").slowest, 1 << 20) << "as with LinkTest: as many as possible";
  EXPECT_EQ(options("mpilinktest -Z 0").slowest, 0);
}

TEST(DropIn, as_mpilinktest_our_own_long_options_work_too) {
  EXPECT_EQ(options("mpilinktest --mode sim --np 4 -i 5").mode, "sim");
  EXPECT_EQ(options("mpilinktest --check --np 4 --mode sim -i 5").most_messages(), 5);
}

TEST(DropIn, invalid_values_of_mpilinktest_are_refused_with_its_own_names) {
  const std::pair<const char*, const char*> refused[] = {
      {"-s abc", "-s: invalid size 'abc'"},  // LinkTest read it as 0 bytes
      {"-s", "-s requires a value: BYTES"},  // LinkTest ended
      {"-i 0", "-i: 0 is too small; use 1 or more"},
      {"-I -1", "-I: -1 is too small; use 0 or more"},
      {"-S yes", "-S: invalid value 'yes'; use 0 or 1"},
      {"-Z many", "-Z: 'many' is not a whole number"},
      {"-i10", "-i10: unknown option"},
      {"128", "'128' is neither an option nor the value of one"},
      {"-D 5", "nothing sleeps between steps; leave it out"},
      {"-C 5", "leave it out"},
      {"-N 5", "--min-iterations N"},
  };
  for (const auto& [option, said] : refused)
    EXPECT_NE(refusal(std::string("mpilinktest ") + option).find(said), std::string::npos)
        << refusal(std::string("mpilinktest ") + option);
}

TEST(DropIn, the_line_is_kept_as_it_was_typed) {
  EXPECT_EQ(options("mpilinktest -k 1024 -S 1").command, "mpilinktest -k 1024 -S 1");
}

TEST(DropIn, help_begins_with_the_options_of_the_program_that_was_called) {
  const auto help = [](const std::string& name) {
    return help_of(manual_of(caller_of(name)), "text", "", 200);
  };
  const auto linktest = help("bin/linktest");
  EXPECT_NE(linktest.find("Usage: linktest --mode MODE [OPTIONS]"), std::string::npos);
  EXPECT_LT(linktest.find("--no-sion-file"), linktest.find("--time-limit"));
  EXPECT_EQ(linktest.find("--randomize-steps"), std::string::npos) << "it is refused";
  EXPECT_NE(linktest.find("Default: pingpong_results_bin.sion, overwritten."), std::string::npos);
  EXPECT_NE(help("linktest.ucp").find("Usage: linktest.ucp [OPTIONS]"), std::string::npos);
  EXPECT_NE(help("linktest.ucp").find("Default: ucp."), std::string::npos);
  const auto mpilinktest = help("mpilinktest");
  EXPECT_NE(mpilinktest.find("Usage: mpilinktest [OPTIONS]"), std::string::npos);
  EXPECT_LT(mpilinktest.find("  -Z N"), mpilinktest.find("--time-limit"));
  EXPECT_NE(mpilinktest.find("Default: 131072."), std::string::npos);
  EXPECT_EQ(help("everylink-measure").find("--no-sion-file"), std::string::npos);
}

TEST(DropIn, every_program_name_has_help) {
  for (const char* line : {"linktest --help", "linktest -h", "linktest --help=json", "mpilinktest --help=man",
                           "mpilinktest -h", "linktest.ucp --hel"})
    EXPECT_EQ(parse(in_our_words(split_words(line), "")).action, Action::show_help) << line;
}

}  // namespace
}  // namespace everylink
