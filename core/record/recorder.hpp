// The interface for recording results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/host_reading.hpp"
#include "base/options.hpp"
#include "base/rank_facts.hpp"
#include "base/rows.hpp"
#include "base/run_id.hpp"
#include "base/seconds.hpp"

namespace everylink {

// All facts about a run that are known before the first message.
struct Facts {
  const Options& options;
  RunId run = {};
  std::string bootstrap = {};
  std::uint64_t seed = 0;
  bool pinned = false;
  std::string created = {};  // ISO 8601
  std::vector<RankFacts> ranks = {};
  std::vector<int> host_of = {};           // by rank
  std::vector<char> crowded = {};          // by rank: its machine has more ranks than cores
  std::int64_t links = 0;                  // in one pass through the schedule
  std::int64_t flows = 0;                  // of a load pattern, in all its scenes
  std::string one_sided = {};              // performs puts and gets; "": the kernel has neither
  int servers = 0;                         // of a load pattern: ranks 0 to servers - 1
  std::string point = {};                  // of a load pattern: the quantity that its points vary
  std::vector<std::string> variants = {};  // of a load pattern, by name
  bool reads_hosts = false;                // facts and counters of the hosts will follow
};

// Read from the file before a run resumes.
struct Before {
  RunId run;
  std::uint64_t seed;
};
// Throws UsageError if there is no such file, or if its run is complete, unless the options confirm it, and
// MachineError if the module hdf5.so cannot be loaded.
Before look_before(const Options&);
struct Recalled {
  std::uint32_t steps = 0, main_steps = 0;  // rows of /steps; complete steps of the main run
  std::vector<Tuning> tunings;              // one value per size; rounds_per_reading 0: not chosen yet
};

// How a run ended.
struct Ending {
  bool interrupted = false;               // by a signal: the file stays incomplete
  std::int64_t not_tried_again = 0;       // failed links that were not retried
  std::vector<std::string> remarks = {};  // sentences about facts that the numbers do not show
  std::vector<Carrier> carriers = {};     // by rank, as known at the end
  std::vector<Retest> retests = {};       // slowest first
};

// What rank `rank` read of its host, and when.
struct ReadingRow {
  std::uint32_t host = 0, rank = 0;
  Seconds began = 0;  // since measuring began
  HostReading reading = {};
};

// Where what was recorded is.
enum class Kept { in_file, beside, nowhere };

// The further method of a recorder of load patterns.
class SceneRecorder {
 public:
  virtual ~SceneRecorder() = default;
  virtual void scene(const SceneRow&, const std::vector<FlowRow>&) = 0;
};

// Throws MachineError, which names path and reason, when it cannot store something.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Throws UsageError if the output exists, cannot be written, or is not of the run that --resume continues.
  virtual void begin(const Facts&) = 0;
  // Calls `each` for every committed link of the resumed run, in the order of recording; never for a new run.
  virtual Recalled recall(const std::function<void(const LinkRows&)>& each) = 0;
  virtual void tuned(const std::vector<Tuning>&) = 0;  // one value per size
  virtual void step(const StepRow&) = 0;
  virtual void rows(const LinkRows&) = 0;
  virtual void local_fault(int rank, const std::string& cause) = 0;  // what the rank's host lacks, told once
  virtual void reading(const ReadingRow&) = 0;
  virtual void carried(std::uint32_t reading, int rank, const Carried&) = 0;  // until this reading
  virtual void retransmits(int rank, const Retransmits&) = 0;
  virtual SceneRecorder* scenes() = 0;  // null: the format cannot hold a load pattern (check_format)
  virtual Kept commit() = 0;            // in the file, everything recorded so far survives a kill
  virtual Kept end(const Ending&) = 0;
};

// The one symbol, `results_file`, of the module hdf5.so. Only rank 0 needs HDF5, whose libraries take longer
// to load than all others together.
struct ResultsFileEntry {
  int abi;
  std::unique_ptr<Recorder> (*make_recorder)();
  Before (*look_before)(const Options&);
};
inline constexpr int results_file_abi = 1;
extern "C" const ResultsFileEntry results_file;
// Throws MachineError if the module cannot be loaded.
std::unique_ptr<Recorder> make_hdf5_recorder();

// --no-output: keeps nothing.
class NoRecorder : public Recorder, public SceneRecorder {
 public:
  void begin(const Facts&) override {}
  Recalled recall(const std::function<void(const LinkRows&)>&) override { return {}; }
  void tuned(const std::vector<Tuning>&) override {}
  void step(const StepRow&) override {}
  void rows(const LinkRows&) override {}
  void local_fault(int, const std::string&) override {}
  void reading(const ReadingRow&) override {}
  void carried(std::uint32_t, int, const Carried&) override {}
  void retransmits(int, const Retransmits&) override {}
  SceneRecorder* scenes() override { return this; }
  void scene(const SceneRow&, const std::vector<FlowRow>&) override {}
  Kept commit() override { return Kept::in_file; }
  Kept end(const Ending&) override { return Kept::in_file; }
};

// Throws UsageError if the output file exists and --force is not given, or if its folder is missing or
// read-only.
void check_output(const Options&);
void remove_parts(const std::string& path);  // the unsaved rows of an older file of this name
// Throws UsageError if the file's name promises another format, or if its format does not support the
// options.
void check_format(const Options&);
// Throws UsageError if the disk has less free space than the results need.
void check_space(const Facts&);
double estimated_bytes(const Facts&);  // of the results

}  // namespace everylink
