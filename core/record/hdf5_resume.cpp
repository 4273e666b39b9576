// --resume: checks and reads the results file of an interrupted run.
#include "record/hdf5_resume.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "base/errors.hpp"
#include "base/rank_facts.hpp"
#include "base/sample.hpp"
#include "record/hdf5_columns.hpp"
#include "record/hdf5_layout.hpp"

namespace everylink {
namespace hdf5 {
namespace {

constexpr hsize_t rows_at_once = 65536;

// Attributes that may differ: when and how the run was started, and those that the run itself writes.
const std::set<std::string> free_to_differ{
    "format_version", "created",     "tool_version",       "command", "bootstrap", "pinned",
    "time_limit",     "num_slowest", "min_runtime",        "run_id",  "rows",      "steps",
    "complete",       "interrupted", "failed_not_retried", "ended"};

std::string text_of_attribute(hid_t object, const char* name) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const std::size_t length = size_of(type);
  if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && length < (1u << 20)) {
    std::string text(length, '\0');
    check(H5Aread(attribute, type, text.data()), "H5Aread");
    return text.c_str();
  }
  if (H5Tget_class(type) == H5T_FLOAT) {
    double value = 0;
    check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), "H5Aread");
    return fmt::format("{}", value);
  }
  std::uint64_t value = 0;
  check(H5Aread(attribute, H5T_NATIVE_UINT64, &value), "H5Aread");
  return fmt::format("{}", value);
}

std::vector<std::string> names_of(hid_t object, bool attributes) {
  std::vector<std::string> names;
  const auto add_attribute = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  const auto add_link = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  if (attributes)
    check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute, &names), "H5Aiterate");
  else
    check(H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_link, &names), "H5Literate");
  return names;
}

std::vector<std::string> strings_in(hid_t group, const char* name) {
  const Handle set(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose), type(H5Dget_type(set), H5Tclose),
      space(H5Dget_space(set), H5Sclose);
  const std::size_t length = size_of(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) || length > 65536 || count < 0)
    throw MachineError(fmt::format("{} has an unexpected type", name));
  std::string all(length * static_cast<std::size_t>(count), '\0');
  check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "H5Dread");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < all.size(); i += length) texts.emplace_back(all.substr(i, length).c_str());
  return texts;
}

Handle open_to_read(const Options& options) {
  const std::string& path = options.output;
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2");
  struct stat info {};
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: {}", options.continued_option(), why));
  };
  if (::stat(path.c_str(), &info) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) refuse("is a folder, a pipe or a device, not a file");
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_list());
  if (file < 0) file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access_list());
  if (file < 0) refuse("not a results file of Everylink");
  return {file, H5Fclose};
}

template <class T>
std::vector<T> read_column(hid_t group, const char* name, hsize_t first, hsize_t count) {
  std::vector<T> values(count);
  read_entries(Handle(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose), type_of<T>(), first, count,
               values.data());
  return values;
}

std::vector<Sample> read_samples(hid_t group, std::uint32_t size, hsize_t first, hsize_t count) {
  std::vector<Sample> samples(count);
  const auto fill = [&]<class T>(const char* name, T, auto put) {
    const auto values = read_column<T>(group, name, first, count);
    for (std::size_t i = 0; i < values.size(); ++i) put(samples[i], values[i]);
  };
  constexpr std::uint32_t u{};
  constexpr std::uint8_t byte{};
  constexpr float f{};
  fill("from", u, [](Sample& s, auto v) { s.from = v; });
  fill("to", u, [](Sample& s, auto v) { s.to = v; });
  fill("step", u, [](Sample& s, auto v) { s.step = v; });
  fill("attempt", byte, [](Sample& s, auto v) { s.attempt = static_cast<Attempt>(v); });
  fill("outcome", byte, [](Sample& s, auto v) { s.outcome = static_cast<Outcome>(v); });
  fill("arrived", std::int32_t{}, [](Sample& s, auto v) { s.arrived = v; });
  fill("setup", f, [](Sample& s, auto v) { s.setup = v; });
  fill("n", u, [](Sample& s, auto v) { s.one_way.n = v; });
  fill("min", f, [](Sample& s, auto v) { s.one_way.min = v; });
  fill("median", f, [](Sample& s, auto v) { s.one_way.median = v; });
  fill("mean", f, [](Sample& s, auto v) { s.one_way.mean = v; });
  fill("p99", f, [](Sample& s, auto v) { s.one_way.p99 = v; });
  fill("max", f, [](Sample& s, auto v) { s.one_way.max = v; });
  fill("late", u, [](Sample& s, auto v) { s.one_way.late = v; });
  for (auto& sample : samples) sample.size = size;
  return samples;
}

// A flipped bit must not lead to a rank or an outcome that there is not.
bool is_possible(const Sample& s, std::uint32_t ranks) {
  return s.from < ranks && s.to < ranks && s.from != s.to && s.attempt <= last_of(Attempt{}) &&
         s.outcome <= last_of(Outcome{});
}

}  // namespace

// Creates, in memory, the file that this run would write, and compares the two by name.
void check_same(hid_t file, const Facts& facts) {
  const Options& options = facts.options;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: {}; {} a run with the options that it started with",
                                 options.continued_option(), why, options.confirms() ? "confirm" : "resume"));
  };
  // A rank that is gone since the run was begun is on a host of its own, and its links are absent.
  const auto is_unjoined = [&](std::size_t rank) {
    return facts.ranks[rank].host == host_of_unjoined(static_cast<int>(rank));
  };
  bool any_unjoined = false;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) any_unjoined |= is_unjoined(rank);
  const Handle in_memory = access_list();
  check(H5Pset_fapl_core(in_memory, 1 << 20, false), "H5Pset_fapl_core");
  const Handle expected = make_skeleton(options.output + ".expected", facts, in_memory);
  for (const auto& name : names_of(expected, true)) {
    if (free_to_differ.contains(name) || (name == "hosts" && any_unjoined)) continue;
    if (!has_attribute(file, name.c_str())) refuse(fmt::format("attribute {} is missing", name));
    const auto there = text_of_attribute(file, name.c_str()),
               here = text_of_attribute(expected, name.c_str());
    if (there != here) refuse(fmt::format("{} is '{}' in the file, but '{}' now", name, there, here));
  }
  const Handle sizes(H5Gopen2(file, "sizes", H5P_DEFAULT), H5Gclose),
      expected_sizes(H5Gopen2(expected, "sizes", H5P_DEFAULT), H5Gclose);
  const auto there = names_of(sizes, false), here = names_of(expected_sizes, false);
  if (there != here)
    refuse(fmt::format("its message sizes are {} bytes, but {} now", fmt::join(there, ", "),
                       fmt::join(here, ", ")));
  for (const auto& size : here) {
    const Handle a(H5Gopen2(sizes, size.c_str(), H5P_DEFAULT), H5Gclose),
        b(H5Gopen2(expected_sizes, size.c_str(), H5P_DEFAULT), H5Gclose);
    if (names_of(a, false) != names_of(b, false)) refuse("--keep-laps or --all-to-all differs");
    if (has_attribute(a, "messages") && text_of_attribute(a, "messages") != text_of_attribute(b, "messages"))
      refuse(fmt::format("it has {} messages of {} bytes, but {} now", text_of_attribute(a, "messages"), size,
                         text_of_attribute(b, "messages")));
  }
  const Handle ranks(H5Gopen2(file, "ranks", H5P_DEFAULT), H5Gclose);
  const auto hosts = strings_in(ranks, "host");
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) {
    const auto& now = facts.ranks[rank].host;
    const auto before = rank < hosts.size() ? hosts[rank] : "no host";
    if (now != before && !is_unjoined(rank))
      refuse(fmt::format("rank {} ran on {}, but runs on {} now", rank, before, now));
  }
}

namespace {

// Bytes that the file has or should have: a write that failed, as of a full disk, may have left fewer, and
// HDF5 would not open it to write. Nothing that was committed is in the missing part.
off_t recorded_end(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access_list()), H5Fclose),
      creation(H5Fget_create_plist(file), H5Pclose);
  haddr_t end = 0;
  hsize_t front = 0;
  check(H5Fget_eoa(file, &end), "H5Fget_eoa");
  check(H5Pget_userblock(creation, &front), "H5Pget_userblock");
  return static_cast<off_t>(front + end);
}

void fill_up(const std::string& path) {
  const off_t end = recorded_end(path);
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && info.st_size < end && ::truncate(path.c_str(), end) != 0)
    throw MachineError(std::strerror(errno));
}

}  // namespace

// A killed writer leaves its lock flag in the file, and perhaps data past the recorded end.
void make_writable_again(const std::string& path) {
  fill_up(path);
  const Handle access = access_list();
  const hbool_t clear = true;
  check(H5Pset(access, "clear_status_flags", &clear), "H5Pset");
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access), H5Fclose);
  constexpr hsize_t room = 1 << 20;
  check(H5Fincrement_filesize(file, room), "H5Fincrement_filesize");
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
}

Recalled read_again(hid_t file, const Options& options, const std::function<void(const LinkRows&)>& each) {
  Recalled recalled;
  const auto ranks = number<std::uint32_t>(file, "ranks");
  const auto rows = number<std::uint64_t>(file, "rows");
  recalled.steps = static_cast<std::uint32_t>(number<std::uint64_t>(file, "steps"));
  std::vector<Handle> groups;
  for (const auto bytes : options.sizes) {
    groups.emplace_back(H5Gopen2(file, fmt::format("sizes/{}", bytes).c_str(), H5P_DEFAULT), H5Gclose);
    recalled.tunings.push_back({number<std::uint32_t>(groups.back(), "rounds_per_lap"),
                                number<std::uint32_t>(groups.back(), "lead_in")});
  }
  for (hsize_t first = 0; first < rows; first += rows_at_once) {
    const hsize_t count = std::min<hsize_t>(rows_at_once, rows - first);
    std::vector<std::vector<Sample>> samples;
    for (std::size_t i = 0; i < groups.size(); ++i)
      samples.push_back(read_samples(groups[i], static_cast<std::uint32_t>(i), first, count));
    for (std::size_t row = 0; row < count; ++row) {
      LinkRows link;
      for (const auto& of_size : samples) link.samples.push_back(of_size[row]);
      for (const auto& sample : link.samples)
        if (!is_possible(sample, ranks))
          throw UsageError(fmt::format("{}: row {} is damaged", options.continued_option(), first + row));
      const Sample& sample = link.samples.front();
      if (sample.attempt == Attempt::main && sample.step < recalled.steps)
        recalled.main_steps = std::max(recalled.main_steps, sample.step + 1);
      each(link);
    }
  }
  return recalled;
}

Before look_before(const Options& options) {
  const Handle file = open_to_read(options);
  try {
    if (!options.confirms() && number<std::int32_t>(file, "complete"))
      throw UsageError(fmt::format("{}: nothing to resume, the run is complete", options.continued_option()));
    if (const auto has = number<std::int32_t>(file, "format_version"); has > version_with_local_faults)
      throw UsageError(fmt::format("{}: has format version {}, this version continues those up to {}",
                                   options.continued_option(), has, version_with_local_faults));
    Before before;
    before.seed = number<std::uint64_t>(file, "seed");
    const auto digits = text_of_attribute(file, "run_id");
    if (digits.size() != 2 * before.run.size()) throw MachineError("run_id has an unexpected length");
    for (std::size_t i = 0; i < before.run.size(); ++i)
      before.run[i] = static_cast<std::uint8_t>(std::strtoul(digits.substr(2 * i, 2).c_str(), nullptr, 16));
    return before;
  } catch (const MachineError& error) {
    throw UsageError(fmt::format("{}: cannot be continued ({})", options.continued_option(), error.what()));
  }
}

}  // namespace hdf5

}  // namespace everylink
