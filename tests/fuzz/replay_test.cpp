// Every input of the corpus again, and some thousands of mutations of them, the same in every run: what
// libFuzzer once found stays mended, also where there is no libFuzzer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

#include "fuzz.hpp"

namespace {

std::size_t largest_allocation = 0;

}  // namespace

// A list that claims more than has come must be refused before it is allocated.
void* operator new(std::size_t bytes) {
  largest_allocation = std::max(largest_allocation, bytes);
  if (void* at = std::malloc(bytes ? bytes : 1)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace everylink::fuzz {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;  // of one allocation, for inputs of some kilobytes
constexpr int mutations = 3000;                            // a target

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

// As libFuzzer does in its simplest moves: bytes changed, put in, taken out, doubled, and large numbers.
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

class Replay : public ::testing::TestWithParam<Named> {};

void expect_refused_or_read(const Named& named, const Blob& input, const std::string& what) {
  largest_allocation = 0;
  try {
    call(named.target, input);
  } catch (const std::exception& error) {
    ADD_FAILURE() << named.name << ", " << what << ": " << error.what();
  }
  EXPECT_LE(largest_allocation, most_bytes) << named.name << ", " << what;
}

TEST_P(Replay, hostile_bytes_are_read_or_refused) {
  const auto corpus = corpus_of(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  for (std::size_t i = 0; i < corpus.size(); ++i)
    expect_refused_or_read(GetParam(), corpus[i], fmt::format("input {}", i));
  expect_refused_or_read(GetParam(), {}, "nothing");
  std::mt19937 draw(1);
  for (int i = 0; i < mutations && !HasFailure(); ++i)
    expect_refused_or_read(GetParam(), mutated(corpus[draw() % corpus.size()], draw),
                           fmt::format("mutation {}", i));
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, ::testing::ValuesIn(targets()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace everylink::fuzz
