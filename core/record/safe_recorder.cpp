// Records into a file, or beside it.
#include "record/safe_recorder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

// Does it on a thread of its own, which is left behind if it takes longer than `limit`: false. What it throws
// is thrown here.
bool is_done_within(Seconds limit, const std::function<void()>& work) {
  std::packaged_task<void()> task(work);
  auto done = task.get_future();
  try {
    const SignalsBlocked in_the_thread;  // they are for the thread that measures: they interrupt calls
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {  // no more threads are allowed
    return work(), true;
  } catch (const std::bad_alloc&) {  // of the thread: the task has moved
    return work(), true;
  }
  if (done.wait_for(std::chrono::duration<double>(limit)) != std::future_status::ready) return false;
  done.get();
  return true;
}

}  // namespace

SafeRecorder::SafeRecorder(std::unique_ptr<Recorder> file, Seconds limit, Beside beside)
    : file_(std::move(file)), limit_(limit), beside_(std::move(beside)) {}

SafeRecorder::~SafeRecorder() {
  if (hangs_) static_cast<void>(file_.release());  // its thread may still use it
}

void SafeRecorder::begin(const Facts& facts) {
  path_ = facts.options.output;
  has_links_ = facts.options.pattern.empty();
  file_->begin(facts);
}

void SafeRecorder::tuned(const std::vector<Tuning>& tunings) {
  if (!stopped_) file_->tuned(tunings);
}

void SafeRecorder::step(const StepRow& row) {
  if (!stopped_) file_->step(row);
}

void SafeRecorder::rows(const LinkRows& link) {
  if (!beside_.keep(link) && stopped_ && !std::exchange(full_, true))
    beside_.complain(fmt::format("{}.parts: holds as many rows as can be kept; later ones are not", path_));
  if (!stopped_) file_->rows(link);
}

void SafeRecorder::local_fault(int rank, const std::string& cause) {
  if (!stopped_) file_->local_fault(rank, cause);
}

void SafeRecorder::reading(const ReadingRow& row) {
  if (!stopped_) file_->reading(row);
}

void SafeRecorder::carried(std::uint32_t reading, int rank, const Carried& carried) {
  if (!stopped_) file_->carried(reading, rank, carried);
}

void SafeRecorder::retransmits(int rank, const Retransmits& retransmits) {
  if (!stopped_) file_->retransmits(rank, retransmits);
}

void SafeRecorder::scene(const SceneRow& row, const std::vector<FlowRow>& flows) {
  if (!stopped_) file_->scenes()->scene(row, flows);
}

Kept SafeRecorder::commit() {
  return write([this] { file_->commit(); }) ? Kept::in_file : Kept::nowhere;
}

Kept SafeRecorder::end(const Ending& ending) {
  if (write([this, ending] { file_->end(ending); })) return Kept::in_file;
  if (!has_links_) return Kept::nowhere;
  // Of the thread that hangs, not of this function: it may outlive it.
  const auto result = std::make_shared<bool>(false);
  const bool done = is_done_within(limit_, [result, write = beside_.write] { *result = write(); });
  const bool written = done && *result;
  if (!written) beside_.complain(fmt::format("{}.parts: cannot be written either", path_));
  return written ? Kept::beside : Kept::nowhere;
}

bool SafeRecorder::write(const std::function<void()>& work) {
  if (stopped_) return false;
  try {
    if (is_done_within(limit_, work)) return true;
    hangs_ = true;
    stop(fmt::format("{}: a write takes longer than {}", path_, text_of_duration(limit_)));
  } catch (const MachineError& error) {
    stop(error.what());
  } catch (const std::bad_alloc&) {
    stop(fmt::format("{}: {}", path_, local_cause(ENOMEM)));
  }
  return false;
}

void SafeRecorder::stop(const std::string& why) {
  stopped_ = true;
  beside_.complain(fmt::format("{}; {}", why,
                               has_links_
                                   ? fmt::format("the run goes on, its further rows go to {}.parts", path_)
                                   : "the run goes on, and keeps nothing more of what it measures"));
}

}  // namespace everylink
