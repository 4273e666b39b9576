// Writes a results file of invented rows, and kills itself instead of making its n-th call that would change
// the file or its name. After every commit it appends the number of committed rows to another file, and the
// bytes that it has allocated.
//   recorder_to_be_killed FILE LOG N [BATCHES]      (N 0: never killed; the last line of LOG is then the
//   number of calls)
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/errors.hpp"
#include "record/recorder.hpp"

namespace {

std::string results;
long calls = 0, killed_at = 0;

bool is_results(const std::string& path) { return path == results || path == results + ".new"; }

bool is_results(int descriptor) {
  char path[4096];
  const ssize_t n = ::readlink(fmt::format("/proc/self/fd/{}", descriptor).c_str(), path, sizeof path);
  return n > 0 && is_results(std::string(path, static_cast<std::size_t>(n)));
}

void count(bool of_results) {
  if (of_results && ++calls == killed_at) ::raise(SIGKILL);
}

template <class Call>
Call original(const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// Found by libhdf5 before those of the C library.
extern "C" {
ssize_t write(int descriptor, const void* bytes, size_t n) {
  count(is_results(descriptor));
  return original<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, bytes, n);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t at) {
  count(is_results(descriptor));
  return original<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(descriptor, bytes, n, at);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t n, off_t at) {
  return pwrite(descriptor, bytes, n, at);
}
int ftruncate(int descriptor, off_t length) noexcept {
  count(is_results(descriptor));
  return original<int (*)(int, off_t)>("ftruncate")(descriptor, length);
}
int ftruncate64(int descriptor, off_t length) noexcept { return ftruncate(descriptor, length); }
int fsync(int descriptor) {
  count(is_results(descriptor));
  return original<int (*)(int)>("fsync")(descriptor);
}
int rename(const char* from, const char* to) noexcept {
  count(is_results(from) || is_results(to));
  return original<int (*)(const char*, const char*)>("rename")(from, to);
}
}

namespace everylink {
namespace {

constexpr int usual_batches = 4, rows_per_batch = 700,
              ranks = 3;  // the second batch opens a new chunk of each column

std::size_t allocated() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

void say(int log, const std::string& line) {
  if (::write(log, line.data(), line.size()) < 0) throw_errno("write");
}

// The numbers in row i identify it.
LinkRows invented(std::uint32_t row, std::size_t sizes) {
  LinkRows link;
  for (std::size_t i = 0; i < sizes; ++i) {
    Sample sample;
    sample.from = row % ranks;
    sample.to = (row + 1) % ranks;
    sample.step = row / rows_per_batch;
    sample.size = static_cast<std::uint32_t>(i);
    sample.one_way.n = row;
    sample.one_way.median = static_cast<float>(row + 1);
    link.samples.push_back(sample);
    link.laps.push_back({static_cast<float>(row), static_cast<float>(row + 1)});
  }
  return link;
}

void record(const Options& options, int log, int batches) {
  const auto recorder = results_file.make_recorder();
  recorder->begin(
      {.options = options,
       .bootstrap = "local",
       .created = "2026-01-01T00:00:00Z",
       .ranks = std::vector<RankFacts>(
           ranks, RankFacts{.host = "host", .machine = "", .network = "", .cores = "0", .numa = 0}),
       .host_of = std::vector<int>(ranks),
       .links = ranks * (ranks - 1)});
  recorder->tuned(std::vector<Tuning>(options.sizes.size()));
  std::uint32_t row = 0;
  for (int batch = 0; batch < batches; ++batch) {
    for (int i = 0; i < rows_per_batch; ++i) recorder->rows(invented(row++, options.sizes.size()));
    recorder->step({});
    recorder->commit();
    say(log, fmt::format("{} {}\n", row, allocated()));
  }
  recorder->end({.not_tried_again = 7, .remarks = {"a remark", "another"}});
}

}  // namespace
}  // namespace everylink

int main(int argc, char** argv) {
  using namespace everylink;
  if (argc != 4 && argc != 5)
    return fmt::print(stderr, "usage: recorder_to_be_killed FILE LOG N [BATCHES]\n"), 2;
  Options options;
  options.sizes = {1, 1024};
  options.keep_laps = true;
  options.output = results = std::filesystem::absolute(argv[1]);
  killed_at = std::atol(argv[3]);
  const int log = check_errno(::open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600), "open");
  record(options, log, argc == 5 ? std::atoi(argv[4]) : usual_batches);
  if (killed_at == 0) say(log, fmt::format("{}\n", calls));
  return 0;
}
