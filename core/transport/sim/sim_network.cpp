// Computes the links of the simulated network and reads its options.
#include "transport/sim/sim_network.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/ranks.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

std::string named(const std::string& key) { return "--mode sim:" + key; }

int whole(const Settings& settings, const std::string& key, int fallback, int least, int most) {
  const auto text = setting(settings, key);
  if (text.empty()) return fallback;
  const auto value = parse_integer(text, named(key));
  if (value < least || value > most)
    throw UsageError(fmt::format("{}={}: must be {} to {}", named(key), text, least, most));
  return static_cast<int>(value);
}

Seconds seconds(const Settings& settings, const std::string& key, Seconds fallback) {
  const auto text = setting(settings, key);
  return text.empty() ? fallback : parse_seconds(text, named(key));
}

double rate(const Settings& settings, const std::string& key, double fallback) {
  const auto text = setting(settings, key);
  return text.empty() ? fallback : parse_rate(text, named(key));
}

}  // namespace

SimNetwork::SimNetwork(int size, const Settings& settings)
    : size_(size),
      hosts_(whole(settings, "hosts", size, 1, size)),
      leaf_(whole(settings, "leaf", hosts_, 1, 1 << 30)),
      latency_(seconds(settings, "latency", 1e-6)),
      local_latency_(seconds(settings, "local-latency", 0.25e-6)),
      spine_latency_(seconds(settings, "spine-latency", 0.5e-6)),
      bandwidth_(rate(settings, "bandwidth", 12.5e9)),
      local_bandwidth_(rate(settings, "local-bandwidth", 25e9)),
      noise_(setting(settings, "noise").empty() ? 0
                                                : parse_number(setting(settings, "noise"), named("noise"))),
      seed_(static_cast<std::uint64_t>(whole(settings, "seed", 1, 0, 1 << 30))) {
  refuse_unknown_options(settings, "sim",
                         {"hosts", "leaf", "latency", "local-latency", "spine-latency", "bandwidth",
                          "local-bandwidth", "noise", "seed", "slow-host", "slow-link", "delay-host",
                          "delay-link", "jitter-host", "jitter-link", "dead-host", "dead", "corrupt"});
  if (noise_ < 0 || noise_ > 10)
    throw UsageError(named("noise") + " must be 0 to 10, as a fraction of each message's time");
  read_faults(settings, "slow-host", Kind::slow, true, '*');
  read_faults(settings, "slow-link", Kind::slow, false, '*');
  read_faults(settings, "delay-host", Kind::delay, true, '+');
  read_faults(settings, "delay-link", Kind::delay, false, '+');
  read_faults(settings, "jitter-host", Kind::jitter, true, '*');
  read_faults(settings, "jitter-link", Kind::jitter, false, '*');
  read_faults(settings, "dead-host", Kind::dead, true, 0);
  read_faults(settings, "dead", Kind::dead, false, 0);
  read_faults(settings, "corrupt", Kind::corrupt, false, '@');
}

// Each fault is HOST or FROM>TO, with a number after `before_value`: 5*0.5, 3>7+10us, 2>3@7 (@ is optional).
// Several faults are separated by ';'.
void SimNetwork::read_faults(const Settings& settings, const std::string& key, Kind kind, bool of_host,
                             char before_value) {
  const auto all = setting(settings, key);
  if (all.empty()) return;
  for (const auto& text : split(all, ';')) {
    const std::string what = fmt::format("{}={}", named(key), text);
    const auto mark = before_value ? text.find(before_value) : std::string::npos;
    const auto arrow = text.find('>');
    const bool needs_value = before_value == '*' || before_value == '+';
    if ((arrow == std::string::npos) != of_host || (needs_value && mark == std::string::npos))
      throw UsageError(fmt::format("{}: write {}{}", what, of_host ? "HOST" : "FROM>TO",
                                   before_value == '*'   ? "*FACTOR"
                                   : before_value == '+' ? "+TIME"
                                   : before_value == '@' ? " or FROM>TO@MESSAGE"
                                                         : ""));
    const auto number_of = [&](const std::string& digits, const char* thing, int limit) {
      const auto value = parse_integer(digits, what);
      if (value < 0 || value >= limit)
        throw UsageError(fmt::format("{}: {} {} is not one of 0 to {}", what, thing, value, limit - 1));
      return static_cast<int>(value);
    };
    Fault fault{kind, no_rank, no_rank, -2};
    fault.from = number_of(text.substr(0, of_host ? mark : arrow), of_host ? "host" : "rank",
                           of_host ? hosts_ : size_);
    if (!of_host)
      fault.to = number_of(text.substr(arrow + 1, mark == std::string::npos ? mark : mark - arrow - 1),
                           "rank", size_);
    if (fault.from == fault.to) throw UsageError(what + ": a rank has no link to itself");
    if (mark != std::string::npos) {
      const auto value = text.substr(mark + 1);
      fault.value = kind == Kind::delay     ? parse_seconds(value, what)
                    : kind == Kind::corrupt ? number_of(value, "message", std::numeric_limits<int>::max())
                                            : parse_number(value, what);
      if (fault.value < 0 || (before_value == '*' && fault.value == 0))
        throw UsageError(what + ": the factor must be above 0");
    }
    faults_.push_back(fault);
  }
}

bool SimNetwork::concerns(const Fault& fault, int from, int to) const {
  if (fault.to != no_rank) return fault.from == from && fault.to == to;
  return host_of(from) != host_of(to) && (fault.from == host_of(from) || fault.from == host_of(to));
}

SimWay SimNetwork::way(int from, int to) const {
  const int here = host_of(from), there = host_of(to);
  const bool local = here == there, far = here / leaf_ != there / leaf_;
  SimWay way{.latency = local ? local_latency_ : latency_ + (far ? spine_latency_ : 0),
             .bandwidth = local ? local_bandwidth_ : bandwidth_,
             .noise = noise_,
             .jitter = 1,
             .dead = false,
             .corrupt = -1,
             .key = mix(seed_, mix(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to))),
             .local = local,
             .port = port_of(here)};
  for (const auto& fault : faults_) {
    if (!concerns(fault, from, to)) continue;
    switch (fault.kind) {
      case Kind::slow:
        way.bandwidth *= fault.value;
        way.latency /= fault.value;
        break;
      case Kind::delay: way.latency += fault.value; break;
      case Kind::jitter: way.jitter = fault.value; break;
      case Kind::dead: way.dead = true; break;
      case Kind::corrupt: way.corrupt = static_cast<int>(fault.value); break;
    }
  }
  return way;
}

double SimNetwork::port_of(int host) const {
  double bandwidth = bandwidth_;
  for (const auto& fault : faults_)
    if (fault.kind == Kind::slow && fault.to == no_rank && fault.from == host) bandwidth *= fault.value;
  return bandwidth;
}

std::string SimNetwork::host_name(int rank) const {
  return fmt::format("n{:0{}}", host_of(rank), fmt::formatted_size("{}", hosts_ - 1));
}

}  // namespace everylink
