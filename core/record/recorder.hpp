// Where results go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/rank_facts.hpp"
#include "base/rows.hpp"
#include "base/run_id.hpp"

namespace everylink {

// Everything that is known before the first message.
struct Facts {
  const Options& options;
  RunId run = {};
  std::string bootstrap = {};
  std::uint64_t seed = 0;
  bool pinned = false;
  std::string created = {};  // ISO 8601
  std::vector<RankFacts> ranks = {};
  std::vector<int> host_of = {};           // by rank
  std::int64_t links = 0;                  // in one pass through the schedule
  std::int64_t flows = 0;                  // of a load pattern, in all its scenes
  std::string one_sided = {};              // what carries puts and gets; "": the kernel has neither
  int servers = 0;                         // of a load pattern: ranks 0 to servers - 1
  std::string point = {};                  // of a load pattern: what its points are
  std::vector<std::string> variants = {};  // of a load pattern, by name
};

// What a resumed run started with.
struct Before {
  RunId run;
  std::uint64_t seed;
};
// Throws UsageError: there is no such file, or its run is complete and `must_be_incomplete`.
Before look_before(const std::string& path, bool must_be_incomplete);
struct Recalled {
  std::uint32_t steps = 0, main_steps = 0;  // rows of /steps; complete steps of the main run
  std::vector<Tuning> tunings;              // one value per size; rounds_per_reading 0: not chosen yet
};

// How a run ended.
struct Ending {
  bool interrupted = false;               // by a signal: the file stays incomplete
  std::int64_t not_tried_again = 0;       // failed links that were not retried
  std::vector<std::string> remarks = {};  // what the numbers do not show, in sentences
  std::vector<std::string> lanes = {};    // by rank, as known at the end
  std::vector<Retest> retests = {};       // slowest first
};

// What a recorder of load patterns takes besides.
class SceneRecorder {
 public:
  virtual ~SceneRecorder() = default;
  virtual void scene(const SceneRow&, const std::vector<FlowRow>&) = 0;
};

// Throws MachineError, naming path and reason, when it could not keep what it was given.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // UsageError: the output exists, cannot be written, or belongs to another run than --resume would continue.
  virtual void begin(const Facts&) = 0;
  // Every committed link of the resumed run, in the order in which they were recorded; none of a new run.
  virtual Recalled recall(const std::function<void(const LinkRows&)>& each) = 0;
  virtual void tuned(const std::vector<Tuning>&) = 0;  // one value per size
  virtual void step(const StepRow&) = 0;
  virtual void rows(const LinkRows&) = 0;
  virtual SceneRecorder* scenes() = 0;  // null: the format cannot hold a load pattern (check_format)
  virtual void commit() = 0;            // what was given so far survives a kill
  virtual void end(const Ending&) = 0;
};

std::unique_ptr<Recorder> make_hdf5_recorder();
std::unique_ptr<Recorder> make_sion_recorder();
std::unique_ptr<Recorder> make_no_recorder();

// Throws UsageError when the output file exists and --force is not given, or its folder is missing or
// read-only.
void check_output(const Options&);
void remove_parts(const std::string& path);  // unsaved rows of an older file of this name
// Throws UsageError when the file's format cannot hold what the options ask for.
void check_format(const Options&);
// Throws UsageError when the disk has less free space than the results need.
void check_space(const Facts&);
double estimated_bytes(const Facts&);  // of the results

}  // namespace everylink
