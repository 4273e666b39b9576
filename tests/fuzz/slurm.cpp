// What Slurm sets in the environment of its tasks: the value of a variable per line.
#include <cstdlib>

#include "base/units.hpp"
#include "bootstrap/place.hpp"
#include "fuzz.hpp"
#include "offline.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(slurm) {
  const fuzz::Offline offline;
  fuzz::Pieces in(bytes);
  const std::string tasks = std::to_string(in.byte());
  const fuzz::Variables variables(
      {"SLURM_PROCID", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE",
       "SLURM_STEP_RESV_PORTS", "SLURM_DISTRIBUTION", "EVERYLINK_RENDEZVOUS"},
      split(fuzz::text_of(in.rest()), '\n'));
  const fuzz::Variables ours({"SLURM_STEP_NUM_TASKS", "EVERYLINK_KEY"}, {tasks, "key"});
  if (slurm_is_here()) place_from_slurm("");
}
