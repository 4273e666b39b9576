// client-server: clients request bulk data, which servers put into the clients' memory or get from there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "load/pattern.hpp"

namespace everylink {
namespace {

constexpr std::uint8_t put = 0;
constexpr int usual_requests = 1024, most_requests = 1 << 24;
constexpr int usual_slots = 128, most_slots = 1 << 16;

Scene scene_of(const RequestLoad& load, int in_flight, std::uint8_t variant) {
  Scene scene{in_flight, variant, {}};
  for (int client = load.servers; client < load.servers + load.clients; ++client)
    for (int server = 0; server < load.servers; ++server)
      scene.flows.push_back(variant == put ? Flow{server, client, FlowKind::put}
                                           : Flow{client, server, FlowKind::get});
  return scene;
}

Sweep make(const PatternInput& input) {
  RequestLoad load;
  load.servers = pattern_number(input, "servers", 1, 1, input.size - 1);
  load.clients = input.size - load.servers;
  load.requests = pattern_number(input, "niters", usual_requests, 1, most_requests);
  load.slots = pattern_number(input, "slots", usual_slots, 1, most_slots);
  auto in_flight = pattern_numbers(input, "nflight", 1, most_in_flight * load.servers);
  if (in_flight.empty()) in_flight = {1};
  load.most_in_flight = *std::max_element(in_flight.begin(), in_flight.end());
  constexpr std::int64_t directions = 2;
  Sweep sweep{directions * static_cast<std::int64_t>(in_flight.size()), std::max(load.servers, load.clients),
              [load, in_flight](std::int64_t number) {
                return scene_of(load, in_flight[static_cast<std::size_t>(number / directions)],
                                static_cast<std::uint8_t>(number % directions));
              }};
  sweep.request_load = load;
  return sweep;
}

std::string microseconds(Seconds time) { return std::isnan(time) ? "-" : fmt::format("{:.2f}", time * 1e6); }

std::string_view word(const SceneSums& s) { return s.variant == put ? "Put" : "Get"; }

std::string row(std::span<const SceneSums> scenes) {
  const SceneSums& s = scenes.front();
  const auto lost = text_of_lost(s.failed, s.unmeasured, s.flows, "connections");
  return fmt::format("{:<3} {:>9} {:>9} {:>10.3f} {:>11.2f} {:>9} {:>9} {:>9} {:>11} {:>11.0f} {:>6}{}",
                     word(s), s.bytes, s.point, s.last_end, s.total / (1 << 20), microseconds(s.reply_mean),
                     microseconds(s.reply_median), microseconds(s.reply_p99), microseconds(s.service_mean),
                     s.last_end > 0 ? static_cast<double>(s.requests) / s.last_end : 0.0,
                     s.clients ? fmt::format("{:.3f}", s.jain) : "-", lost.empty() ? "" : "  " + lost);
}

// The scene in which the clients' rates are furthest apart.
std::vector<std::string> findings(std::span<const SceneSums> scenes, const NameOfRank& name) {
  std::vector<std::string> lines;
  for (const std::uint8_t variant : {std::uint8_t{0}, std::uint8_t{1}}) {
    const SceneSums* worst = nullptr;
    for (const auto& scene : scenes)
      if (scene.variant == variant && scene.clients > 1 && (!worst || scene.jain < worst->jain))
        worst = &scene;
    if (!worst) continue;
    std::vector<std::string> last;
    for (const int rank : worst->last) last.push_back(name(rank));
    lines.push_back(fmt::format(
        "{} least fair at {}: of {} clients the first ends after {}, the last after {} (last: {}); "
        "Jain's index of their rates {:.3f}",
        word(*worst), text_of_size(worst->bytes), worst->clients, text_of_seconds(worst->first_end),
        text_of_seconds(worst->last_end), fmt::join(last, ", "), worst->jain));
  }
  return lines;
}

constexpr PatternTable table{
    "Dir   size(B) in flight    time(s)   bw(MiB/s)   lat(us)   p50(us)   p99(us) service(us)  requests/s   "
    "Jain",
    false, row, findings};

}  // namespace

extern const Pattern pattern_client_server{
    "client-server",
    "clients request bulk data, which servers put into their memory or get from there",
    "in flight",
    {"put", "get"},
    {{.names = {"--servers"},
      .value = "N",
      .unit = Quantity::count,
      .least = 1,
      .brief = "number of servers: ranks 0 to N - 1; all others are clients",
      .default_text = "1"},
     {.names = {"--niters"},
      .value = "N",
      .unit = Quantity::count,
      .least = 1,
      .brief = "requests of each client to each server",
      .default_text = "1024"},
     {.names = {"--nflight"},
      .value = "K,...",
      .unit = Quantity::count,
      .is_list = true,
      .least = 1,
      .brief = "requests that a client has in flight, over all servers",
      .default_text = "1"},
     {.names = {"--slots"},
      .value = "N",
      .unit = Quantity::count,
      .least = 1,
      .brief = "requests that a server serves at the same time",
      .default_text = "128"},
     {.names = {"--check"},
      .brief = "verify every byte of every answer",
      .more = "The times then include the verification."}},
    {.one_sided = true,
     .duration = 0,
     .sizes = sweep_to_4_mib,
     .other_name_of_sizes = "--bsize",
     .table = &table},
    make,
    nullptr};

}  // namespace everylink
