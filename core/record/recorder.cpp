// Checks that the results can be written, and estimates their size.
#include "record/recorder.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "base/errors.hpp"
#include "base/folder.hpp"
#include "base/units.hpp"
#include "host/modules.hpp"
#include "record/sion_layout.hpp"

namespace everylink {
namespace {

// A suffix of letters alone names a format; that of run.4711 does not.
bool promises_other_format(const std::string& output) {
  const auto suffix = std::filesystem::path(output).extension().string();
  return suffix.size() > 1 && suffix != ".sion" &&
         std::all_of(suffix.begin() + 1, suffix.end(), [](unsigned char c) { return std::isalpha(c); });
}

const ResultsFileEntry& hdf5_module() {
  static const ResultsFileEntry& once = []() -> const ResultsFileEntry& {
    std::string why;
    const auto* entry = module_entry<ResultsFileEntry>("hdf5", "results_file", results_file_abi, why);
    if (!entry) throw MachineError(fmt::format("no results file can be written: {}", why));
    return *entry;
  }();
  return once;
}

}  // namespace

std::unique_ptr<Recorder> make_hdf5_recorder() { return hdf5_module().make_recorder(); }

Before look_before(const Options& options) { return hdf5_module().look_before(options); }

void check_output(const Options& options) {
  const std::filesystem::path path(options.output),
      folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--output {}: {}", options.output, why));
  };
  const auto fail = [&](const std::string& what, int of_call) {
    throw_of_output(fmt::format("--output {}: {}", options.output, what), of_call);
  };
  const auto kind_of = [&](const std::filesystem::path& one) {
    const auto found = std::filesystem::status(one, error);
    if (found.type() == std::filesystem::file_type::none) fail(one.string(), error.value());
    return found;
  };
  if (options.output.empty()) refuse("the name is empty");
  const auto file = kind_of(path);
  if (is_directory(file)) refuse("is a folder");
  if (!is_directory(kind_of(folder))) refuse(fmt::format("folder {} does not exist", folder.string()));
  if (path.is_relative() && std::filesystem::current_path(error).empty()) {
    if (error.value() != ENOENT) fail("the current folder", error.value());
    refuse("the current folder was removed; change to another one");
  }
  if (exists(file) && !is_regular_file(file))
    refuse("is a pipe or a device, not a file");  // it would be replaced, which would destroy /dev/null
  if (exists(file) && !options.force)
    refuse("the file exists; use --force to overwrite it, or --output FILE to write another one");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(folder.string(), errno);
}

void check_format(const Options& options) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--output {}: {}", options.output, why));
  };
  const bool makes_file = !options.no_output && !options.resume;
  if (makes_file && options.program == Program::everylink_measure && promises_other_format(options.output))
    refuse("a results file ends in .h5 or .sion; everylink convert writes other formats");
  if (!options.is_sion()) return;
  if (options.resume)
    throw UsageError(fmt::format("{}: a run with a .sion file cannot be continued; use a .h5 file",
                                 options.continued_option()));
  if (!options.pattern.empty()) refuse("a .sion file cannot hold a load pattern; use --output FILE.h5");
  if (options.sizes.size() > 1)
    refuse(
        fmt::format("a .sion file holds one message size, but -s/--size-messages gives {}; give one, or use "
                    "--output FILE.h5",
                    options.sizes.size()));
  if (options.largest() > std::numeric_limits<std::int32_t>::max())
    refuse("a .sion file holds only message sizes below 2 GiB; use --output FILE.h5");
}

void remove_parts(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parts = path + ".parts";
  for (const auto& name : names_in(parts))
    if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
      std::filesystem::remove(parts / name, error);
  std::filesystem::remove(parts, error);  // fails if it contains anything else
}

// A column occupies whole chunks and a small header.
namespace {

double estimated_inventory(const Facts& facts) {
  if (!facts.reads_hosts) return 0;
  constexpr double tables = 65536, host = 10240, adapter = 5120;
  double bytes = tables;
  std::set<int> hosts;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank)
    if (hosts.insert(facts.host_of[rank]).second) bytes += host + adapter * facts.ranks[rank].adapters;
  return bytes;
}

}  // namespace

double estimated_bytes(const Facts& facts) {
  const Options& options = facts.options;
  const auto links = static_cast<double>(facts.links);
  const sion::Layout front(static_cast<int>(facts.ranks.size()), options.all_to_all);
  const double for_linktest = options.is_sion() ? static_cast<double>(front.container_bytes()) : 0;
  constexpr double headers = 24576, flow_row = 98;
  if (!options.pattern.empty())
    return estimated_inventory(facts) + 8 * headers +
           flow_row * std::max(1024.0, static_cast<double>(facts.flows));
  const double passes = std::max({1, options.randomize, options.min_iterations});
  const double rows = std::max(1024.0, links * passes);
  const double row = 50 + 4.0 * options.all_to_all + 12.0 * options.keep_laps;
  const double laps = options.keep_laps ? std::max(65536.0, links * passes * options.most_messages()) : 0;
  return for_linktest + estimated_inventory(facts) + headers +
         (headers + row * rows + sizeof(float) * laps) * static_cast<double>(options.sizes.size());
}

void check_space(const Facts& facts) {
  const Options& options = facts.options;
  struct statvfs disk {};
  const auto folder = std::filesystem::absolute(options.output).parent_path();
  if (::statvfs(folder.c_str(), &disk) != 0)
    throw_of_output(fmt::format("--output {}", options.output), errno);
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize),
               needed = estimated_bytes(facts);
  if (needed > free)
    throw UsageError(fmt::format("--output {}: the results need about {}, but {} has only {} free",
                                 options.output, text_of_bytes(needed), folder.string(),
                                 text_of_bytes(free)));
}

}  // namespace everylink
