// Parses and formats numbers with units.
#include "base/units.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <span>

#include "base/errors.hpp"
#include "base/names.hpp"

namespace everylink {
namespace {

struct Suffix {
  std::string_view name;
  double factor;
};
constexpr Suffix byte_suffixes[] = {{"", 1},         {"B", 1},        {"KiB", 1024.0}, {"MiB", 1048576.0},
                                    {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"KB", 1e3},     {"kB", 1e3},
                                    {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
constexpr Suffix time_suffixes[] = {{"", 1},      {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                                    {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
constexpr Suffix bit_suffixes[] = {{"Kb", 125.0}, {"Mb", 125e3}, {"Gb", 125e6}, {"Tb", 125e9}};

// The number at the start of `text`; `rest` is what follows it.
bool leading_number(std::string_view text, double& value, std::string_view& rest) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() && std::isfinite(value);
}

template <std::size_t N>
bool with_suffix(std::string_view text, const Suffix (&suffixes)[N], double& value) {
  std::string_view rest;
  if (!leading_number(text, value, rest)) return false;
  for (const auto& suffix : suffixes)
    if (rest == suffix.name) return std::isfinite(value *= suffix.factor);
  return false;
}

// K, M, G and T are powers of 1024, as in LinkTest; with or without iB, in upper or lower case.
bool with_binary_suffix(std::string_view text, double& value) {
  constexpr std::string_view letters = "kmgt";
  std::string_view rest;
  if (!leading_number(text, value, rest) || rest.empty()) return false;
  std::string lower(rest);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto power = letters.find(lower[0]);
  if (power == std::string_view::npos || (lower.size() > 1 && lower.substr(1) != "ib")) return false;
  value *= std::pow(1024.0, static_cast<double>(power + 1));
  return std::isfinite(value);
}

// " (did you mean 64KB?)" if the number is valid and the unit nearly so.
std::string probable_size(std::string_view text) {
  double value = 0;
  std::string_view rest;
  if (!leading_number(text, value, rest)) return {};
  std::vector<std::string> units;
  for (const auto& suffix : byte_suffixes) units.emplace_back(suffix.name);
  const auto blanks = rest.find_first_not_of(' ');
  return did_you_mean(blanks == std::string_view::npos ? "" : rest.substr(blanks), units,
                      text.substr(0, text.size() - rest.size()));
}

Unit pick(std::span<const Unit> units, double typical) {
  Unit best = units.front();
  for (const auto& unit : units)
    if (std::abs(typical) >= unit.factor) best = unit;
  return best;
}

}  // namespace

std::size_t parse_bytes(std::string_view text, std::string_view what) {
  double value = 0;
  if (!with_suffix(text, byte_suffixes, value) && !with_binary_suffix(text, value))
    throw UsageError(fmt::format("{}: invalid size '{}'{}; use 17, 64K, 64KiB (65536 bytes), 1MiB or 2GB",
                                 what, text, probable_size(text)));
  if (value < 0) throw UsageError(fmt::format("{}: '{}' is negative; use 0 bytes or more", what, text));
  if (value != std::floor(value) || value > 0x1p62)
    throw UsageError(fmt::format("{}: '{}' is not a whole number of bytes", what, text));
  return static_cast<std::size_t>(value);
}

std::vector<std::size_t> parse_sizes(std::string_view text, std::string_view what) {
  std::vector<std::size_t> sizes;
  for (const auto& part : split(text, ',')) {
    const auto bytes = parse_bytes(part, what);
    for (const auto known : sizes)
      if (known == bytes) throw UsageError(fmt::format("{}: {} is given twice", what, part));
    sizes.push_back(bytes);
  }
  return sizes;
}

Seconds parse_seconds(std::string_view text, std::string_view what) {
  double value = 0;
  if (!with_suffix(text, time_suffixes, value) || value < 0)
    throw UsageError(fmt::format("{}: invalid time '{}'; use 10, 1.5us, 2ms or 3s", what, text));
  return value;
}

double parse_rate(std::string_view text, std::string_view what) {
  double value = 0;
  const auto per = text.substr(0, text.size() - (text.ends_with("/s") ? 2 : 0));
  if (per.size() == text.size() ||
      !(with_suffix(per, byte_suffixes, value) || with_suffix(per, bit_suffixes, value)) || value <= 0)
    throw UsageError(fmt::format("{}: invalid bandwidth '{}'; use 12.5GB/s, 11GiB/s or 100Gb/s", what, text));
  return value;
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0;
  std::string_view rest;
  if (!leading_number(text, value, rest) || !rest.empty())
    throw UsageError(fmt::format("{}: '{}' is not a number", what, text));
  return value;
}

long long parse_integer(std::string_view text, std::string_view what) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{}: '{}' is not a whole number", what, text));
  return value;
}

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed && *fixed)
    now = static_cast<std::time_t>(parse_integer(fixed, "SOURCE_DATE_EPOCH"));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Settings parse_settings(std::string_view text, std::string_view what) {
  Settings settings;
  if (text.empty()) return settings;
  for (const auto& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == part.size())
      throw UsageError(fmt::format("{}: '{}' is not key=value", what, part));
    auto& value = settings[part.substr(0, equals)];
    value += (value.empty() ? "" : ";") + part.substr(equals + 1);
  }
  return settings;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Unit time_unit(Seconds typical) {
  static constexpr Unit units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
  return pick(units, typical);
}

Unit bandwidth_unit(double typical) {
  static constexpr Unit units[] = {
      {1, "B/s"}, {1024, "KiB/s"}, {0x1p20, "MiB/s"}, {0x1p30, "GiB/s"}, {0x1p40, "TiB/s"}};
  return pick(units, typical);
}

std::string text_of_seconds(Seconds value) {
  if (std::isnan(value)) return "-";
  const auto unit = time_unit(value);
  return fmt::format("{:.4g} {}", value / unit.factor, unit.name);
}

std::string text_of_count(std::int64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string text_of_duration(Seconds value) {
  if (value < 100) return fmt::format("{:.1f} s", value);
  const auto minutes = static_cast<long long>(std::llround(value / 60));
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 48LL * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  return fmt::format("{} days", minutes / 1440);
}

std::string text_of_bytes(double value) {
  static constexpr Unit units[] = {
      {1, "B"}, {1024, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}};
  const auto unit = pick(units, value);
  return fmt::format("{:.4g} {}", value / unit.factor, unit.name);
}

std::string text_of_size(std::size_t bytes) { return text_of_bytes(static_cast<double>(bytes)); }

std::string text_of_bandwidth(double value) {
  if (std::isnan(value)) return "-";
  const auto unit = bandwidth_unit(value);
  return fmt::format("{:.4g} {}", value / unit.factor, unit.name);
}

}  // namespace everylink
