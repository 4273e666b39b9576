// Where results go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/rank_facts.hpp"
#include "base/rows.hpp"
#include "base/sample.hpp"

namespace everylink {

// Everything that is known before the first message.
struct Facts {
  const Options& options;
  RunId run;
  std::string bootstrap;
  std::uint64_t seed;
  bool pinned;
  std::string created;  // ISO 8601
  std::vector<RankFacts> ranks;
  std::vector<int> host_of;
  std::int64_t links = 0;                  // a pass through the schedule
  std::int64_t flows = 0;                  // of a pattern, all its scenes
  std::string one_sided = {};              // what puts and gets; "": the kernel does neither
  int servers = 0;                         // of a pattern: ranks 0 to servers - 1
  std::string point = {};                  // of a pattern: what its points are
  std::vector<std::string> variants = {};  // of a pattern
};

// What a run that is taken up again (--resume) had.
struct Before {
  RunId run;
  std::uint64_t seed;
};
// Throws UsageError: there is none such, or one that is complete while `to_go_on`.
Before look_before(const std::string& path, bool to_go_on);
struct Recalled {
  std::uint32_t steps = 0, main_steps = 0;  // rows of /steps; those of the main run that are whole
  std::vector<Tuning> tunings;              // a value a size; rounds_per_reading 0: was not chosen yet
};

// How a run ended.
struct Ending {
  bool interrupted = false;               // by a signal: the file stays incomplete
  std::int64_t not_tried_again = 0;       // failed links
  std::vector<std::string> remarks = {};  // sentences on what numbers do not say
  std::vector<std::string> lanes = {};    // of each rank, as they are known now
  std::vector<Retest> retests = {};       // slowest first
};

// Of a format that can hold load patterns.
class SceneRecorder {
 public:
  virtual ~SceneRecorder() = default;
  virtual void scene(const SceneRow&, const std::vector<FlowRow>&) = 0;
};

// Throws MachineError, naming path and reason, when what it was given could not be kept.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // UsageError: the output exists or cannot be written, or is of another run than --resume would go on with.
  virtual void begin(const Facts&) = 0;
  // Every committed link of the run that goes on, in the order of their coming; none of a new one.
  virtual Recalled recall(const std::function<void(const LinkRows&)>& each) = 0;
  virtual void tuned(const std::vector<Tuning>&) = 0;  // a value a size
  virtual void step(const StepRow&) = 0;
  virtual void rows(const LinkRows&) = 0;
  // Null: the format has no place for load patterns, and check_format() refuses them.
  virtual SceneRecorder* scenes() = 0;
  virtual void commit() = 0;  // what was given so far survives a kill
  virtual void end(const Ending&) = 0;
};

std::unique_ptr<Recorder> make_hdf5_recorder();
std::unique_ptr<Recorder> make_sion_recorder();
std::unique_ptr<Recorder> make_no_recorder();

// Throws UsageError when a file stands at the output path without --force, or its folder is missing or
// read-only.
void check_output(const Options&);
void remove_parts(const std::string& path);
// Throws UsageError when the file's format cannot hold what the options ask for.
void check_format(const Options&);
// Throws UsageError when the disk has less room than the results will take.
void check_space(const Facts&);
double estimated_bytes(const Facts&);  // of the results

}  // namespace everylink
