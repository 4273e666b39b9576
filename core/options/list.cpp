// --list.
#include "options/list.hpp"

#include <fmt/format.h>

#include "bootstrap/launcher.hpp"
#include "kernel/kernel.hpp"
#include "load/pattern.hpp"
#include "memory/memory.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

void line(std::string_view name, std::string_view summary, std::string_view why_unusable) {
  fmt::print("  {:<18} {}{}\n", name, summary,
             why_unusable.empty() ? "; can run here" : fmt::format("; cannot run here: {}", why_unusable));
}

}  // namespace

void print_list() {
  fmt::print("Modes (--mode)\n");
  for (const auto& state : transport_states()) line(state.name, state.summary, state.why_unusable);
  fmt::print("Ways to start the ranks (--bootstrap)\n");
  line("local", "--np N, on this machine", "");
  line("stdin", "everylink run --hosts, over ssh or on this machine", "");
  line("tcp", "EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS", "");
  line("slurm", "srun with neither PMIx nor PMI, and a key", "");
  for (const auto& state : launcher_states()) line(state.name, state.summary, state.why_unusable);
  fmt::print("Memories (--memory)\n");
  for (const auto& entry : memories()) line(entry.name, entry.summary, entry.why_unusable());
  fmt::print("Kernels\n");
  for (const auto& kernel : kernels()) line(fmt::format("--{}", kernel.name), kernel.summary, "");
  fmt::print("Schedules (--schedule)\n");
  for (const auto& entry : schedules()) line(text_of(entry), entry.summary, "");
  fmt::print("Load patterns (everylink-measure PATTERN)\n");
  for (const auto* pattern : patterns()) line(pattern->name, pattern->summary, "");
}

}  // namespace everylink
