// The lines of LinkTest 1.2, byte for byte, and the pairs that they list.
#include "linktest/old_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "coordinator/slowest.hpp"

namespace everylink {
namespace {

constexpr double us = 1e-6;
constexpr std::size_t bytes = 1 << 20;  // in 125 us: 8000 MB/s in LinkTest's units

Sample link(int from, int to, double one_way, Outcome outcome = Outcome::ok) {
  Sample sample;
  sample.from = static_cast<std::uint32_t>(from);
  sample.to = static_cast<std::uint32_t>(to);
  sample.outcome = outcome;
  sample.one_way.mean = static_cast<float>(one_way);
  return sample;
}

// Replaces every digit by 0, so that only blanks, points and widths of an example and a line are compared.
std::string layout(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }, '0');
  return text;
}

TEST(OldLines, a_step_is_written_byte_for_byte) {
  OldLines lines(bytes, 1, false);
  lines.add(link(0, 1, 125 * us));
  lines.add(link(1, 0, 375 * us));
  EXPECT_EQ(lines.end_step(0, 1),
            " Parallel PingPong for step     1:   avg=   250.000us (4000.00 MB/s) min=   125.000us (8000.00 "
            "MB/s) max=   375.000us (2666.67 MB/s)");
  EXPECT_EQ(lines.finished_step(), "");
}

TEST(OldLines, they_are_laid_out_as_linktest_wrote_them) {
  OldLines lines(131072, 1, false);
  lines.add(link(0, 3, 421.610 * us));
  lines.add(link(3, 0, 24.157 * us));
  EXPECT_EQ(layout(lines.end_step(0, 3)),
            layout(" Parallel PingPong for step     3:   avg=   222.676us ( 561.35 MB/s) min=    32.985us "
                   "(5174.55 MB/s) max=   421.610us ( 296.48 MB/s)"));
  EXPECT_EQ(layout(lines.results({{link(0, 3, 421.610 * us), link(0, 3, 126.3723 * us)}})),
            layout("\n\nRESULT: Min Time:                     24.15666677us (5174.55 MB/s) [iter  1 ]\n"
                   "RESULT: Max Time:                    421.60967132us ( 296.48 MB/s) [iter  1 ]\n"
                   "RESULT: Avg Time:                    204.58625052us ( 561.35 MB/s) [iter  1 ]\n"
                   "      0: PINGPONG      0  <->       3:  1st:   421.6097us ( 296.48 MB/s)    2nd:   "
                   "126.3723us ( 989.14 MB/s)\n"
                   "RESULT: Min Time Stest:              126.37233885us ( 989.14 MB/s) [iter  1 ]\n"
                   "RESULT: Max Time Stest:              126.37233885us ( 989.14 MB/s) [iter  1 ]\n"
                   "RESULT: Avg Time Stest:              126.37233885us ( 989.14 MB/s) [iter  1 ]"));
}

TEST(OldLines, a_published_time_has_its_published_bandwidth) {
  OldLines lines(131072, 1, false);
  lines.add(link(0, 1, 24.15666677 * us));
  EXPECT_NE(lines.end_step(0, 1).find("min=    24.157us (5174.55 MB/s)"), std::string::npos);
  EXPECT_NE(lines.results({}).find("us (5174.55 MB/s) [iter  1 ]"), std::string::npos) << lines.results({});
}

// Times that floats hold exactly.
constexpr double ms = 1e-3;
constexpr std::size_t gibi = 1 << 30;

TEST(OldLines, the_pairs_of_a_serial_step_are_listed_by_their_leading_rank) {
  OldLines lines(gibi, 1, true);
  lines.add(link(0, 3, 125 * ms));
  lines.add(link(3, 0, 250 * ms));
  EXPECT_EQ(lines.end_step(0, 1), "") << "the step has a further pair";
  lines.add(link(1, 2, 500 * ms));
  lines.add(link(2, 1, 125 * ms));
  EXPECT_EQ(lines.end_step(0, 1), "");
  lines.add(link(0, 2, 125 * ms));
  EXPECT_EQ(lines.end_step(0, 2),
            " Serial   PingPong for step     1: \n"
            "      0->     3:125000.00000us (8192.00 MB/s) (l=0)\n"
            "      1->     2:500000.00000us (2048.00 MB/s) (l=1)\n"
            "      2->     1:125000.00000us (8192.00 MB/s) (l=2)\n"
            "      3->     0:250000.00000us (4096.00 MB/s) (l=3)\n"
            "  avg=250000.000us (4096.00 MB/s) min=125000.000us (8192.00 MB/s) max=500000.000us (2048.00 "
            "MB/s)");
  EXPECT_EQ(lines.finished_step(),
            " Serial   PingPong for step     2: \n"
            "      0->     2:125000.00000us (8192.00 MB/s) (l=0)\n"
            "  avg=125000.000us (8192.00 MB/s) min=125000.000us (8192.00 MB/s) max=125000.000us (8192.00 "
            "MB/s)");
}

TEST(OldLines, the_lines_of_a_serial_step_are_laid_out_as_linktest_wrote_them) {
  OldLines lines(131072, 1, true);
  lines.add(link(0, 7, 157.34851 * us));
  lines.end_step(0, 1);
  EXPECT_EQ(layout(lines.finished_step()),
            layout(" Serial   PingPong for step     1: \n"
                   "      0->     7:   157.34851us ( 794.41 MB/s) (l=0)\n"
                   "  avg=   157.349us ( 794.41 MB/s) min=   157.349us ( 794.41 MB/s) max=   157.349us ( "
                   "794.41 MB/s)"));
}

TEST(OldLines, the_same_step_of_the_next_iteration_is_another_one) {
  OldLines lines(gibi, 1, true);
  lines.add(link(0, 1, 125 * ms));
  EXPECT_EQ(lines.end_step(0, 1), "");
  lines.add(link(0, 1, 250 * ms));
  EXPECT_EQ(lines.end_step(1, 1).find(" Serial   PingPong for step     1: \n      0->     1:125000.00000us"),
            0u);
  EXPECT_NE(lines.results({}).find("[iter  2 ]"), std::string::npos);
}

TEST(OldLines, the_times_of_an_all_to_all_follow_the_step) {
  OldLines lines(bytes, 1, false);
  for (const double time : {39.696, 605.176, 100.0}) {
    auto sample = link(0, 1, 125 * us);
    sample.all_to_all = static_cast<float>(time * us);
    lines.add(sample);
  }
  const auto text = lines.end_step(0, 1);
  EXPECT_TRUE(text.ends_with(" (8000.00 MB/s) [ alltoall min=    39.696us max=   605.176us ]")) << text;
}

TEST(OldLines, a_failed_link_is_shown_and_not_counted) {
  OldLines lines(bytes, 1, true);
  lines.add(link(0, 1, 5, Outcome::timeout));
  lines.add(link(1, 0, 125 * us));
  lines.end_step(0, 1);
  const auto text = lines.finished_step();
  EXPECT_NE(text.find("\n      0->     1: timed out (l=0)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("avg=   125.000us"), std::string::npos) << text;
  OldLines none(bytes, 1, false);
  none.add(link(0, 1, 5, Outcome::absent));
  EXPECT_EQ(none.end_step(0, 1), " Parallel PingPong for step     1:   no link was measured");
  EXPECT_EQ(none.results({}), "RESULT: no link was measured");
}

TEST(OldLines, the_mean_of_second_times_covers_the_pairs_that_have_one) {
  OldLines lines(bytes, 1, false);
  lines.add(link(0, 1, 500 * us));
  lines.end_step(0, 1);
  const auto text = lines.results({{link(0, 1, 500 * us), link(0, 1, 125 * us)},
                                   {link(2, 1, 500 * us), link(2, 1, 375 * us)},
                                   {link(3, 1, 500 * us), link(3, 1, 9, Outcome::timeout)}});
  EXPECT_NE(text.find("RESULT: Avg Time Stest:              250.0000"), std::string::npos) << text;
  EXPECT_NE(text.find("PINGPONG      3  <->       1:  1st:   500.0000us (2000.00 MB/s)    2nd:  timed out"),
            std::string::npos)
      << text;
}

TEST(OldLines, the_head_lists_the_settings) {
  Options o;
  o.sizes = {131072};
  o.messages = {3};
  o.warmups = 0;
  o.randomize = 1;
  o.slowest = 1 << 20;
  o.output = "x.sion";
  EXPECT_EQ(OldLines::head(o, 16),
            "----------------------------------------------------------\n"
            "linktest: Number of MPI-Task:                16\n"
            "linktest: Message length:                131072 Bytes\n"
            "linktest: Message length:              128.0000 KBytes\n"
            "linktest: Number of Iteration:                3\n"
            "linktest: Number of Iter. (Warmup):           0\n"
            "linktest: alltoall:                  0\n"
            "linktest: mixing pe order:           1\n"
            "linktest: serial test:               0\n"
            "linktest: control wtime:             -1.000000\n"
            "linktest: write protocol (SION):     1\n"
            "linktest:       par I/O:             1\n"
            "linktest: max stest:                 16\n"
            "----------------------------------------------------------");
}

TEST(Slowest, the_slowest_pairs_are_kept_by_their_slower_link_whatever_the_order) {
  std::vector<Sample> samples;
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to)
      if (from != to) samples.push_back(link(from, to, (1 + (37 * from + 11 * to) % 64) * us));
  std::vector<std::pair<float, std::pair<int, int>>> expected;
  for (int low = 0; low < 8; ++low)
    for (int high = low + 1; high < 8; ++high) {
      float slower = 0;
      for (const auto& s : samples)
        if (std::minmax(int(s.from), int(s.to)) == std::minmax(low, high))
          slower = std::max(slower, s.one_way.mean);
      expected.push_back({-slower, {low, high}});
    }
  std::sort(expected.begin(), expected.end());
  for (int turn = 0; turn < 20; ++turn) {
    Slowest slowest(100);
    slowest.keep_at_most(28);  // all
    for (const auto& sample : samples) slowest.add(sample);
    slowest.sort();
    ASSERT_EQ(slowest.pairs().size(), 28u);
    for (std::size_t i = 0; i < 28; ++i) {
      EXPECT_EQ(slowest.pairs()[i].mean, -expected[i].first);
      EXPECT_EQ(std::pair(slowest.pairs()[i].low, slowest.pairs()[i].high), expected[i].second);
    }
    std::rotate(samples.begin(), samples.begin() + 11, samples.end());
  }
}

TEST(Slowest, the_slowest_pairs_are_kept_while_pairs_arrive_and_matched_when_re_measured) {
  Slowest slowest(3);
  for (int peer = 1; peer < 10; ++peer) {  // both links of a pair at once
    slowest.add(link(0, peer, (peer * 7 % 10) * us));
    slowest.add(link(peer, 0, 1 * us));
  }
  slowest.add(link(0, 20, 100 * us, Outcome::timeout));
  slowest.sort();
  const auto& pairs = slowest.pairs();
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].high, 7);  // 9 us
  EXPECT_EQ(pairs[1].high, 4);  // 8 us
  EXPECT_EQ(pairs[2].high, 1);  // 7 us
  slowest.add_again(link(0, 4, 2 * us));
  slowest.add_again(link(0, 9, 2 * us));  // not among them
  const auto retests = slowest.retests();
  ASSERT_EQ(retests.size(), 1u);
  EXPECT_EQ(retests[0].first.one_way.mean, static_cast<float>(8 * us));
  EXPECT_EQ(retests[0].again.one_way.mean, static_cast<float>(2 * us));
}

TEST(Slowest, none_are_kept_if_none_are_requested) {
  Slowest slowest(0);
  slowest.add(link(0, 1, us));
  slowest.sort();
  EXPECT_TRUE(slowest.pairs().empty());
}

}  // namespace
}  // namespace everylink
