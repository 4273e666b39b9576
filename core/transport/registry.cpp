// Lists the transports: three are built in; the others are modules, loaded on request.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/names.hpp"
#include "base/settings.hpp"
#include "host/modules.hpp"
#include "transport/transport.hpp"
#include "transport_names.hpp"  // made by CMake: name, summary, why it was not built

namespace everylink {

extern const TransportEntry tcp_transport, sim_transport, cuda_transport;

namespace {

std::span<const TransportEntry* const> built_in() {
  static constexpr const TransportEntry* all[] = {&tcp_transport, &sim_transport, &cuda_transport};
  return all;
}

// The module's entry. Null: `why` has the reason.
const TransportEntry* load(const NamedTransport& named, std::string& why) {
  if (!named.why_not_built.empty()) return why = fmt::format("not built: {}", named.why_not_built), nullptr;
  return module_entry<TransportEntry>(std::string(named.name), "entry", transport_abi, why);
}

const TransportEntry* usable(const NamedTransport& named, std::string& why) {
  const auto* entry = load(named, why);
  if (entry) why = entry->why_unusable();
  return why.empty() ? entry : nullptr;
}

}  // namespace

std::vector<TransportState> transport_states() {
  std::vector<TransportState> states;
  for (const auto* entry : built_in())
    states.push_back({std::string(entry->name), std::string(entry->summary), entry->why_unusable()});
  for (const auto& named : transport_modules) {
    std::string why;
    usable(named, why);
    states.push_back({std::string(named.name), std::string(named.summary), why});
  }
  return states;
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const auto* entry : built_in()) names.emplace_back(entry->name);
  for (const auto& named : transport_modules) names.emplace_back(named.name);
  return names;
}

const TransportEntry& transport_named(std::string_view name) {
  for (const auto* entry : built_in())
    if (entry->name == name) return *entry;
  for (const auto& named : transport_modules) {
    if (named.name != name) continue;
    std::string why;
    if (const auto* entry = usable(named, why)) return *entry;
    throw UsageError(fmt::format("--mode {}: {}", name, why));
  }
  throw UsageError("--mode: " + unknown_name("mode", name, transport_names()));
}

void refuse_unknown_options(const Settings& options, std::string_view transport,
                            std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : options)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw UsageError(fmt::format("--mode {}:{}={}: {}", transport, key, value,
                                   unknown_name("option", key, {known.begin(), known.end()})));
}

}  // namespace everylink
