// Whether the results can be written where the user wants them, and how much they will be.
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "record/recorder.hpp"
#include "record/sion_layout.hpp"

namespace everylink {

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

void check_format(const Options& options) {
  if (!options.is_sion()) return;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--output {}: {}", options.output, why));
  };
  if (options.resume)
    throw UsageError(
        fmt::format("{} {}: a .sion file says too little of its run to add to it; a .h5 file does not",
                    options.confirms() ? "--confirm: --output" : "--resume", options.output));
  if (!options.pattern.empty()) refuse("a .sion file holds no load pattern; --output FILE.h5 does");
  if (options.sizes.size() > 1)
    refuse(
        fmt::format("a .sion file holds one message size, and -s/--size-messages gives {}; take one, or "
                    "--output FILE.h5",
                    options.sizes.size()));
  if (options.largest() > std::numeric_limits<std::int32_t>::max())
    refuse("a .sion file holds message sizes below 2 GiB; --output FILE.h5 holds any");
  if (options.keep_laps) refuse("a .sion file does not hold what --keep-laps keeps; --output FILE.h5 does");
}

// Of an older file of this name.
void remove_parts(const std::string& path) {
  std::error_code error;
  for (const auto& part : std::filesystem::directory_iterator(path + ".parts", error)) {
    const auto name = part.path().filename().string();
    if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
      std::filesystem::remove(part.path(), error);
  }
  std::filesystem::remove(path + ".parts", error);  // not if anything else is in it
}

// A column takes whole chunks, and a little for its head.
double estimated_bytes(const Facts& facts) {
  const Options& options = facts.options;
  const auto links = static_cast<double>(facts.links);
  if (options.is_sion())
    return static_cast<double>(
        sion::Layout(static_cast<int>(facts.ranks.size()), options.all_to_all).file_bytes());
  constexpr double heads = 24576, flow_row = 98;
  if (!options.pattern.empty())
    return 8 * heads + flow_row * std::max(1024.0, static_cast<double>(facts.flows));
  const double passes = std::max({1, options.randomize, options.min_iterations});
  const double rows = std::max(1024.0, links * passes);
  const double row = 50 + 4.0 * options.all_to_all + 12.0 * options.keep_laps;
  const double laps = options.keep_laps ? std::max(65536.0, links * passes * options.messages) : 0;
  return heads + (heads + row * rows + sizeof(float) * laps) * static_cast<double>(options.sizes.size());
}

void check_space(const Facts& facts) {
  const Options& options = facts.options;
  struct statvfs disk {};
  const auto folder = std::filesystem::absolute(options.output).parent_path();
  if (::statvfs(folder.c_str(), &disk) != 0)
    throw UsageError(fmt::format("--output {}: {}", options.output, std::strerror(errno)));
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize),
               wanted = estimated_bytes(facts);
  if (wanted > free)
    throw UsageError(fmt::format("--output {}: the results will take about {}, and {} has {} free",
                                 options.output, text_of_bytes(wanted), folder.string(),
                                 text_of_bytes(free)));
}

}  // namespace everylink
