// A pattern as this run plays it.
#include "load/play.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"

namespace everylink {

Play::Play(const Options& options, const Introduction& all)
    : options_(options),
      script_(pattern_named(options.pattern)
                  ->make({static_cast<int>(all.host_of.size()), all.seed, all.host_of,
                          options.pattern_settings})) {
  if (script_.degree > most_links)
    throw UsageError(fmt::format("{}: a rank would hold {} links at once; up to {} work", options.pattern,
                                 script_.degree, most_links));
  const auto smallest = *std::min_element(options.sizes.begin(), options.sizes.end());
  if (script_.ping_bytes > std::max(smallest, note_bytes))
    throw UsageError(fmt::format("--ping-size: {} bytes are more than the messages of -s/--size-messages, {}",
                                 script_.ping_bytes, smallest));
  if (options.check && layout_of(options.largest()).shares_buffers())
    throw UsageError(fmt::format(
        "--check: {} connections with {} bytes each do not fit into 256 MiB; smaller messages or fewer in "
        "flight do",
        script_.degree, options.largest()));
}

std::size_t Play::bytes(std::int64_t scene) const {
  return options_.sizes[static_cast<std::size_t>(scene / script_.scenes)];
}

Staged Play::staged(std::int64_t scene) const {
  return everylink::staged(script_.scene(scene % script_.scenes));
}

FlowLayout Play::layout_of(std::size_t bytes) const {
  const int in_flight = std::min(script_.asking.most_in_flight, most_in_flight);
  const int window = script_.asking.requests ? (in_flight + 1) / 2 : usual_window(bytes);
  return FlowLayout::of(bytes, script_.ping_bytes, options_.window.value_or(window), script_.degree);
}

std::size_t Play::memory_bytes() const {
  std::size_t most = 0;
  for (const auto bytes : options_.sizes) most = std::max(most, layout_of(bytes).memory_bytes());
  return most;
}

// Every other client may be served before it.
Patience Play::patience(std::int64_t scene) const {
  const auto& asking = script_.asking;
  const Seconds least = connect_limit();
  return {least, least + at_worst(1.0 * asking.most_in_flight * asking.clients, bytes(scene))};
}

// A larger message takes longer, at most as much as it is larger.
Seconds Play::patience_of(std::int64_t scene, std::int64_t earlier, Seconds took) const {
  constexpr double much_longer = 10;
  const double growth = static_cast<double>(bytes(scene)) / static_cast<double>(bytes(earlier));
  return connect_limit() * (script_.asking.servers + 2) + much_longer * took * std::max(1.0, growth);
}

// What is under way when the time is over, or the whole work, into or out of a rank.
Seconds Play::flow_limit(const RunFlows& order) const {
  const FlowLayout one = layout(order.scene);
  const auto& asking = script_.asking;
  if (asking.requests) {
    const Seconds most = patience(order.scene).most * (asking.servers + 2) +
                         at_worst(1.0 * asking.requests * script_.degree, one.bytes);
    return order.patience > 0 ? std::min(most, order.patience) : most;
  }
  if (script_.messages)
    return connect_limit() + at_worst(2.0 * static_cast<double>(script_.messages), one.bytes);
  const double under_way = 2.0 * one.window * static_cast<double>(one.bytes) * script_.degree;
  return options_.duration + (options_.time_limit > 0 ? options_.time_limit : 10 + under_way / 10e6);
}

}  // namespace everylink
