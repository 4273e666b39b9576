// LinkTest's format: our bytes against files written by LinkTest 1.2, and a rank's own chunk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/settings.hpp"
#include "record/recorder.hpp"
#include "record/sion_chunk.hpp"

namespace everylink::sion {
namespace {

using Bytes = std::string;

Bytes contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes bytes_of(const Blob& blob) { return {reinterpret_cast<const char*>(blob.data()), blob.size()}; }

template <class T>
T number_at(const Bytes& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// A file by LinkTest. Its chunks may be larger than their contents.
struct Theirs {
  explicit Theirs(const char* name) : all(contents_of(std::filesystem::path(LINKTEST_FILES) / name)) {
    const auto n = static_cast<std::size_t>(ranks());
    std::size_t at = (1088 + 16 * n + 4095) / 4096 * 4096;
    for (std::size_t rank = 0; rank < n; ++rank) {
      chunks.push_back(all.substr(at, number_at<std::int64_t>(all, tail_at() + 8 * (n + rank))));
      at += number_at<std::int64_t>(all, 1076 + 8 * (n + rank));
    }
  }
  int ranks() const { return number_at<std::int32_t>(all, 24); }
  std::size_t tail_at() const { return number_at<std::int64_t>(all, 1080 + 16 * ranks()); }

  Bytes all;
  std::vector<Bytes> chunks;
};

// The contents of one of its chunks, written by us.
Bytes rewritten(const Layout& layout, const Bytes& chunk, int rank) {
  const auto n = static_cast<std::size_t>(layout.ranks());
  Bytes said = bytes_of(head(rank, chunk.c_str() + 17));
  if (rank == 0) {
    const auto setting = [&](int i) { return number_at<std::int32_t>(chunk, 289 + 4 * i); };
    const auto extent = [&](int i) {
      const auto second = [&](int k) { return number_at<double>(chunk, 329 + 8 * (i + k)); };
      return Extent{second(0), second(1), second(2)};
    };
    said += bytes_of(totals(layout, {.iterations = setting(0),
                                     .bytes = setting(1),
                                     .serial = setting(4) != 0,
                                     .mixed = setting(5) != 0,
                                     .times = extent(0),
                                     .all_to_all = extent(3)}));
  }
  std::size_t at = said.size();
  Measured measured(layout);
  for (int i = 0; i < layout.ranks(); ++i) {
    measured.put_time(i, number_at<double>(chunk, at + 8 * i));
    measured.put_step(i, number_at<std::int32_t>(chunk, at + 8 * n + 4 * i));
    if (layout.all_to_all()) measured.put_all_to_all(i, number_at<double>(chunk, at + 12 * n + 8 * i));
  }
  said += bytes_of(measured.bytes);
  if (rank != 0) return said;
  at = said.size();
  std::vector<Slow> slow;
  for (std::size_t i = 0; i < n; ++i)
    slow.push_back({number_at<double>(chunk, at + 8 * i), number_at<double>(chunk, at + 8 * (n + i)),
                    number_at<std::int32_t>(chunk, at + 16 * n + 4 * i),
                    number_at<std::int32_t>(chunk, at + 20 * n + 4 * i)});
  return said + bytes_of(retests(layout, slow));
}

void expect_every_payload_byte(const char* name, bool all_to_all) {
  const Theirs theirs(name);
  const Layout layout(theirs.ranks(), all_to_all);
  for (int rank = 0; rank < theirs.ranks(); ++rank) {
    Bytes chunk = theirs.chunks[static_cast<std::size_t>(rank)];
    chunk[17 + 255] = 0;  // the last byte of its host name is garbage
    EXPECT_EQ(rewritten(layout, chunk, rank), chunk) << name << ", rank " << rank;
    EXPECT_EQ(layout.payload_bytes(rank), static_cast<std::int64_t>(chunk.size()));
  }
}

TEST(Sion, linktests_values_give_linktests_bytes) { expect_every_payload_byte("n4-par.sion", false); }

TEST(Sion, with_all_to_all_too) { expect_every_payload_byte("n8-a2a.sion", true); }

TEST(Sion, the_container_equals_linktests_except_for_the_offsets_of_chunks) {
  const Theirs theirs("n4-par.sion");
  const Layout layout(4, false);
  const Bytes ours = bytes_of(header(layout, "pingpong_results_bin.sion", {}));
  const std::size_t results_at = 1052, chunk_sizes = 1076 + 8 * 4, behind_them = chunk_sizes + 8 * 4;
  EXPECT_EQ(ours.substr(0, results_at), theirs.all.substr(0, results_at));
  EXPECT_EQ(number_at<std::int64_t>(ours, results_at), layout.results_at());
  EXPECT_EQ(ours.substr(1076, chunk_sizes - 1076), theirs.all.substr(1076, chunk_sizes - 1076));
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(number_at<std::int64_t>(ours, chunk_sizes + 8 * rank), layout.chunk_bytes(rank));
  EXPECT_EQ(ours.substr(behind_them, 4), theirs.all.substr(behind_them, 4));
  EXPECT_EQ(number_at<std::int64_t>(ours, behind_them + 4), layout.tail_at());
  EXPECT_EQ(ours.size(), behind_them + 12);
  EXPECT_EQ(bytes_of(tail(layout)), theirs.all.substr(theirs.tail_at()));
}

TEST(Sion, every_chunk_has_its_own_pages_and_enough_space) {
  for (const int ranks : {2, 3, 5, 188, 189, 1024, 28000})
    for (const bool all_to_all : {false, true}) {
      const Layout layout(ranks, all_to_all);
      EXPECT_GE(layout.chunk_at(0), static_cast<std::int64_t>(header(layout, "x", {}).size()));
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(layout.chunk_at(rank) % 4096, 0);
        EXPECT_LE(layout.payload_bytes(rank), layout.chunk_bytes(rank));
        EXPECT_EQ(layout.chunk_at(rank) + layout.chunk_bytes(rank), layout.chunk_at(rank + 1));
      }
      EXPECT_EQ(layout.retests_at() + 24 * ranks, layout.chunk_at(0) + layout.payload_bytes(0));
      EXPECT_EQ(layout.tail_at() + static_cast<std::int64_t>(tail(layout).size()), layout.container_bytes());
      EXPECT_GE(layout.results_at(), layout.container_bytes());
      EXPECT_LT(layout.results_at(), 2 * layout.container_bytes());
      EXPECT_TRUE(std::has_single_bit(static_cast<std::uint64_t>(layout.results_at())));
    }
}

TEST(Sion, a_long_name_is_cut_and_terminated) {
  const RunId run{1, 2, 3};
  const Bytes ours = bytes_of(header(Layout(2, false), Bytes(3000, 'x'), run));
  EXPECT_STREQ(ours.c_str() + 52, Bytes(999, 'x').c_str());
  EXPECT_EQ(number_at<RunId>(ours, Layout::run_at), run);
  EXPECT_EQ(bytes_of(head(1, Bytes(300, 'h'))).substr(17, 256), Bytes(254, 'h') + Bytes(2, '\0'));
}

class ChunkTest : public ::testing::Test {
 protected:
  ChunkTest() {
    std::string folder = std::filesystem::temp_directory_path() / "everylink-sion-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    options_.force = true;
    options_.output = folder_ / "r.sion";
    run_.fill(7);
    recorder_->begin(
        {.options = options_,
         .run = run_,
         .bootstrap = "local",
         .created = "2026-01-01T00:00:00Z",
         .ranks = std::vector<RankFacts>(
             3, RankFacts{.host = "host", .machine = "", .network = "", .cores = "0", .numa = 0}),
         .host_of = std::vector<int>(3),
         .links = 6});
  }
  ~ChunkTest() override {
    recorder_.reset();
    std::filesystem::remove_all(folder_);
  }

  Sample sample(std::uint32_t to, float mean, std::uint32_t n, Outcome outcome = Outcome::ok) {
    Sample s;
    s.from = 2;
    s.to = to;
    s.outcome = outcome;
    s.one_way.mean = mean;
    s.one_way.n = n;
    return s;
  }
  double written_time(int to) const {
    return number_at<double>(contents_of(options_.output), layout_.measured_at(2) + 8 * to);
  }
  std::int32_t written_step(int to) const {
    return number_at<std::int32_t>(contents_of(options_.output), layout_.measured_at(2) + 8 * 3 + 4 * to);
  }

  std::filesystem::path folder_;
  Options options_;
  RunId run_{};
  const Layout layout_{3, false};
  std::unique_ptr<Recorder> recorder_ = results_file.make_recorder();
};

TEST_F(ChunkTest, a_link_that_was_measured_twice_has_the_mean_of_all_its_messages) {
  Chunk chunk(options_, 2, 3, "host", run_);
  EXPECT_EQ(chunk.begin(), 0);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  chunk.keep(sample(1, 5e-6f, 10), 2, 2);
  chunk.keep(sample(0, 4e-6f, 30), 4, 4);
  EXPECT_EQ(chunk.write(), 0);
  EXPECT_DOUBLE_EQ(written_time(0), (10 * double{1e-6f} + 30 * double{4e-6f}) / 40);
  EXPECT_EQ(written_time(1), double{5e-6f});
  EXPECT_EQ(written_time(2), 0);
  EXPECT_EQ(written_step(0), 1);
  EXPECT_EQ(written_step(1), 2);
}

TEST_F(ChunkTest, a_link_that_failed_has_a_step_and_no_time) {
  Chunk chunk(options_, 2, 3, "host", run_);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  chunk.keep(sample(0, 1e-6f, 1, Outcome::timeout), 2, 2);
  chunk.keep(sample(0, 1e-6f, 10), 3, 3);
  chunk.keep(sample(1, 1e-6f, 10), 2, 2);
  chunk.discard(1);
  EXPECT_EQ(chunk.write(), 0);
  EXPECT_EQ(written_time(0), 0);
  EXPECT_EQ(written_time(1), 0);
  EXPECT_EQ(written_step(0), 1);
}

TEST_F(ChunkTest, a_failure_of_the_round_in_which_rank_0_was_lost_is_none) {
  Chunk chunk(options_, 2, 3, "host", run_);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  chunk.keep(sample(1, 1e-6f, 10), 2, 2);
  chunk.keep(sample(1, 1e-6f, 1, Outcome::broken), 4, 4);
  chunk.keep(sample(0, 1e-6f, 1, Outcome::broken), 5, 5);
  chunk.forget_failures(5);
  EXPECT_EQ(chunk.write(), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(written_time(0)), 1e-6f);
  EXPECT_EQ(written_time(1), 0);
}

TEST_F(ChunkTest, re_measured_links_do_not_change_the_main_run) {
  Chunk chunk(options_, 2, 3, "host", run_);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  for (const auto attempt : {Attempt::retest, Attempt::failed_again}) {
    Sample again = sample(0, 9e-6f, 10);
    again.attempt = attempt;
    chunk.keep(again, 5, 5);
  }
  EXPECT_EQ(chunk.write(), 0);
  EXPECT_EQ(written_time(0), double{1e-6f});
}

TEST_F(ChunkTest, a_file_of_another_run_is_left_alone) {
  RunId other = run_;
  other[15] ^= 1;
  const Bytes before = contents_of(options_.output);
  Chunk chunk(options_, 2, 3, "host", other);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  EXPECT_NE(chunk.begin(), 0);
  EXPECT_NE(chunk.write(), 0);
  EXPECT_EQ(contents_of(options_.output), before);
}

TEST_F(ChunkTest, a_missing_or_short_file_is_an_error) {
  Chunk chunk(options_, 2, 3, "host", run_);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  std::filesystem::resize_file(options_.output, 100);
  EXPECT_NE(chunk.write(), 0);
  std::filesystem::remove(options_.output);
  EXPECT_EQ(chunk.write(), ENOENT);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(ChunkTest, every_rank_is_in_the_file_before_it_has_written) {
  const Bytes file = contents_of(options_.output);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(file.substr(layout_.chunk_at(rank), 289), bytes_of(head(rank, "host")));
}

TEST_F(ChunkTest, what_is_saved_already_is_not_written_again) {
  Chunk chunk(options_, 2, 3, "host", run_);
  chunk.keep(sample(0, 1e-6f, 10), 1, 1);
  EXPECT_EQ(chunk.write(), 0);
  std::filesystem::resize_file(options_.output, 100);
  EXPECT_EQ(chunk.write(), 0);
  chunk.keep(sample(1, 1e-6f, 10), 2, 2);
  EXPECT_NE(chunk.write(), 0);
}

TEST_F(ChunkTest, the_results_file_begins_where_the_header_says) {
  const Bytes file = contents_of(options_.output);
  EXPECT_EQ(number_at<std::int64_t>(file, 1052), layout_.results_at());
  EXPECT_EQ(file.substr(layout_.results_at(), 8), "\x89HDF\r\n\x1a\n");
}

TEST_F(ChunkTest, a_run_that_has_measured_nothing_leaves_no_file) {
  EXPECT_TRUE(std::filesystem::exists(options_.output));
  recorder_.reset();
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

}  // namespace
}  // namespace everylink::sion
