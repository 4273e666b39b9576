// The front of a .sion file.
#include "record/sion_front.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "record/sion_chunk.hpp"

namespace everylink::sion {

void Front::Spread::add(double value) {
  if (!(value > 0)) return;
  extent_.min = n_ > 0 ? std::min(extent_.min, value) : value;
  extent_.max = std::max(extent_.max, value);
  sum_ += value;
  extent_.mean = sum_ / ++n_;
}

Front::Front(const Facts& facts)
    : run_(facts.run),
      layout_(static_cast<int>(facts.ranks.size()), facts.options.all_to_all),
      settings_{.iterations = facts.options.messages_of(facts.options.largest()),
                .bytes = static_cast<std::int32_t>(facts.options.largest()),
                .serial = facts.options.serial,
                .mixed = facts.options.randomize > 0} {}

// Allocates all of it if the file system can, so that no rank finds the disk full at the end.
int Front::make(const std::string& path, const std::vector<RankFacts>& ranks) const {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = ::fallocate(fd, 0, 0, layout_.container_bytes()) == 0 ? 0 : errno;
  if (error == EOPNOTSUPP || error == ENOSYS) error = 0;
  if (error == 0 && ::pwrite(fd, run_.data(), run_.size(), Layout::run_at) < 0) error = errno;
  ::close(fd);
  if (error != 0) return error;
  File file(path, run_);
  file.put(0, header(layout_, std::filesystem::path(path).stem().string(), run_));
  for (int rank = 0; rank < layout_.ranks(); ++rank)
    file.put(layout_.chunk_at(rank), head(rank, ranks[static_cast<std::size_t>(rank)].host));
  file.put(layout_.totals_at(), totals(layout_, settings_));
  file.put(layout_.tail_at(), tail(layout_));
  return file.save();
}

void Front::add(const LinkRows& link) {
  empty_ = false;
  const Sample& sample = link.samples.front();
  if (sample.attempt != Attempt::main) return;
  if (sample.outcome == Outcome::ok) times_.add(sample.one_way.mean);
  all_to_all_.add(sample.all_to_all);
}

void Front::complete(const std::string& path, const std::vector<Retest>& again) const {
  Totals all = settings_;
  all.times = times_.extent();
  all.all_to_all = all_to_all_.extent();
  std::vector<Slow> slow;
  for (const auto& [first, second] : again)
    if (second.outcome == Outcome::ok && second.one_way.mean > 0)
      slow.push_back({second.one_way.mean, first.one_way.mean, static_cast<std::int32_t>(first.from),
                      static_cast<std::int32_t>(first.to)});
  File file(path, run_);
  file.put(layout_.totals_at(), totals(layout_, all));
  file.put(layout_.retests_at(), retests(layout_, slow));
  if (const int error = file.save()) throw MachineError(text_of_error(error));
}

void Front::remove_if_empty(const std::string& path) const noexcept {
  if (empty_ && File(path, run_).error() == 0) ::unlink(path.c_str());
}

}  // namespace everylink::sion
