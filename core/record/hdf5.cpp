// The results file (docs/results-file.md): HDF5, rows in batches, every committed row survives a kill.
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "errors.hpp"
#include "kernel/kernel.hpp"
#include "record/recorder.hpp"
#include "units.hpp"
#include "version.hpp"

namespace everylink {
namespace {

// History: 1 first version.
constexpr int format_version = 1;

template <class Id>
Id check(Id result, const char* call) {
  if (result < 0) throw MachineError(fmt::format("{} failed", call));
  return result;
}

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(check(id, "an HDF5 call")), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void abandon() { id_ = -1; }  // after a failed flush nothing more may reach the file

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return H5T_NATIVE_UINT8;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return H5T_NATIVE_UINT32;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return H5T_NATIVE_INT32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return H5T_NATIVE_UINT64;
}

Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

void put_attribute(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value), "H5Awrite");
}
template <class T>
void put(hid_t object, const char* name, T value) {
  put_attribute(object, name, type_of<T>(), &value);
}
void put(hid_t object, const char* name, const std::string& text) {
  put_attribute(object, name, string_type(text.size()), text.c_str());
}
template <class T>
void set(hid_t object, const char* name, T value) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type_of<T>(), &value), "H5Awrite");
}

Handle without_times(hid_t class_of) {
  Handle list(H5Pcreate(class_of), H5Pclose);
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
  return list;
}

Handle make_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, without_times(H5P_GROUP_CREATE), H5P_DEFAULT),
          H5Gclose};
}

// A column that grows: empty in the skeleton, then written batch by batch.
class Column {
 public:
  static void make(hid_t group, const std::string& name, hid_t type, hsize_t chunk) {
    const hsize_t none = 0, any = H5S_UNLIMITED;
    const Handle space(H5Screate_simple(1, &none, &any), H5Sclose), list = without_times(H5P_DATASET_CREATE);
    check(H5Pset_chunk(list, 1, &chunk), "H5Pset_chunk");
    Handle(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  }
  Column(hid_t group, const std::string& name)
      : set_(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose),
        type_(H5Dget_type(set_), H5Tclose),
        width_(H5Tget_size(type_)) {}

  template <class T>
  void add(T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  }
  void add(std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  }
  hsize_t length() const { return written_ + waiting_.size() / width_; }
  void write() {
    const hsize_t count = waiting_.size() / width_, end = written_ + count;
    if (count == 0) return;
    check(H5Dset_extent(set_, &end), "H5Dset_extent");
    const Handle file(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &written_, nullptr, &count, nullptr),
          "H5Sselect_hyperslab");
    check(H5Dwrite(set_, type_, memory, file, H5P_DEFAULT, waiting_.data()), "H5Dwrite");
    written_ = end;
    waiting_.clear();
  }
  void abandon() { set_.abandon(), type_.abandon(); }

 private:
  Handle set_, type_;
  std::size_t width_;
  Blob waiting_;
  hsize_t written_ = 0;
};

// One place that says which columns a table has, for making, opening and filling it.
struct ColumnKind {
  const char* name;
  hid_t type;
};

std::vector<ColumnKind> step_columns() {
  return {{"iteration", H5T_NATIVE_UINT32},
          {"seed", H5T_NATIVE_UINT64},
          {"began", H5T_NATIVE_DOUBLE},
          {"overlap", H5T_NATIVE_FLOAT},
          {"gone", H5T_NATIVE_UINT32}};
}

std::vector<ColumnKind> size_columns(const Options& options) {
  std::vector<ColumnKind> columns{
      {"from", H5T_NATIVE_UINT32},   {"to", H5T_NATIVE_UINT32},     {"step", H5T_NATIVE_UINT32},
      {"attempt", H5T_NATIVE_UINT8}, {"outcome", H5T_NATIVE_UINT8}, {"arrived", H5T_NATIVE_INT32},
      {"setup", H5T_NATIVE_FLOAT},   {"n", H5T_NATIVE_UINT32},      {"min", H5T_NATIVE_FLOAT},
      {"median", H5T_NATIVE_FLOAT},  {"mean", H5T_NATIVE_FLOAT},    {"p99", H5T_NATIVE_FLOAT},
      {"max", H5T_NATIVE_FLOAT},     {"late", H5T_NATIVE_UINT32}};
  if (options.all_to_all) columns.push_back({"alltoall", H5T_NATIVE_FLOAT});
  if (options.keep_laps)
    columns.insert(columns.end(), {{"first", H5T_NATIVE_UINT64}, {"count", H5T_NATIVE_UINT32}});
  return columns;
}

class Table {
 public:
  static void make(hid_t group, const std::vector<ColumnKind>& kinds, hsize_t chunk) {
    for (const auto& kind : kinds) Column::make(group, kind.name, kind.type, chunk);
  }
  Table(hid_t group, const std::vector<ColumnKind>& kinds) {
    for (const auto& kind : kinds) columns_.emplace_back(group, kind.name);
  }
  // A value for each column, in their order; false values are left out.
  template <class... Values>
  void add(Values... values) {
    std::size_t i = 0;
    (columns_[i++].add(values), ...);
    filled_ = i;
  }
  template <class... Values>
  void add_more(Values... values) {
    (columns_[filled_++].add(values), ...);
  }
  hsize_t length() const { return columns_.front().length(); }
  void write() {
    for (auto& column : columns_) column.write();
  }
  void abandon() {
    for (auto& column : columns_) column.abandon();
  }

 private:
  std::vector<Column> columns_;
  std::size_t filled_ = 0;
};

template <class Get>
void put_strings(hid_t group, const char* name, const std::vector<RankFacts>& ranks, Get get) {
  std::size_t longest = 1;
  for (const auto& rank : ranks) longest = std::max(longest, get(rank).size());
  std::string all;
  for (const auto& rank : ranks) {
    std::string text = get(rank);
    text.resize(longest);
    all += text;
  }
  const hsize_t n = ranks.size();
  const Handle type = string_type(longest), space(H5Screate_simple(1, &n, nullptr), H5Sclose),
               list = without_times(H5P_DATASET_CREATE);
  const Handle set(H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "H5Dwrite");
}

template <class T>
void put_numbers(hid_t group, const char* name, const std::vector<T>& values) {
  const hsize_t n = values.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose), list = without_times(H5P_DATASET_CREATE);
  const Handle set(H5Dcreate2(group, name, type_of<T>(), space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "H5Dwrite");
}

void put_ranks(hid_t root, const Facts& facts) {
  const Handle group = make_group(root, "ranks");
  std::vector<std::uint32_t> host_index, local_rank, ranks_on;
  std::vector<std::int32_t> numa;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) {
    const auto host = static_cast<std::uint32_t>(facts.host_of[rank]);
    if (host >= ranks_on.size()) ranks_on.resize(host + 1);
    host_index.push_back(host);
    local_rank.push_back(ranks_on[host]++);
    numa.push_back(facts.ranks[rank].numa);
  }
  put_numbers(group, "host_index", host_index);
  put_numbers(group, "local_rank", local_rank);
  put_numbers(group, "numa", numa);
  put_strings(group, "host", facts.ranks, [](const RankFacts& r) { return r.host; });
  put_strings(group, "cores", facts.ranks, [](const RankFacts& r) { return r.cores; });
  put_strings(group, "device", facts.ranks, [](const RankFacts& r) { return r.carrier.device; });
  put_strings(group, "address", facts.ranks, [](const RankFacts& r) { return r.carrier.address; });
  put_strings(group, "lanes", facts.ranks, [](const RankFacts& r) { return r.carrier.lanes; });
  put_strings(group, "libraries", facts.ranks, [](const RankFacts& r) { return r.carrier.libraries; });
}

void put_settings(hid_t root, const Facts& facts) {
  const Options& o = facts.options;
  put(root, "format", std::string("everylink"));
  put(root, "format_version", std::int32_t{format_version});
  put(root, "created", facts.created);
  put(root, "tool_version", std::string(version));
  put(root, "command", o.command);
  put(root, "transport", o.mode);
  put(root, "transport_options", o.mode_options);
  put(root, "bootstrap", facts.bootstrap);
  put(root, "memory", o.memory);
  put(root, "kernel", o.kernel);
  put(root, "schedule", o.schedule + (o.schedule_option.empty() ? "" : ":" + o.schedule_option));
  put(root, "serial", std::int32_t{o.serial});
  put(root, "seed", facts.seed);
  put(root, "ranks", static_cast<std::int32_t>(facts.ranks.size()));
  put(root, "hosts", std::int32_t{*std::max_element(facts.host_of.begin(), facts.host_of.end()) + 1});
  put(root, "messages", std::int32_t{o.messages});
  put(root, "warmups", std::int32_t{o.warmups});
  put(root, "window", std::int32_t{kernel_named(o.kernel).windowed ? o.window_used() : 0});
  put(root, "buffers", std::int32_t{o.buffers});
  put(root, "check", std::int32_t{o.check});
  put(root, "randomize", std::int32_t{o.randomize});
  put(root, "min_iterations", std::int32_t{o.min_iterations});
  put(root, "min_runtime", o.min_runtime);
  put(root, "time_limit", o.time_limit);
  put(root, "num_slowest", std::int32_t{o.slowest});
  put(root, "all_to_all", std::int32_t{o.all_to_all});
  put(root, "pinned", std::int32_t{facts.pinned});
  put(root, "rows", std::uint64_t{0});
  put(root, "steps", std::uint64_t{0});
  put(root, "complete", std::int32_t{0});
}

Handle access_list() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110), "H5Pset_libver_bounds");
  check(H5Pset_file_locking(list, false, true), "H5Pset_file_locking");
  return list;
}

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};
FileId file_id(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? FileId{info.st_dev, info.st_ino} : FileId{};
}

class Hdf5Recorder final : public Recorder {
 public:
  ~Hdf5Recorder() override {
    if (failed_) abandon();
  }

  void begin(const Facts& facts) override {
    options_ = &facts.options;
    path_ = facts.options.output;
    check_output(facts.options);
    check_space(facts);
    H5dont_atexit();
    check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2");
    const std::string unfinished = path_ + ".new";
    try {
      make_skeleton(unfinished, facts);
    } catch (const MachineError& error) {
      const std::string reason = std::strerror(errno);
      ::unlink(unfinished.c_str());
      throw UsageError(fmt::format("--output {}: cannot be written: {}", path_, reason));
    }
    if (std::rename(unfinished.c_str(), path_.c_str()) != 0)
      throw UsageError(fmt::format("--output {}: {}", path_, std::strerror(errno)));
    open_for_rows();
  }

  void tuned(const std::vector<Tuning>& tunings) override {
    guarded([&] {
      for (std::size_t i = 0; i < tunings.size(); ++i) {
        set(groups_[i], "rounds_per_lap", tunings[i].rounds_per_reading);
        set(groups_[i], "lead_in", tunings[i].lead_in);
      }
    });
  }

  void step(const StepRow& row) override {
    steps_->add(row.iteration, row.seed, row.began, row.overlap, row.gone);
  }

  void rows(const LinkRows& link) override {
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

  // Only a flush reports a full disk, and a removed folder gives no error at all.
  void commit() override {
    guarded([&] {
      if (file_id(path_) != id_)
        throw MachineError("the file is no longer there (removed or replaced while the run went on)");
      for (auto& table : sizes_) table.write();
      for (auto& column : laps_) column.write();
      steps_->write();
      flush();
      set(file_, "rows", std::uint64_t{sizes_.front().length()});
      set(file_, "steps", std::uint64_t{steps_->length()});
      flush();
    });
  }

  void end() override {
    commit();
    guarded([&] {
      close();
      file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDWR, access_list()), H5Fclose);
      set(file_, "complete", std::int32_t{1});
      flush();
      file_ = Handle();
    });
  }

 private:
  void check_space(const Facts& facts) {
    struct statvfs disk {};
    const auto folder = std::filesystem::absolute(path_).parent_path();
    if (::statvfs(folder.c_str(), &disk) != 0)
      throw UsageError(fmt::format("--output {}: {}", path_, std::strerror(errno)));
    const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize),
                 wanted = estimated_bytes(facts.options, facts.links);
    if (wanted > free)
      throw UsageError(fmt::format("--output {}: the results will take about {}, and {} has {} free", path_,
                                   text_of_bytes(wanted), folder.string(), text_of_bytes(free)));
  }

  void make_skeleton(const std::string& path, const Facts& facts) {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, without_times(H5P_FILE_CREATE), access_list()),
                      H5Fclose);
    put_settings(file, facts);
    put_ranks(file, facts);
    const auto n = facts.ranks.size();
    const hsize_t chunk = std::clamp<hsize_t>(std::bit_ceil(n * (n - 1)), 1024, 65536);
    Table::make(make_group(file, "steps"), step_columns(), 1024);
    const Handle sizes = make_group(file, "sizes");
    for (const auto bytes : facts.options.sizes) {
      const Handle group = make_group(sizes, std::to_string(bytes));
      put(group, "bytes", std::uint64_t{bytes});
      put(group, "rounds_per_lap", std::uint32_t{0});
      put(group, "lead_in", std::uint32_t{0});
      Table::make(group, size_columns(facts.options), chunk);
      if (facts.options.keep_laps) Column::make(group, "laps", H5T_NATIVE_FLOAT, 65536);
    }
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
  }

  void open_for_rows() {
    file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access_list()), H5Fclose);
    id_ = file_id(path_);
    steps_ = std::make_unique<Table>(Handle(H5Gopen2(file_, "steps", H5P_DEFAULT), H5Gclose), step_columns());
    for (const auto bytes : options_->sizes) {
      groups_.emplace_back(H5Gopen2(file_, fmt::format("sizes/{}", bytes).c_str(), H5P_DEFAULT), H5Gclose);
      sizes_.emplace_back(groups_.back(), size_columns(*options_));
      if (options_->keep_laps) laps_.emplace_back(groups_.back(), "laps");
    }
  }

  void flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL), "H5Fflush"); }

  void close() {
    steps_.reset();
    sizes_.clear();
    laps_.clear();
    groups_.clear();
    file_ = Handle();
  }

  // After a failure nothing more is written: the file stays as it was after the last commit.
  template <class Work>
  void guarded(Work work) {
    errno = 0;
    try {
      work();
    } catch (const MachineError& error) {
      const std::string reason = errno ? fmt::format(" ({})", std::strerror(errno)) : "";
      failed_ = true;
      throw MachineError(
          fmt::format("{}: {}{}; what was written before stays readable", path_, error.what(), reason));
    }
  }

  void abandon() {
    if (steps_) steps_->abandon();
    for (auto& table : sizes_) table.abandon();
    for (auto& column : laps_) column.abandon();
    for (auto& group : groups_) group.abandon();
    file_.abandon();
  }

  const Options* options_ = nullptr;
  std::string path_;
  FileId id_;
  Handle file_;
  std::vector<Handle> groups_;
  std::unique_ptr<Table> steps_;
  std::vector<Table> sizes_;
  std::vector<Column> laps_;
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<Recorder> make_hdf5_recorder() { return std::make_unique<Hdf5Recorder>(); }

void check_output(const Options& options) {
  const std::filesystem::path path(options.output),
      folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--output {}: {}", options.output, why));
  };
  if (options.output.empty()) refuse("the name is empty");
  if (std::filesystem::is_directory(path, error)) refuse("that is a folder");
  if (!std::filesystem::is_directory(folder, error))
    refuse(fmt::format("there is no folder {}", folder.string()));
  if (std::filesystem::exists(path, error) && !options.force)
    refuse("the file exists; --force overwrites it, --output FILE names another");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

double estimated_bytes(const Options& options, std::int64_t links) {
  const double row = 14 * 4 - 6 + 4 * options.all_to_all + options.keep_laps * (12 + 4.0 * options.messages);
  const double passes = std::max({1, options.randomize, options.min_iterations});
  return 16384 + row * static_cast<double>(links) * passes * static_cast<double>(options.sizes.size());
}

}  // namespace everylink
