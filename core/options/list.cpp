// --list.
#include "options/list.hpp"

#include <fmt/format.h>

#include "bootstrap/launcher.hpp"
#include "host/mpi_library.hpp"
#include "kernel/kernel.hpp"
#include "load/pattern.hpp"
#include "memory/memory.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

std::string line(std::string_view name, std::string_view summary, std::string_view why_unusable) {
  return fmt::format(
      "  {:<18} {}{}\n", name, summary,
      why_unusable.empty() ? "; can run here" : fmt::format("; cannot run here: {}", why_unusable));
}

}  // namespace

std::string list_text() {
  std::string text = "Modes (--mode)\n";
  for (const auto& state : transport_states()) text += line(state.name, state.summary, state.why_unusable);
  text += "Ways to start the ranks (--bootstrap)\n";
  text += line("local", "--np N, on this machine", "");
  text += line("stdin", "everylink run --hosts, over ssh or on this machine", "");
  text += line("tcp", "EVERYLINK_RANK, EVERYLINK_SIZE and EVERYLINK_RENDEZVOUS", "");
  text += line("slurm", "srun with neither PMIx nor PMI, and a key", "");
  for (const auto& state : launcher_states()) text += line(state.name, state.summary, state.why_unusable);
  text += "MPI libraries (--mode mpi, --bootstrap mpi)\n";
  for (const auto& state : mpi_abi_states()) text += fmt::format("  {:<18} {}\n", state.name, state.text);
  text += "Memories (--memory)\n";
  for (const auto& entry : memories()) text += line(entry.name, entry.summary, entry.why_unusable());
  text += "Kernels\n";
  for (const auto& kernel : kernels()) text += line(fmt::format("--{}", kernel.name), kernel.summary, "");
  text += "Schedules (--schedule)\n";
  for (const auto& entry : schedules()) text += line(text_of(entry), entry.summary, "");
  text += "Load patterns (everylink-measure PATTERN)\n";
  for (const auto* pattern : patterns()) text += line(pattern->name, pattern->summary, "");
  return text;
}

}  // namespace everylink
