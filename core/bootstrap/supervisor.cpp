// The supervisor of ranks: waits for children, signals and input at once, and sleeps in between.
#include "bootstrap/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "host/streams.hpp"

namespace everylink {
namespace {

using Change = Processes::Change;

constexpr Seconds grace = 25;       // for the others to notice the end; Slurm allows 30 s after its signal
constexpr Seconds early_grace = 1;  // before the run has begun: no rank has anything to lose
constexpr Seconds long_sleep = 3600;

}  // namespace

Supervisor::Supervisor(Clock& clock, Processes& processes, int first, bool all,
                       std::shared_ptr<Attendance> attendance)
    : clock_(clock),
      processes_(processes),
      first_(first),
      all_(all),
      code_(first == 0 ? exit_machine : exit_ok),
      attendance_(std::move(attendance)) {
  processes_.hold_signals();
}

bool Supervisor::start() {
  const int child = processes_.start();
  if (child == 0) return true;
  children_.push_back(child);
  return false;
}

// A terminal signals the whole group; kill(1) signals only this process, which then passes it on.
void Supervisor::pass_on(int signal) {
  if (signal != SIGUSR1 && signal != SIGUSR2) end_wanted_ = true;
  for (const int child : children_)
    if (child > 0) processes_.signal(child, signal);
}

int Supervisor::wait(int fd, const std::function<bool()>& hear, Seconds nap) {
  for (note_all(); left() > 0; note_all()) {
    const Seconds now = clock_.now();
    if (is_over()) {
      const Seconds latest = now + (ends_early() ? early_grace : limit_.value_or(grace));
      kill_at_ = std::min(kill_at_.value_or(latest), latest);
      if (now >= *kill_at_) kill_all();
    } else {
      kill_at_.reset();
    }
    Seconds longest = fd >= 0 ? nap : long_sleep;
    if (kill_at_) longest = std::clamp(*kill_at_ - now, 0.01, longest);
    for (const int signal : processes_.wait(fd, longest)) pass_on(signal);
    if (fd >= 0 && !hear()) fd = -1;
  }
  return code_;
}

void Supervisor::kill_all() {
  if (ends_early()) reported_ = SIGKILL;  // what ended the run has been reported
  pass_on(SIGKILL);
}

void Supervisor::note_all() {
  while (const auto change = processes_.next_change()) note(*change);
}

void Supervisor::note(const Change& change) {
  const auto found = std::find(children_.begin(), children_.end(), change.process);
  if (found == children_.end()) return;
  const auto index = static_cast<std::size_t>(found - children_.begin());
  if (change.kind == Change::Kind::stopped) {
    stopped_.insert(index);
    return;
  }
  stopped_.erase(index);
  if (change.kind == Change::Kind::continued) return;
  const int rank = first_ + static_cast<int>(index), code = exit_code_of(rank, change);
  if (attendance_) attendance_->note_ended(rank);
  if (attendance_ && !attendance_->has_begun() && tell_lost_) tell_lost_(rank);
  if (rank == 0) code_ = code;
  if (first_ > 0) code_ = std::max(code_, code);
  one_gave_up_ |= change.kind == Change::Kind::exited && code == exit_machine;
  *found = 0;
}

// A rank that a signal ended is reported; of many that the same signal ended, only the first.
int Supervisor::exit_code_of(int rank, const Change& change) {
  if (change.kind == Change::Kind::exited) return change.number;
  if (std::exchange(reported_, change.number) == change.number) return exit_machine;
  complain(
      fmt::format("rank {} was ended by signal {} ({})", rank, change.number, ::strsignal(change.number)));
  return exit_machine;
}

std::size_t Supervisor::left() const {
  return static_cast<std::size_t>(
      std::count_if(children_.begin(), children_.end(), [](int child) { return child > 0; }));
}

// The run ends before any rank has begun it.
bool Supervisor::ends_early() const {
  const bool ends = end_wanted_ || limit_ || (first_ == 0 && children_[0] == 0);
  return ends && attendance_ && !attendance_->has_begun();
}

// Rank 0 has ended; or it is the only one left; or one rank has given rank 0 up and all that are left are
// stopped.
bool Supervisor::is_over() const {
  const bool only_one = all_ && left() == 1, rank_0_ended = first_ == 0 && children_[0] == 0;
  return end_wanted_ || limit_ || rank_0_ended || only_one || (one_gave_up_ && left() == stopped_.size());
}

}  // namespace everylink
