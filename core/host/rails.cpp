// Chooses the device of a rank.
#include "host/rails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>

#include "base/errors.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "host/adapters.hpp"
#include "host/gpus.hpp"
#include "net/interfaces.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;

// The option that selects one device of a mode, and another option that excludes it.
struct Choice {
  const char *mode, *option, *other;
};
constexpr Choice choices[] = {{"tcp", "rail", "interface"},
                              {"ucp", "net_devices", "net_devices"},
                              {"ofi", "domain", "domain"},
                              {"ibverbs", "device", "device"},
                              {"portals", "interface", "interface"}};

const Choice* choice_of(const std::string& mode) {
  const auto found = std::find_if(std::begin(choices), std::end(choices),
                                  [&](const Choice& one) { return one.mode == mode; });
  return found == std::end(choices) ? nullptr : found;
}

// As "mlx5_0:1".
std::vector<std::string> names_of_active_ports() {
  std::vector<std::string> names;
  for (const auto& port : active_ports()) names.push_back(port.device + ":" + port.number);
  std::sort(names.begin(), names.end());
  return names;
}

// Excludes bridges and tunnels, which have no device. If no interface has one, as in a container, all count.
std::vector<std::string> network_interfaces() {
  std::vector<std::string> real, all;
  for (const auto& one : interfaces()) {
    if (one.is_loopback || std::find(all.begin(), all.end(), one.name) != all.end()) continue;
    all.push_back(one.name);
    if (fs::exists("/sys/class/net/" + one.name + "/device")) real.push_back(one.name);
  }
  return real.empty() ? all : real;
}

}  // namespace

std::vector<std::string> modes_with_rails() {
  std::vector<std::string> modes;
  for (const auto& one : choices) modes.emplace_back(one.mode);
  return modes;
}

std::string with_rails(const std::string& mode, const std::string& mode_options, const std::string& rails) {
  const Choice* choice = choice_of(mode);
  if (!choice)
    throw UsageError(fmt::format("--rails applies only to --mode {}, not to --mode {}",
                                 fmt::join(modes_with_rails(), ", "), mode));
  const Settings options = parse_settings(mode_options, "--mode " + mode);
  for (const char* other : {choice->option, choice->other})
    if (options.contains(other))
      throw UsageError(fmt::format("--rails and {}= of --mode {} exclude each other", other, mode));
  if (rails == "auto" && (mode == "ofi" || mode == "portals"))
    throw UsageError(
        fmt::format("--rails auto: --mode {} requires the devices by name: --rails dev1,dev2", mode));
  std::string all = mode_options;
  for (const auto& one : split(rails, ',')) {
    if (one.empty())
      throw UsageError(fmt::format("--rails {}: a name is empty; use --rails dev1,dev2", rails));
    all += fmt::format("{}rails={}", all.empty() ? "" : ",", one);
  }
  return all;
}

bool rails_are_auto(const Settings& options) { return setting(options, "rails") == "auto"; }

Settings on_own_rail(const std::string& mode, Settings options, const std::vector<std::int32_t>& host_of,
                     int rank, const std::vector<std::string>& gpus) {
  const std::string wanted = setting(options, "rails");
  if (wanted.empty()) return options;
  const bool is_auto = rails_are_auto(options);
  options.erase("rails");
  const auto rails = is_auto ? rails_here(mode) : split(wanted, ';');
  if (rails.empty()) throw MachineError("--rails auto: no network device here except loopback");
  const auto near = [&](std::size_t of) {
    return is_auto && !gpus.empty() ? nearest_devices(rails, gpus[of]) : rails;
  };
  const auto own = static_cast<std::size_t>(rank);
  const auto mine = near(own);
  std::size_t before = 0;
  for (std::size_t other = 0; other < own; ++other)
    before += host_of[other] == host_of[own] && near(other) == mine;
  options[choice_of(mode)->option] = mine[before % mine.size()];
  return options;
}

std::vector<std::string> rails_here(const std::string& mode) {
  auto rails = mode == "tcp" ? network_interfaces() : names_of_active_ports();
  if (mode == "ucp" && rails.empty()) return network_interfaces();
  if (mode == "ibverbs")
    for (auto& rail : rails) rail.erase(rail.find(':'));
  rails.erase(std::unique(rails.begin(), rails.end()), rails.end());
  return rails;
}

}  // namespace everylink
