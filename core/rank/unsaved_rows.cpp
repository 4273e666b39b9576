// Stores rows that the results file does not have yet, and the timer that saves them.
#include "rank/unsaved_rows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <span>
#include <tuple>

#include "base/crc32.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

bool write_all(int fd, const void* bytes, std::size_t count) {
  for (const char* at = static_cast<const char*>(bytes); count > 0;) {
    const ssize_t n = ::write(fd, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

// Readers take 256 MiB of unsaved rows. Those of other ranks count only where rank 0 could not write them.
constexpr std::size_t most_of_rank_0 = (std::size_t{256} << 20) / 64 - 1,
                      most_of_others = std::size_t{1} << 18;
constexpr Seconds last_write_limit = 60;  // for a file system to take them at the end

UnsavedRows* watched = nullptr;
const char* watched_call = "";
bool stays = false;
std::optional<timer_t> timer;
pid_t timer_of = 0;  // a child does not have its parent's

void set_timer(Seconds in) {
  itimerspec value{};
  value.it_value.tv_sec = static_cast<time_t>(std::min(in, 1e8));
  if (timer) ::timer_settime(*timer, 0, &value, nullptr);  // of a timer that exists, it cannot fail
}

void end_now(int) {
  for (const char* text :
       {"everylink-measure: ", watched_call, " did not return; this rank saves its measurements and exits\n"})
    static_cast<void>(write_all(STDERR_FILENO, text, std::strlen(text)));
  if (watched) watched->write();
  constexpr unsigned for_rank_0 = 600;
  if (stays) ::sleep(for_rank_0);
  ::_exit(exit_links_failed);
}

void make_timer() {
  if (timer && timer_of == ::getpid()) return;
  struct sigaction action {};
  action.sa_handler = end_now;
  ::sigaction(SIGALRM, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_t made{};
  check_errno(::timer_create(CLOCK_MONOTONIC, &event, &made), "timer_create");
  timer = made;
  timer_of = ::getpid();
}

}  // namespace

UnsavedRows::UnsavedRows(const Options& options, int rank)
    : options_(options), most_(rank == 0 ? most_of_rank_0 : most_of_others) {
  make_timer();  // before this rank joins: where there is none, the run goes on without it
  head_.rank = static_cast<std::uint32_t>(rank);
  if (options.no_output) return;
  folder_ = options.output + ".parts";
  path_ = fmt::format("{}/{}", folder_, rank);
}

UnsavedRows::~UnsavedRows() {
  stop_watching();
  watched_call = "writing the unsaved rows";
  stays = false;
  if (!rows_.empty()) set_timer(last_write_limit);
  write();
  set_timer(0);
}

UnsavedRows::Row UnsavedRows::row_of(const Sample& s) const {
  const Statistics& t = s.one_way;
  Row row{.bytes = options_.sizes[s.size],
          .from = s.from,
          .to = s.to,
          .step = s.step,
          .attempt = static_cast<std::uint8_t>(s.attempt),
          .outcome = static_cast<std::uint8_t>(s.outcome),
          .check = 0,
          .arrived = s.arrived,
          .setup = s.setup,
          .n = t.n,
          .min = t.min,
          .median = t.median,
          .mean = t.mean,
          .p99 = t.p99,
          .max = t.max,
          .late = t.late,
          .all_to_all = s.all_to_all};
  row.check = static_cast<std::uint16_t>(crc32(std::as_bytes(std::span(&row, 1))));
  return row;
}

bool UnsavedRows::keep(const Sample& s, std::uint64_t round) {
  if (path_.empty()) return true;
  if (rows_.size() >= most_) return false;
  const SignalsBlocked guard(SIGALRM);  // the timer's, while rows are moved
  rows_.push_back(row_of(s));
  rounds_.push_back(round);
  return true;
}

bool UnsavedRows::keep_reported(const std::vector<Sample>& samples, std::uint64_t round) {
  if (path_.empty()) return true;
  const SignalsBlocked guard(SIGALRM);  // the timer's, while rows are moved
  for (const auto& s : samples) {
    const Row row = row_of(s);
    const auto is_same = [&](const Row& other) {
      return std::tie(row.bytes, row.from, row.to, row.step, row.attempt) ==
             std::tie(other.bytes, other.from, other.to, other.step, other.attempt);
    };
    std::size_t at = rows_.size();
    while (s.from == head_.rank && at > 0 && rounds_[at - 1] == round && !is_same(rows_[at - 1])) --at;
    if (s.from == head_.rank && at > 0 && rounds_[at - 1] == round) {
      rows_[at - 1] = row;
      continue;
    }
    if (rows_.size() >= most_) return false;
    rows_.push_back(row);
    rounds_.push_back(round);
  }
  return true;
}

void UnsavedRows::report_later(std::uint64_t round) { std::fill(rounds_.begin(), rounds_.end(), round); }

void UnsavedRows::forget_before(std::uint64_t round) {
  const auto n = std::lower_bound(rounds_.begin(), rounds_.end(), round) - rounds_.begin();
  const SignalsBlocked guard(SIGALRM);  // the timer's, while rows are moved
  rounds_.erase(rounds_.begin(), rounds_.begin() + n);
  rows_.erase(rows_.begin(), rows_.begin() + n);
}

template <class Is>
void UnsavedRows::forget_if(Is is_wrong) {
  const SignalsBlocked guard(SIGALRM);  // the timer's, while rows are moved
  for (std::size_t i = rows_.size(); i-- > 0;) {
    if (!is_wrong(i)) continue;
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
    rounds_.erase(rounds_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void UnsavedRows::forget_steps_from(std::uint32_t step) {
  if (std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.step >= step; }))
    forget_if([&](std::size_t i) { return rows_[i].step >= step; });
}

void UnsavedRows::forget_failures(std::uint64_t round) {
  forget_if([&](std::size_t i) {
    return rounds_[i] == round && rows_[i].outcome != static_cast<std::uint8_t>(Outcome::ok);
  });
}

bool UnsavedRows::write() noexcept {
  if (other_) other_();
  if (rows_.empty()) return true;
  ::mkdir(folder_.c_str(), 0777);
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  const bool whole =
      write_all(fd, &head_, sizeof head_) && write_all(fd, rows_.data(), rows_.size() * sizeof(Row));
  return ::close(fd) == 0 && whole;
}

void watch(UnsavedRows& rows, Seconds limit, const char* what, bool stay) {
  watched = &rows;
  watched_call = what;
  stays = stay;
  set_timer(std::max(limit, 1.0));
}

void stop_watching() {
  set_timer(0);
  watched = nullptr;
}

}  // namespace everylink
