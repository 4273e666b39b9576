// A Place from what Slurm sets in the environment of its tasks.
#include <fmt/format.h>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "bootstrap/place.hpp"

namespace everylink {
namespace {

// The first host of a list: n08-ib of "n[08-11,15]-ib,m3".
std::string first_host(const std::string& list) {
  std::string host;
  bool skipping = false;  // the rest of a bracket
  bool inside = false;
  for (const char c : list) {
    if (c == '[')
      inside = true;
    else if (c == ']')
      inside = skipping = false;
    else if (inside && (c == ',' || c == '-'))
      skipping = true;
    else if (!inside && c == ',')
      break;
    else if (!skipping)
      host += c;
  }
  return host;
}

// A port that is neither well known nor assigned by the kernel; another run on the host has another step.
int port_of_step() {
  if (const auto reserved = variable("SLURM_STEP_RESV_PORTS"); !reserved.empty())
    return static_cast<int>(
        parse_integer(reserved.substr(0, reserved.find_first_of("-,")), "SLURM_STEP_RESV_PORTS"));
  const auto number = [](const char* name) { return static_cast<std::uint64_t>(number_in(name)); };
  constexpr std::uint64_t lowest = 20000, ports = 12000;
  return static_cast<int>(lowest + mix(number("SLURM_JOB_ID"), number("SLURM_STEP_ID")) % ports);
}

}  // namespace

bool slurm_is_here() { return launcher_hint().name == "Slurm"; }

Place place_from_slurm(const std::string& interface) {
  must_be_set(
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST"},
      "--bootstrap slurm", "srun");
  Place place{.rank = number_in("SLURM_PROCID"),
              .size = number_in("SLURM_STEP_NUM_TASKS"),
              .bootstrap = "slurm",
              .ends_together = true};
  if (place.rank >= place.size)
    throw MachineError(
        fmt::format("SLURM_PROCID={} is out of range: SLURM_STEP_NUM_TASKS={}", place.rank, place.size));
  place.own = address_of(interface);
  const bool is_given = !variable("EVERYLINK_RENDEZVOUS").empty();
  const std::string meeting =
      is_given ? variable("EVERYLINK_RENDEZVOUS")
               : fmt::format("{}:{}", first_host(variable("SLURM_STEP_NODELIST")), port_of_step());
  place.key = key_from_variables();
  must_share_a_key(place.key, "rank 0 of this step");
  if (place.rank > 0 || is_given)
    place.rendezvous = {parse_address(meeting, is_given ? "EVERYLINK_RENDEZVOUS" : "SLURM_STEP_NODELIST")};
  if (place.rank > 0) return place;
  place.listener =
      is_given ? listener_at(place.rendezvous[0]) : listener_of_rank_0(place.own, port_of_step());
  place.rendezvous = place.listener->addresses();
  return place;
}

}  // namespace everylink
