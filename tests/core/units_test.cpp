// Text to numbers and back: every accepted form, and refusals.
#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace everylink {
namespace {

using Sizes = std::vector<std::size_t>;

// Expects a message that names the option and the text.
template <class Parse>
void expect_refused(Parse parse, std::initializer_list<const char*> texts) {
  for (const char* text : texts) try {
      parse(text, "--option");
      ADD_FAILURE() << "accepted: '" << text << "'";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find("--option"), 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
}

TEST(Units, sizes_take_binary_and_decimal_suffixes) {
  const std::pair<const char*, std::size_t> forms[] = {{"0", 0},
                                                       {"1", 1},
                                                       {"17B", 17},
                                                       {"64KiB", 65536},
                                                       {"1MiB", 1048576},
                                                       {"2GiB", 2147483648},
                                                       {"1TiB", 1099511627776},
                                                       {"1KB", 1000},
                                                       {"1kB", 1000},
                                                       {"3MB", 3'000'000},
                                                       {"2GB", 2'000'000'000},
                                                       {"1TB", 1'000'000'000'000},
                                                       {"64K", 65536},
                                                       {"64k", 65536},
                                                       {"1M", 1048576},
                                                       {"1mib", 1048576},
                                                       {"1MIB", 1048576},
                                                       {"2G", 2147483648},
                                                       {"1T", 1099511627776},
                                                       {"1.5KiB", 1536},
                                                       {"0.5MB", 500'000}};
  for (const auto& [text, bytes] : forms) EXPECT_EQ(parse_bytes(text, ""), bytes) << text;
}

TEST(Units, an_invalid_size_is_refused) {
  expect_refused(parse_bytes, {"",     "abc",   "KiB", "K",   "1 KiB", " 1",  "1 ",   "64kb",
                               "64Ki", "1KiBB", "-1",  "-1K", "-1KiB", "0.3", "0.3K", "1.0001KiB",
                               "1e30", "1e999", "nan", "inf", "0x10",  "+1",  "1,2"});
}

TEST(Units, a_unit_that_is_nearly_right_is_named) {
  const std::pair<const char*, const char*> near[] = {{"64 KiB", "(did you mean 64KiB?)"},
                                                      {"64kb", "(did you mean 64KB?)"},
                                                      {"1.5Mb", "(did you mean 1.5MB?)"}};
  for (const auto& [text, meant] : near) try {
      parse_bytes(text, "-s");
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(meant), std::string::npos) << error.what();
    }
}

TEST(Units, a_list_of_sizes_keeps_its_order_and_has_no_duplicates) {
  EXPECT_EQ(parse_sizes("1,64KiB,1MiB", ""), (Sizes{1, 65536, 1048576}));
  EXPECT_EQ(parse_sizes("8,0", ""), (Sizes{8, 0}));
  for (const char* wrong : {"", ",", "1,", ",1", "1,,2", "1,abc", "1;2", "1,1", "1024,4,1KiB", "1,-2"})
    EXPECT_THROW(parse_sizes(wrong, "-s"), UsageError) << wrong;
}

TEST(Units, times_take_their_suffixes) {
  const std::pair<const char*, double> forms[] = {{"10", 10},    {"0", 0},      {"1.5us", 1.5e-6},
                                                  {"2ms", 2e-3}, {"3s", 3},     {"250ns", 250e-9},
                                                  {"2min", 120}, {"1.5h", 5400}};
  for (const auto& [text, seconds] : forms) EXPECT_DOUBLE_EQ(parse_seconds(text, ""), seconds) << text;
  expect_refused(parse_seconds, {"", "s", "abc", "-1", "-1us", "1 s", "1sec", "1S", "nan", "inf", "1e308h"});
}

TEST(Units, rates_are_in_bytes_or_bits_per_second) {
  const std::pair<const char*, double> forms[] = {
      {"12.5GB/s", 12.5e9}, {"11GiB/s", 11 * 0x1p30}, {"100Gb/s", 12.5e9},
      {"8Mb/s", 1e6},       {"1Kb/s", 125},           {"1Tb/s", 125e9},
      {"7B/s", 7},          {"2KiB/s", 2048},         {"5MB/s", 5e6}};
  for (const auto& [text, rate] : forms) EXPECT_DOUBLE_EQ(parse_rate(text, ""), rate) << text;
  expect_refused(parse_rate, {"", "/s", "GB/s", "12.5", "12.5GB", "0GB/s", "-1GB/s", "1GB/sec", "1GB/min",
                              "nanGB/s", "1e308GB/s"});
}

TEST(Units, numbers_and_whole_numbers) {
  EXPECT_EQ(parse_number("0.25", ""), 0.25);
  EXPECT_EQ(parse_number("-3e2", ""), -300);
  expect_refused(parse_number, {"", "x", "1x", "1 ", "nan", "inf", "1e999"});
  EXPECT_EQ(parse_integer("-42", ""), -42);
  EXPECT_EQ(parse_integer("9223372036854775807", ""), 9223372036854775807);
  expect_refused(parse_integer, {"", "x", "1.5", "1e3", "12a", " 1", "+1", "9223372036854775808"});
}

TEST(Units, settings_are_keys_with_values) {
  EXPECT_EQ(parse_settings("", ""), Settings{});
  EXPECT_EQ(parse_settings("hosts=4,latency=1us", ""), (Settings{{"hosts", "4"}, {"latency", "1us"}}));
  EXPECT_EQ(parse_settings("a=x=y", ""), (Settings{{"a", "x=y"}})) << "only the first = separates";
  EXPECT_EQ(parse_settings("slow-link=1>2*0.5,seed=3,slow-link=4>5*0.2", ""),
            (Settings{{"slow-link", "1>2*0.5;4>5*0.2"}, {"seed", "3"}}))
      << "repeated keys are joined";
  for (const char* wrong : {"a", "a=", "=1", "a=1,", ",a=1", "a=1,b"})
    EXPECT_THROW(parse_settings(wrong, "--mode sim"), UsageError) << wrong;
}

TEST(Units, split_keeps_empty_parts) {
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
}

TEST(Units, the_unit_is_the_largest_that_gives_at_least_1) {
  EXPECT_EQ(time_unit(999e-9).name, "ns");
  EXPECT_EQ(time_unit(1e-6).name, "us");
  EXPECT_EQ(time_unit(0.9).name, "ms");
  EXPECT_EQ(time_unit(3600).name, "s");
  EXPECT_EQ(time_unit(0).name, "ns");
  EXPECT_EQ(bandwidth_unit(1023).name, "B/s");
  EXPECT_EQ(bandwidth_unit(1024).name, "KiB/s");
  EXPECT_EQ(bandwidth_unit(0x1p30).name, "GiB/s");
  EXPECT_EQ(bandwidth_unit(0x1p60).name, "TiB/s");
}

TEST(Units, numbers_read_well_as_text) {
  EXPECT_EQ(text_of_seconds(11.649e-6), "11.65 us");
  EXPECT_EQ(text_of_seconds(0.0025), "2.5 ms");
  EXPECT_EQ(text_of_seconds(0), "0 ns");
  EXPECT_EQ(text_of_seconds(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(text_of_bytes(65536), "64 KiB");
  EXPECT_EQ(text_of_bytes(1.5 * 0x1p30), "1.5 GiB");
  EXPECT_EQ(text_of_bytes(0), "0 B");
  EXPECT_EQ(text_of_bandwidth(20.9 * 0x1p30), "20.9 GiB/s");
  EXPECT_EQ(text_of_bandwidth(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Units, a_duration_is_readable) {
  EXPECT_EQ(text_of_duration(0), "0.0 s");
  EXPECT_EQ(text_of_duration(42.04), "42.0 s");
  EXPECT_EQ(text_of_duration(600), "10 min");
  EXPECT_EQ(text_of_duration(3599), "1 h 00 min");
  EXPECT_EQ(text_of_duration(2 * 3600 + 180), "2 h 03 min");
  EXPECT_EQ(text_of_duration(72 * 3600), "3 days");
}

TEST(Units, one_of_a_thing_is_not_plural) {
  EXPECT_EQ(text_of_count(1, "scene"), "1 scene");
  EXPECT_EQ(text_of_count(0, "scene"), "0 scenes");
  EXPECT_EQ(text_of_count(12, "message"), "12 messages");
}

}  // namespace
}  // namespace everylink
