// A rank's own chunk of a .sion file.
#include "record/sion_chunk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace everylink::sion {
namespace {

constexpr int of_another_run = -1;

}  // namespace

File::File(const std::string& path, const RunId& run) noexcept
    : fd_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  RunId there;
  const ssize_t got = fd_ < 0 ? -1 : ::pread(fd_, there.data(), there.size(), Layout::run_at);
  if (got < 0)
    error_ = errno;
  else if (got < static_cast<ssize_t>(there.size()) || there != run)
    error_ = of_another_run;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

void File::put(std::int64_t at, View bytes) noexcept {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return;
    }
    at += n;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

// On a network file system only these two calls report a full disk.
int File::save() noexcept {
  if (error_ == 0 && ::fsync(fd_) != 0) error_ = errno;
  const int fd = std::exchange(fd_, -1);
  if (fd >= 0 && ::close(fd) != 0 && error_ == 0) error_ = errno;
  return error_;
}

std::string text_of_error(int error) {
  return error == of_another_run ? "not the file that rank 0 created for this run" : std::strerror(error);
}

Chunk::Chunk(const Options& options, int rank, int ranks, const std::string& host, const RunId& run)
    : path_(options.output),
      run_(run),
      rank_(rank),
      layout_(ranks, options.all_to_all),
      head_(head(rank, host)),
      measured_(layout_),
      means_(static_cast<std::size_t>(ranks)) {}

int Chunk::begin() noexcept {
  File file(path_, run_);
  file.put(layout_.chunk_at(rank_), head_);
  return file.save();
}

void Chunk::keep(const Sample& s, std::int32_t step, std::uint64_t round) {
  if (s.attempt != Attempt::main) return;
  new_ = true;
  const int to = static_cast<int>(s.to);
  Mean& mean = means_[s.to];
  if (!std::exchange(mean.tried, true)) measured_.put_step(to, step);
  if (s.outcome != Outcome::ok) {
    if (!mean.failed) last_failure_ = {round, to};
    return discard(to);
  }
  const double seconds = s.one_way.mean, n = s.one_way.n;
  if (mean.failed || !(seconds > 0) || !(n > 0)) return;
  mean.seconds =
      mean.readings > 0 ? mean.seconds + (seconds - mean.seconds) * n / (mean.readings + n) : seconds;
  mean.readings += n;
  measured_.put_time(to, mean.seconds);
}

void Chunk::forget_failures(std::uint64_t round) {
  if (last_failure_.to == no_rank || last_failure_.round != round) return;
  Mean& mean = means_[static_cast<std::size_t>(last_failure_.to)];
  mean.failed = false;
  measured_.put_time(last_failure_.to, mean.seconds);
  new_ = true;
}

void Chunk::keep_all_to_all(std::int32_t step, Seconds seconds) {
  if (step >= layout_.ranks() || !(seconds > 0)) return;
  new_ = true;
  measured_.put_all_to_all(step, seconds);
}

void Chunk::discard(int to) {
  if (to < 0 || to >= layout_.ranks()) return;
  new_ = true;
  means_[static_cast<std::size_t>(to)].failed = true;
  measured_.put_time(to, 0);
}

int Chunk::write() noexcept {
  if (!new_) return 0;
  File file(path_, run_);
  file.put(layout_.chunk_at(rank_), head_);
  file.put(layout_.measured_at(rank_), measured_.bytes);
  const int error = file.save();
  new_ = error != 0;
  return error;
}

}  // namespace everylink::sion
