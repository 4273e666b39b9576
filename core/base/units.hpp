// Parses and formats numbers with units: the only file that knows KiB from KB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/seconds.hpp"
#include "base/settings.hpp"

namespace everylink {

// They throw UsageError, which names `what` (an option) and the text.
std::size_t parse_bytes(std::string_view text, std::string_view what);               // 64KiB, 1MB, 17
std::vector<std::size_t> parse_sizes(std::string_view text, std::string_view what);  // 1,64KiB,1MiB
Seconds parse_seconds(std::string_view text, std::string_view what);                 // 10, 1.5us, 2ms, 3s
double parse_rate(std::string_view text, std::string_view what);  // bytes per second: 12.5GB/s, 100Gb/s
double parse_number(std::string_view text, std::string_view what);
long long parse_integer(std::string_view text, std::string_view what);

// The time now, or that of SOURCE_DATE_EPOCH, in UTC as ISO 8601. Throws UsageError if that is not a number.
std::string utc_now();
Settings parse_settings(std::string_view text, std::string_view what);  // key=value,key=value

std::vector<std::string> split(std::string_view text, char separator);

// A unit for a whole table: the value is divided by `factor` and followed by `name`.
struct Unit {
  double factor;
  std::string_view name;
};
Unit time_unit(Seconds typical);      // ns, us, ms, s
Unit bandwidth_unit(double typical);  // B/s, KiB/s, MiB/s, GiB/s, TiB/s

std::string text_of_seconds(Seconds value);                       // "11.6 us"
std::string text_of_count(std::int64_t n, std::string_view one);  // "1 scene", "2 scenes"
std::string text_of_duration(Seconds value);                      // "2 h 03 min", for people who wait
std::string text_of_bytes(double value);                          // "64 KiB", "1.5 GiB"
std::string text_of_size(std::size_t bytes);
std::string text_of_bandwidth(double value);  // "20.9 GiB/s"

}  // namespace everylink
