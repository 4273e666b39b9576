// The results file (docs/results-file.md): HDF5, written in batches. Every committed row survives a kill. A
// .sion file also has LinkTest's data in front.
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "record/hdf5_columns.hpp"
#include "record/hdf5_inventory.hpp"
#include "record/hdf5_layout.hpp"
#include "record/hdf5_resume.hpp"
#include "record/hdf5_table.hpp"
#include "record/recorder.hpp"
#include "record/sion_front.hpp"

namespace everylink {
using namespace hdf5;

namespace {

struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  bool is_of(const FileState& other) const { return device == other.device && inode == other.inode; }
};
FileState state_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? FileState{info.st_dev, info.st_ino, info.st_size} : FileState{};
}

class Hdf5Recorder final : public Recorder, public SceneRecorder {
 public:
  ~Hdf5Recorder() override {
    if (failed_) abandon();
    if (front_) front_->remove_if_empty(path_);
  }

  void begin(const Facts& facts) override {
    options_ = &facts.options;
    path_ = facts.options.output;
    H5dont_atexit();
    print_no_errors();
    check_space(facts);
    if (facts.options.resume) return resume(facts);
    check_output(facts.options);
    remove_parts(path_);
    make(facts);
  }

  Recalled recall(const std::function<void(const LinkRows&)>& each) override {
    return options_->resume ? read_again(file_, *options_, each) : Recalled();
  }

  // Nothing but a commit touches the file: only that may take long.
  void tuned(const std::vector<Tuning>& tunings) override { tunings_ = tunings; }

  void step(const StepRow& row) override {
    steps_->add(row.iteration, row.seed, row.began, row.overlap, row.gone);
  }

  void rows(const LinkRows& link) override {
    if (front_) front_->add(link);
    for (std::size_t i = 0; i < link.samples.size(); ++i) {
      const Sample& s = link.samples[i];
      const Statistics& t = s.one_way;
      Table& table = sizes_[i];
      table.add(s.from, s.to, s.step, static_cast<std::uint8_t>(s.attempt),
                static_cast<std::uint8_t>(s.outcome), s.arrived, s.setup, t.n, t.min, t.median, t.mean, t.p99,
                t.max, t.late);
      if (options_->all_to_all) table.add_more(s.all_to_all);
      if (!options_->keep_laps) continue;
      const std::span<const float> laps =
          i < link.laps.size() ? std::span<const float>(link.laps[i]) : std::span<const float>();
      table.add_more(std::uint64_t{laps_[i].length()}, static_cast<std::uint32_t>(laps.size()));
      laps_[i].add(laps);
    }
  }

  // A reader of version 1 would take such links for broken.
  void local_fault(int rank, const std::string& cause) override {
    has_local_faults_ = true;
    if (!local_faults_) return;  // resumed: an older file
    local_faults_->add(static_cast<std::uint32_t>(rank), cause);
  }

  // A file without a place for readings is an older one that is resumed.
  void reading(const ReadingRow& row) override {
    if (inventory_) inventory_->add(row);
  }
  void carried(std::uint32_t reading, int rank, const Carried& carried) override {
    if (inventory_) inventory_->add(reading, rank, carried);
  }
  void retransmits(int rank, const Retransmits& retransmits) override {
    if (inventory_) inventory_->add(rank, retransmits);
  }

  SceneRecorder* scenes() override { return this; }

  void scene(const SceneRow& row, const std::vector<FlowRow>& flows) override {
    const auto number = static_cast<std::uint32_t>(scene_rows_->length());
    scene_rows_->add(std::uint64_t{row.bytes}, static_cast<std::uint32_t>(row.point), row.variant, row.began,
                     row.gone);
    for (const auto& f : flows) {
      const Statistics &t = f.times, &service = f.service;
      flow_rows_->add(number, static_cast<std::uint32_t>(f.flow.from), static_cast<std::uint32_t>(f.flow.to),
                      static_cast<std::uint8_t>(f.flow.kind), static_cast<std::uint8_t>(f.outcome), f.seconds,
                      f.messages, f.sent_seconds, f.sent_messages, t.n, t.min, t.median, t.mean, t.p99, t.max,
                      service.mean, service.median, service.p99);
    }
  }

  // Only a flush reports a full disk. A removed file causes no error at all, so this checks that it exists.
  Kept commit() override {
    check_place();
    guarded([&] {
      write_settings();
      for (auto& table : sizes_) table.write();
      for (auto& laps : laps_) laps.write();
      steps_->write();
      if (local_faults_) local_faults_->write();
      if (inventory_) inventory_->write();
      if (flow_rows_) flow_rows_->write(), scene_rows_->write();
      flush();
      if (flow_rows_) set(pattern_, "rows", std::uint64_t{flow_rows_->length()});
      if (flow_rows_) set(pattern_, "scenes", std::uint64_t{scene_rows_->length()});
      if (!sizes_.empty()) set(file_, "rows", std::uint64_t{sizes_.front().length()});
      set(file_, "steps", std::uint64_t{steps_->length()});
      flush();
      if (front_) front_->complete(path_, {});
    });
    state_ = state_of(path_);
    return Kept::in_file;
  }

  // The file stays in single-writer-multiple-reader mode to the end: a kill during exclusive writing would
  // leave a file that cannot be opened.
  Kept end(const Ending& ending) override {
    commit();
    guarded([&] {
      set(file_, "interrupted", std::int32_t{ending.interrupted});
      set_text(file_, "ended", utc_now());
      set(file_, "failed_not_retried", static_cast<std::uint64_t>(ending.not_tried_again));
      for (const auto& remark : ending.remarks) remarks_->add(remark);
      remarks_->write();
      set_late_facts(file_, ending.carriers);
      flush();
      if (front_) front_->complete(path_, ending.retests);
      set(file_, "complete", std::int32_t{!ending.interrupted});
      flush();
      close();
    });
    return Kept::in_file;
  }

 private:
  // On this thread. Ours are one line.
  static void print_no_errors() { check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2"); }

  // Whatever happens, a file that is not whole is removed.
  void make(const Facts& facts) {
    const std::string unfinished = path_ + ".new";
    bool is_renamed = false;
    const auto remove = [&] { ::unlink((is_renamed ? path_ : unfinished).c_str()); };
    errno = 0;
    try {
      make_skeleton(unfinished, facts, access_list()).close();
      if (facts.options.is_sion()) make_front(unfinished, facts);
      open(unfinished);
      check(std::rename(unfinished.c_str(), path_.c_str()), "rename");
      is_renamed = true;
      open_tables();
    } catch (const MachineError& error) {
      const int reason = errno;
      remove();
      const auto what = fmt::format("--output {}: cannot be written", path_);
      if (reason == 0) throw MachineError(fmt::format("{}: {}", what, error.what()));
      throw_of_output(what, reason);
    } catch (const std::bad_alloc&) {
      remove();
      throw;
    }
  }

  void make_front(const std::string& unfinished, const Facts& facts) {
    sion::Front front(facts);
    if ((errno = front.make(unfinished, facts.ranks)) != 0) throw_failed("the front of a .sion file");
    front_.emplace(std::move(front));
  }

  void resume(const Facts& facts) {
    try {
      check_same(Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access_list()), H5Fclose),
                 facts);
      make_writable_again(path_);
      open(path_);
      open_tables();
    } catch (const MachineError& error) {
      throw UsageError(fmt::format("{}: {}", facts.options.continued_option(), error.what()));
    }
  }

  void open(const std::string& path) {
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access_list()), H5Fclose);
    state_ = state_of(path);
  }

  void open_tables() {
    const auto rows = number<std::uint64_t>(file_, "rows"), steps = number<std::uint64_t>(file_, "steps");
    const auto go_on = [this](std::optional<Table>& table, const std::string& name, const std::string& path,
                              const std::vector<ColumnKind>& kinds) {
      table.emplace(file_, path, kinds, Table::whole_rows(file_, path, kinds, name), name);
    };
    go_on(remarks_, "remarks", "/", {remark_column(H5T_C_S1)});
    if (is_in(file_, "local_faults"))  // not in an older file that is resumed
      go_on(local_faults_, "local_faults", "local_faults", local_fault_columns(H5T_C_S1));
    if (Inventory::is_in(file_)) inventory_.emplace(file_);
    steps_ = std::make_unique<Table>(file_, "steps", step_columns(), steps);
    if (!options_->pattern.empty()) open_pattern();
    for (const auto bytes : options_->pair_sizes()) {
      const auto path = fmt::format("sizes/{}", bytes);
      groups_.emplace_back(H5Gopen2(file_, path.c_str(), H5P_DEFAULT), H5Gclose);
      sizes_.emplace_back(file_, path, size_columns(*options_), rows);
      if (!options_->keep_laps) continue;
      laps_.emplace_back(file_, path, std::vector{laps_column()}, length_of(groups_.back(), "laps"),
                         laps_checksums(bytes));
    }
  }

  void open_pattern() {
    const auto path = "patterns/" + options_->pattern;
    pattern_ = Handle(H5Gopen2(file_, path.c_str(), H5P_DEFAULT), H5Gclose);
    scene_rows_ = std::make_unique<Table>(file_, path + "/scenes", scene_columns(), 0);
    flow_rows_ = std::make_unique<Table>(file_, path + "/flows", flow_columns(), 0);
  }

  // HDF5 would wait for what is missing in a truncated file, for a very long time.
  void check_place() {
    const FileState now = state_of(path_);
    failed_ = true;
    if (!now.is_of(state_)) throw MachineError(path_ + ": the file was removed or replaced during the run");
    if (now.bytes < state_.bytes) throw MachineError(path_ + ": the file was truncated during the run");
    failed_ = false;
  }

  void write_settings() {
    for (std::size_t i = 0; i < tunings_.size(); ++i) {
      set(groups_[i], "rounds_per_lap", tunings_[i].rounds_per_reading);
      set(groups_[i], "lead_in", tunings_[i].lead_in);
    }
    tunings_.clear();
    if (has_local_faults_) set(file_, "format_version", std::int32_t{version_with_local_faults});
  }

  void flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL), "H5Fflush"); }

  void close() {
    steps_.reset();
    remarks_.reset();
    local_faults_.reset();
    inventory_.reset();
    sizes_.clear();
    laps_.clear();
    groups_.clear();
    scene_rows_.reset();
    flow_rows_.reset();
    pattern_ = Handle();
    file_.close();
  }

  // Writes nothing more after a failure: the file stays as the last commit left it.
  template <class Work>
  void guarded(Work work) {
    const auto fail = [this](const std::string& what) {
      failed_ = true;
      throw MachineError(fmt::format("{}: {}; everything written before remains readable", path_, what));
    };
    errno = 0;
    try {
      print_no_errors();
      work();
    } catch (const MachineError& error) {
      fail(error.what() + (errno ? fmt::format(" ({})", std::strerror(errno)) : ""));
    } catch (const std::bad_alloc&) {
      fail(local_cause(ENOMEM));
    }
  }

  void abandon() {
    if (steps_) steps_->abandon();
    if (remarks_) remarks_->abandon();
    if (local_faults_) local_faults_->abandon();
    if (inventory_) inventory_->abandon();
    if (scene_rows_) scene_rows_->abandon();
    if (flow_rows_) flow_rows_->abandon();
    pattern_.abandon();
    for (auto& table : sizes_) table.abandon();
    for (auto& laps : laps_) laps.abandon();
    for (auto& group : groups_) group.abandon();
    file_.abandon();
  }

  const Options* options_ = nullptr;
  std::string path_;
  FileState state_;  // after the last commit
  std::vector<Tuning> tunings_;
  bool has_local_faults_ = false;
  Handle file_;
  std::vector<Handle> groups_;
  std::unique_ptr<Table> steps_;
  Handle pattern_;
  std::unique_ptr<Table> scene_rows_, flow_rows_;  // of a load pattern
  std::optional<Table> remarks_, local_faults_;
  std::optional<Inventory> inventory_;
  std::optional<sion::Front> front_;
  std::vector<Table> sizes_, laps_;
  bool failed_ = false;
};

}  // namespace

extern "C" const ResultsFileEntry results_file{
    results_file_abi, []() -> std::unique_ptr<Recorder> { return std::make_unique<Hdf5Recorder>(); },
    hdf5::look_before};

}  // namespace everylink
