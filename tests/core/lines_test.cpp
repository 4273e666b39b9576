// LinkTest's lines, byte for byte, and the patterns of the JUBE files that read them.
#include "linktest/lines.hpp"
#include "base/outcome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace everylink {
namespace {

Sample link(double one_way, Outcome outcome = Outcome::ok) {
  Sample sample;
  sample.outcome = outcome;
  sample.one_way.mean = static_cast<float>(one_way);
  return sample;
}

// Times that floats hold exactly: 2 GiB in 125, 250, 375 and 500 ms are 16, 8, 5.3333 and 4 GiB/s.
constexpr double us = 1e-6, ms = 1e-3;
constexpr std::size_t bytes = std::size_t{2} << 30;

Lines of(std::initializer_list<Sample> samples, double directions = 1) {
  Lines lines(bytes, directions, false);
  for (const auto& sample : samples) lines.add(sample);
  return lines;
}

// Replaces every digit by 0, so that only blanks, points and widths of an example and a line are compared.
std::string layout(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }, '0');
  return text;
}

// Two pairs: the bisection bandwidth is half the sum of four.
const std::string numbers =
    "min:  125.00000 ms (   16.0000 GiB/s) avg:  250.00000 ms (    8.0000 GiB/s) max:  375.00000 ms (    "
    "5.3333 GiB/s) avg. bisection bw:    21.3333 GiB/s";
const std::string step_line = "Parallel Results for step 3: " + numbers,
                  aggregated_line = "Aggregated Results: " + numbers;

std::string both_lines() {
  return of({link(125 * ms), link(375 * ms), link(375 * ms), link(125 * ms)}).end_step(3);
}

TEST(Lines, a_step_and_the_aggregate_are_written_byte_for_byte) {
  EXPECT_EQ(both_lines(), step_line + "\n" + aggregated_line);
}

TEST(Lines, they_are_laid_out_as_linktest_writes_them) {
  const std::string example =
      "min:   11.64910 us (   20.9579 GiB/s) avg:   11.68455 us (   20.8943 GiB/s) max:   11.77200 us (   "
      "20.7391 GiB/s) avg. bisection bw:    83.5783 GiB/s";
  Lines lines(262144, 1, false);
  for (int i = 0; i < 8; ++i) lines.add(link((11.6 + i / 50.0) * us));
  EXPECT_EQ(layout(lines.end_step(3)),
            layout("Parallel Results for step 3: " + example + "\nAggregated Results: " + example));
  EXPECT_EQ(layout(lines.timing(24.52618e-3, 3, 1, 1)),
            layout("Timing Summary: Elapsed time:   24.52618 ms (   8.17539 ms/step). Estimated time "
                   "remaining for iteration:    8.17539 ms (1 steps). Estimated total time "
                   "remaining:    8.17539 ms"));
  EXPECT_EQ(layout(lines.results()),
            layout("RESULT: Min Time:   11.53511 us (   21.1650 GiB/s)\nRESULT: Avg Time:   11.53511 us (   "
                   "21.1650 GiB/s)\nRESULT: Max Time:   11.53511 us (   21.1650 GiB/s)"));
}

TEST(Lines, the_published_example_comes_out_of_its_own_times) {
  // 262,144 bytes; the bandwidth follows from the time alone.
  Lines lines(262144, 1, false);
  for (const double time : {11.53511, 12.01200}) lines.add(link(time * us));
  lines.end_step(0);
  EXPECT_NE(lines.results().find("RESULT: Min Time:   11.53511 us (   21.1650 GiB/s)"), std::string::npos)
      << lines.results();
  EXPECT_NE(lines.results().find("RESULT: Max Time:   12.01200 us (   20.3247 GiB/s)"), std::string::npos)
      << lines.results();
}

TEST(Lines, the_timing_summary_is_written_byte_for_byte) {
  Lines lines(1, 1, false);
  EXPECT_EQ(lines.timing(24.52617e-3, 3, 1, 1),
            "Timing Summary: Elapsed time:   24.52617 ms (   8.17539 ms/step). Estimated time remaining for "
            "iteration:    8.17539 ms (1 steps). Estimated total time remaining:    8.17539 ms");
  EXPECT_EQ(lines.timing(40e-3, 4, 3, 10),
            "Timing Summary: Elapsed time:   40.00000 ms (  10.00000 ms/step). Estimated time remaining for "
            "iteration:   30.00000 ms (3 steps). Estimated total time remaining:  100.00000 ms");
  EXPECT_NE(lines.timing(4, 5, 0, 0).find("Elapsed time: 4000.00000 ms ( 800.00000 ms/step)"),
            std::string::npos)
      << "one unit over all steps";
}

TEST(Lines, the_results_are_written_byte_for_byte) {
  auto lines = of({link(125 * ms), link(375 * ms)});
  lines.end_step(0);
  EXPECT_EQ(lines.results(),
            "RESULT: Min Time:  125.00000 ms (   16.0000 GiB/s)\n"
            "RESULT: Avg Time:  250.00000 ms (    8.0000 GiB/s)\n"
            "RESULT: Max Time:  375.00000 ms (    5.3333 GiB/s)");
}

TEST(Lines, a_resumed_run_without_a_step_of_its_own_has_results_too) {
  EXPECT_EQ(of({link(125 * ms)}).results().substr(0, 37), "RESULT: Min Time:  125.00000 ms (   1");
}

TEST(Lines, a_serial_run_says_so) {
  Lines lines(bytes, 1, true);
  lines.add(link(us));
  EXPECT_EQ(lines.end_step(0).find("Serial Results for step 0: min:"), 0u);
}

TEST(Lines, a_failed_link_counts_0_in_the_bisection_bandwidth_and_not_at_all_in_the_times) {
  for (const auto outcome :
       {Outcome::timeout, Outcome::broken, Outcome::corrupt, Outcome::absent, Outcome::presumed}) {
    LinkTimes times(1000, 1);
    times.add(Outcome::ok, 1e-3);
    times.add(Outcome::ok, 1e-3);
    times.add(outcome, 5e-6);
    times.add(outcome, 5);
    EXPECT_EQ(times.links(), 4);
    EXPECT_EQ(times.timed(), 2);
    EXPECT_DOUBLE_EQ(times.min(), 1e-3);
    EXPECT_DOUBLE_EQ(times.max(), 1e-3);
    EXPECT_DOUBLE_EQ(times.mean(), 1e-3);
    EXPECT_DOUBLE_EQ(times.bisection_bandwidth(), 2 * (1e6 + 1e6 + 0 + 0) / 4) << said_of(outcome);
  }
}

TEST(Lines, both_directions_at_once_are_twice_the_bandwidth) {
  EXPECT_DOUBLE_EQ(LinkTimes(1000, 2).bandwidth(1e-3), 2e6);
  EXPECT_DOUBLE_EQ(LinkTimes(1000, 1).bandwidth(1e-3), 1e6);
  EXPECT_EQ(of({link(125 * ms), link(125 * ms)}, 2)
                .end_step(0)
                .find("Parallel Results for step 0: min:  125.00000 ms (   32.0000 GiB/s)"),
            0u);
}

TEST(Lines, the_aggregate_covers_all_steps_and_each_step_starts_from_zero) {
  auto lines = of({link(125 * ms), link(125 * ms)});  // bisection 16 GiB/s
  lines.end_step(0);
  lines.add(link(250 * ms));
  lines.add(link(500 * ms));  // (8 + 4) / 2
  EXPECT_EQ(lines.end_step(1),
            "Parallel Results for step 1: min:  250.00000 ms (    8.0000 GiB/s) avg:  375.00000 ms (    "
            "5.3333 GiB/s) max:  500.00000 ms (    4.0000 GiB/s) avg. bisection bw:     6.0000 GiB/s\n"
            "Aggregated Results: min:  125.00000 ms (   16.0000 GiB/s) avg:  250.00000 ms (    8.0000 GiB/s) "
            "max:  500.00000 ms (    4.0000 GiB/s) avg. bisection bw:    11.0000 GiB/s");
}

TEST(Lines, the_unit_of_the_first_step_stays) {
  auto lines = of({link(125 * ms)});
  lines.end_step(0);
  lines.add(link(4));
  const auto text = lines.end_step(1);
  EXPECT_NE(text.find("step 1: min: 4000.00000 ms (    0.5000 GiB/s)"), std::string::npos) << text;
}

TEST(Lines, the_bisection_bandwidth_of_many_links_has_its_own_unit) {
  Lines lines(bytes, 1, false);
  for (int i = 0; i < 1024; ++i) lines.add(link(125 * ms));
  const auto text = lines.end_step(0);
  EXPECT_NE(text.find("avg:  125.00000 ms (   16.0000 GiB/s)"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("avg. bisection bw:     8.0000 TiB/s")) << text;
}

TEST(Lines, a_number_wider_than_its_column_is_still_separated) {
  auto lines = of({link(1000000), link(1000000)});
  lines.end_step(0);
  lines.add(link(125 * ms));
  lines.add(link(125 * ms));
  EXPECT_TRUE(
      std::regex_search(lines.end_step(1), std::regex(R"(step 1: .* bisection bw:\s+16777216\.0000 KiB/s)")));
}

TEST(Lines, a_step_without_a_measured_link_says_so) {
  auto lines = of({link(0, Outcome::timeout)});
  EXPECT_EQ(lines.end_step(0), "Parallel Results for step 0: no link was measured");
  EXPECT_EQ(lines.results(), "RESULT: no link was measured");
  lines.add(link(125 * ms));
  lines.add(link(125 * ms));
  const auto text = lines.end_step(1);
  EXPECT_TRUE(text.ends_with("bisection bw:     8.0000 GiB/s"))
      << "the aggregate counts the lost step as 0: " << text;
}

TEST(Lines, the_jube_patterns_match) {
  const std::string number = R"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)";
  const auto first = [&](std::string pattern, const std::string& text) {
    for (std::size_t at; (at = pattern.find("FP")) != std::string::npos;) pattern.replace(at, 2, number);
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(pattern))) return std::string("no match");
    return match.size() > 1 ? match[1].str() : std::string("match");
  };
  auto lines = of({link(125 * ms), link(375 * ms)});
  lines.end_step(0);
  EXPECT_EQ(first(R"(RESULT: Min Time:\s+(FP .*?)\s)", lines.results()), "125.00000 ms");
  EXPECT_EQ(first(R"(RESULT: Min Time: .*? \(\s+(FP.*?)\))", lines.results()), "16.0000 GiB/s");
  EXPECT_EQ(first(R"(RESULT: Max Time: .*? \(\s+(FP.*?)\))", lines.results()), "5.3333 GiB/s");
  EXPECT_EQ(first(R"(Parallel Results for step .*? bisection bw:\s+FP\s+(.*?)$)",
                  both_lines().substr(0, step_line.size())),
            "GiB/s");
  EXPECT_EQ(first(R"(Aggregated Results: .*? bisection bw:\s+FP)", both_lines()), "match");
}

TEST(Lines, the_least_time_matches_beside_one_far_above_the_unit) {
  auto lines = of({link(125 * us)});
  lines.end_step(0);
  lines.add(link(2));
  lines.end_step(1);
  EXPECT_TRUE(std::regex_search(lines.results(), std::regex(R"(RESULT: Min Time:\s+125\.\d+ us \(\s+\d)")))
      << lines.results();
}

}  // namespace
}  // namespace everylink
