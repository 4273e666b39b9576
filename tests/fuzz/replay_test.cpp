// Replays every input of the corpus and thousands of mutations of it, the same in every run: findings of
// libFuzzer stay fixed, even on machines without it.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

#include "fuzz.hpp"

extern "C" void __sanitizer_set_report_fd(void*) __attribute__((weak));  // defined when a sanitizer is linked

namespace {

std::atomic<std::size_t> largest_allocation = 0;  // targets may start threads

}  // namespace

// GCC 12 does not recognise that new and delete below match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// A list that claims more than has arrived must be refused before it is allocated. All forms are replaced,
// because a sanitizer requires each delete to match its new.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (bytes > largest_allocation) largest_allocation = bytes;
  return std::malloc(bytes ? bytes : 1);
}
void* operator new(std::size_t bytes) {
  if (void* at = operator new(bytes, std::nothrow)) return at;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes, std::nothrow);
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { std::free(at); }
void operator delete[](void* at, const std::nothrow_t&) noexcept { std::free(at); }

namespace everylink::fuzz {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;  // of one allocation, for inputs of some kilobytes

// Few of the targets that take a millisecond or more for each: command lines, files of a host, and whole
// runs.
std::size_t mutations_of(const std::string& name) {
  const bool is_slow =
      name == "options" || name == "linktest" || name == "host_files" || name == "coordinator";
  return is_slow ? 150 : 2000;
}

Blob contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return Blob(bytes.begin(), bytes.end());
}

std::vector<Blob> corpus_of(const std::string& name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(EVERYLINK_FUZZ_CORPUS "/" + name))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Blob> inputs;
  for (const auto& path : paths) inputs.push_back(contents_of(path));
  return inputs;
}

// The simplest mutations of libFuzzer: bytes are changed, inserted, removed, duplicated, or set to large
// numbers.
Blob mutated(Blob bytes, std::mt19937& draw) {
  const auto below = [&](std::size_t n) { return n ? draw() % n : 0; };
  for (std::size_t moves = 1 + below(4); moves > 0; --moves) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes.size() + 1)), end = std::ssize(bytes);
    const auto some = std::min<std::ptrdiff_t>(end - at, 1 + static_cast<std::ptrdiff_t>(below(16)));
    switch (draw() % 6) {
      case 0:
        if (at < end) bytes[static_cast<std::size_t>(at)] = std::byte(draw());
        break;
      case 1: bytes.insert(bytes.begin() + at, std::byte(draw())); break;
      case 2: bytes.erase(bytes.begin() + at, bytes.begin() + at + some); break;
      case 3: bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + at); break;
      case 4: std::fill_n(bytes.begin() + at, some, std::byte{0xff}); break;
      case 5:
        if (at < end) bytes[static_cast<std::size_t>(at)] ^= std::byte(1u << draw() % 8);
        break;
    }
  }
  return bytes;
}

// Discards what a target prints, but not what a sanitizer reports.
class Quiet {
 public:
  Quiet() : out_(::dup(STDOUT_FILENO)), error_(::dup(STDERR_FILENO)) {
    std::fflush(stdout);
    if (__sanitizer_set_report_fd) __sanitizer_set_report_fd(reinterpret_cast<void*>(std::intptr_t{error_}));
    const int nowhere = ::open("/dev/null", O_WRONLY);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
    ::close(nowhere);
  }
  ~Quiet() {
    if (__sanitizer_set_report_fd)
      __sanitizer_set_report_fd(reinterpret_cast<void*>(std::intptr_t{STDERR_FILENO}));
    ::dup2(out_, STDOUT_FILENO);
    ::dup2(error_, STDERR_FILENO);
    ::close(out_);
    ::close(error_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int out_, error_;
};

// The fault of the target with this input; "": none.
std::string fault_of(const Named& named, View input) {
  largest_allocation = 0;
  try {
    call(named.target, input);
  } catch (const std::exception& error) {
    return fmt::format("an exception of another type: {}", error.what());
  }
  return largest_allocation > most_bytes ? fmt::format("it allocated {} bytes", largest_allocation.load())
                                         : "";
}

// The first input that reveals a fault.
std::string first_fault(const Named& named, const std::vector<Blob>& corpus) {
  const Quiet quiet;
  std::mt19937 draw(1);
  for (std::size_t i = 0; i < corpus.size() + mutations_of(named.name); ++i) {
    const bool is_kept = i < corpus.size();
    const auto why = fault_of(named, is_kept ? corpus[i] : mutated(corpus[draw() % corpus.size()], draw));
    if (!why.empty()) return fmt::format("{} {}: {}", is_kept ? "input" : "mutation", i, why);
  }
  return fault_of(named, {});
}

class Replay : public ::testing::TestWithParam<Named> {};

TEST_P(Replay, hostile_bytes_are_read_or_refused) {
  const auto corpus = corpus_of(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  EXPECT_EQ(first_fault(GetParam(), corpus), "");
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, ::testing::ValuesIn(targets()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace everylink::fuzz
