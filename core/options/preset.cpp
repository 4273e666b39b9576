// The rule of the JUPITER Benchmark Suite for LinkTest: bisection bandwidth, both ways at once.
#include "options/preset.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace everylink {
namespace {

constexpr int least_messages = 25, least_warmups = 3;
constexpr std::size_t message_bytes = std::size_t{16} << 20;

void must(bool keeps, const char* option, const std::string& text, const std::string& rule) {
  if (!keeps) throw UsageError(fmt::format("{} {}: --preset jupiter requires {}", option, text, rule));
}

}  // namespace

void begin_with_preset(Options& o) {
  if (o.preset == Preset::none) return;
  o.mode = "mpi";
  o.messages = {least_messages};
  o.warmups = least_warmups;
  o.sizes = {message_bytes};
  o.kernel = "bidirectional";
  o.schedule = "bisection";
}

void check_preset(const Options& o) {
  if (o.preset == Preset::none) return;
  must(o.most_messages() >= least_messages, "-n/--num-messages", fmt::to_string(o.most_messages()),
       "25 or more");
  must(o.warmups >= least_warmups, "-w/--num-warmup-messages", fmt::to_string(o.warmups), "3 or more");
  must(o.sizes == std::vector{message_bytes}, "-s/--size-messages",
       fmt::format("{}", fmt::join(o.sizes, ",")), "messages of 16 MiB and no other size");
  if (o.kernel != "bidirectional")
    throw UsageError(fmt::format("--{}: --preset jupiter requires --bidirectional", o.kernel));
  must(o.schedule == "bisection", "--schedule", o.schedule_text(), "bisection");
  if (o.serial)
    throw UsageError("--serial-tests: --preset jupiter requires all pairs of a step at the same time");
  if (o.resume && !o.confirms())
    throw UsageError("--resume: the table of --preset jupiter requires one whole run");
}

}  // namespace everylink
