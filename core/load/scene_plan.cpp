// All scenes of a run.
#include "load/scene_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "memory/memory.hpp"

namespace everylink {

ScenePlan::ScenePlan(const Options& options, const Introduction& all)
    : options_(options),
      sweep_(pattern_named(options.pattern)
                 ->make({.size = static_cast<int>(all.host_of.size()),
                         .seed = all.seed,
                         .host_of = all.host_of,
                         .settings = options.pattern_settings})) {
  if (sweep_.degree > most_links)
    throw UsageError(fmt::format("{}: one rank would hold {} links at once; at most {} are supported",
                                 options.pattern, sweep_.degree, most_links));
  const auto smallest = *std::min_element(options.sizes.begin(), options.sizes.end());
  if (sweep_.ping_bytes > std::max(smallest, note_bytes))
    throw UsageError(fmt::format("--ping-size: {} bytes exceed the {} bytes of -s/--size-messages",
                                 sweep_.ping_bytes, smallest));
  if (options.check && layout_of(options.largest()).shares_buffers())
    throw UsageError(fmt::format(
        "--check: {} connections with messages of {} bytes do not fit into 256 MiB; use smaller messages or "
        "fewer requests in flight",
        sweep_.degree, options.largest()));
}

std::size_t ScenePlan::bytes(std::int64_t scene) const {
  return options_.sizes[static_cast<std::size_t>(scene / sweep_.scenes)];
}

AssignedScene ScenePlan::assigned(std::int64_t scene) const {
  return assign(sweep_.scene(scene % sweep_.scenes));
}

FlowLayout ScenePlan::layout_of(std::size_t bytes) const {
  const int in_flight = std::min(sweep_.request_load.most_in_flight, most_in_flight);
  const int window = sweep_.request_load.requests ? (in_flight + 1) / 2 : usual_window(bytes);
  auto layout = FlowLayout::of(bytes, sweep_.ping_bytes, options_.window.value_or(window), sweep_.degree);
  if (verifies_ends() && sweep_.request_load.requests) layout.add_spare(2 * sweep_.degree);
  return layout;
}

bool ScenePlan::verifies_ends() const { return !options_.check && memory_named(options_.memory).needs_gpu; }

std::size_t ScenePlan::memory_bytes() const {
  std::size_t most = 0;
  for (const auto bytes : options_.sizes) most = std::max(most, layout_of(bytes).memory_bytes());
  return most;
}

// A server may serve every other client before this one.
ReplyTimeout ScenePlan::reply_timeout(std::int64_t scene) const {
  const auto& load = sweep_.request_load;
  const Seconds least = connect_limit();
  return {least, least + at_worst(1.0 * load.most_in_flight * load.clients, bytes(scene))};
}

// A larger message takes longer, at most in proportion to its size.
Seconds ScenePlan::timeout(std::int64_t scene, std::int64_t earlier, Seconds took) const {
  constexpr double much_longer = 10;
  const double growth = static_cast<double>(bytes(scene)) / static_cast<double>(bytes(earlier));
  return connect_limit() * (sweep_.request_load.servers + 2) + much_longer * took * std::max(1.0, growth);
}

// The duration and the time for messages in flight at its end, or the time for all the work of one rank.
Seconds ScenePlan::flow_limit(const RunFlows& order) const {
  const FlowLayout one = layout(order.scene);
  const auto& load = sweep_.request_load;
  if (load.requests) {
    const Seconds most = reply_timeout(order.scene).most * (load.servers + 2) +
                         at_worst(1.0 * load.requests * sweep_.degree, one.bytes);
    return order.timeout > 0 ? std::min(most, order.timeout) : most;
  }
  if (sweep_.messages)
    return connect_limit() + at_worst(2.0 * static_cast<double>(sweep_.messages), one.bytes);
  const double in_flight = 2.0 * one.window * static_cast<double>(one.bytes) * sweep_.degree;
  return options_.duration + (options_.time_limit > 0 ? options_.time_limit : 10 + in_flight / 10e6);
}

}  // namespace everylink
