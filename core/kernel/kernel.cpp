// The table of kernels, the wrapper that verifies contents, and values derived from the options.
#include "kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/errors.hpp"
#include "base/random.hpp"

namespace everylink {

extern const Kernel semidirectional, bidirectional, unidirectional, put, get;

std::span<const Kernel> kernels() {
  static const Kernel all[] = {semidirectional, bidirectional, unidirectional, put, get};
  return all;
}

const Kernel& kernel_named(std::string_view name) {
  for (const auto& kernel : kernels())
    if (kernel.name == name) return kernel;
  throw UsageError(fmt::format("unknown kernel '{}'", name));
}

namespace {

// Whether this end sends messages, and whether it receives some.
struct Part {
  bool sends, receives;
  static Part of(const Kernel& kernel, bool leads) {
    const bool gives = leads != kernel.fetches;
    return {gives || kernel.replies, !gives || kernel.replies};
  }
};

}  // namespace

Outcome run_checked(const Kernel& kernel, Link& link, const Sides& sides, const Transport& clock, bool leads,
                    const Turn& whole, Laps& laps, Checking& checking) {
  const int all = whole.warmups + whole.messages;
  const auto [sends, receives] = Part::of(kernel, leads);
  int first = 0;
  for (int done = 0; done < all;) {
    const int limit = done < whole.warmups ? whole.warmups : all;
    Turn lap = whole;
    lap.first = first;
    lap.warmups = 0;
    lap.messages = std::min(whole.window, limit - done);
    lap.rounds_per_reading = 1;
    const int slots = kernel.messages_per_lap(lap);
    const auto seed = [&](std::uint64_t key, int slot) {
      return mix(mix(key, static_cast<std::uint64_t>(done)), static_cast<std::uint64_t>(slot));
    };
    for (int slot = 0; sends && slot < slots; ++slot)
      checking.out.fill(lap.slice(slot), seed(checking.out_key, slot));
    Laps one;
    const Outcome outcome = kernel.run(link, sides, clock, leads, lap, one);
    laps.arrived = one.arrived < 0 ? one.arrived : laps.arrived + one.arrived;
    if (outcome != Outcome::ok) return outcome;
    for (int slot = 0; receives && slot < slots; ++slot)
      if (!checking.in.holds(lap.slice(slot), seed(checking.in_key, slot))) ++checking.wrong;
    if (done >= whole.warmups)
      laps.one_way.insert(laps.one_way.end(), one.one_way.begin(), one.one_way.end());
    done += lap.messages;
    first += slots;
  }
  return Outcome::ok;
}

Outcome run_with_verified_ends(const Kernel& kernel, Link& link, const Sides& sides, const Transport& clock,
                               bool leads, const Turn& turn, Laps& laps, Checking& checking) {
  const auto [sends, receives] = Part::of(kernel, leads);
  const int all = turn.warmups + turn.messages;
  const int ends[] = {0, std::max(all - 1, 0) % turn.buffers};
  const auto seed = [](std::uint64_t key, int slot) { return mix(key, static_cast<std::uint64_t>(slot)); };
  const std::size_t count = ends[0] == ends[1] ? 1 : 2;
  for (const int slot : std::span(ends, count))
    if (sends) checking.out.fill(turn.slice(slot), seed(checking.out_key, slot));
  const Outcome outcome = kernel.run(link, sides, clock, leads, turn, laps);
  for (const int slot : std::span(ends, count))
    if (receives && all > 0 && outcome == Outcome::ok &&
        !checking.in.holds(turn.slice(slot), seed(checking.in_key, slot)))
      ++checking.wrong;
  return outcome;
}

int window_used(const Options& o) {
  if (!kernel_named(o.kernel).windowed) return 1;
  return o.window.value_or(std::min(o.most_messages(), o.program == Program::linktest ? largest_window : 64));
}

int buffers_used(const Options& o) {
  if (!o.check) return o.buffers;
  Turn turn{};
  turn.messages = turn.window = window_used(o);
  return std::max(o.buffers, kernel_named(o.kernel).messages_per_lap(turn));
}

std::size_t memory_bytes(const Options& o) { return o.stride() * static_cast<std::size_t>(buffers_used(o)); }

}  // namespace everylink
