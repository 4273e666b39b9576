// The rows that a rank writes next to the results file when they cannot reach rank 0.
#include "rank/unsaved_rows.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace everylink {
namespace {

class UnsavedRowsTest : public ::testing::Test {
 protected:
  UnsavedRowsTest() {
    std::string folder = std::filesystem::temp_directory_path() / "everylink-unsaved-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    options_.output = folder_ / "r.h5";
    options_.sizes = {1, 4096};
  }
  ~UnsavedRowsTest() override { std::filesystem::remove_all(folder_); }

  static Sample sample(std::uint32_t to, std::uint32_t size) {
    Sample s;
    s.from = 3;
    s.to = to;
    s.size = size;
    s.one_way.mean = 1e-6f;
    return s;
  }
  std::vector<char> written() const {
    std::ifstream file(options_.output + ".parts/3", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  Options options_;
};

TEST_F(UnsavedRowsTest, what_rank_0_records_of_a_link_replaces_what_it_measured_of_it) {
  options_.output = folder_ / "r.h5";
  UnsavedRows rows(options_, 0);
  Sample own = sample(1, 0), others = sample(2, 0);
  own.from = 0;
  rows.keep(own, 5);
  own.outcome = Outcome::corrupt;  // as its peer says
  EXPECT_TRUE(rows.keep_reported({own}, 5));
  EXPECT_TRUE(rows.keep_reported({others}, 5));
  EXPECT_TRUE(rows.write());
  std::ifstream file(options_.output + ".parts/0", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_EQ(bytes.size(), 32u + 2 * 64u);
  EXPECT_EQ(bytes[32 + 21], static_cast<char>(Outcome::corrupt));
  rows.forget_before(6);
}

TEST_F(UnsavedRowsTest, rows_in_the_file_are_forgotten_and_the_others_are_written_at_the_end) {
  {
    UnsavedRows rows(options_, 3);
    RunId run;
    run.fill(7);
    rows.know(run);
    rows.keep(sample(1, 0), 5);
    rows.keep(sample(2, 1), 6);
    rows.forget_before(6);
  }
  const auto bytes = written();
  ASSERT_EQ(bytes.size(), 32u + 64u);
  EXPECT_EQ(std::string(bytes.data(), 8), "everylp2");
  EXPECT_EQ(bytes[8], 7);
  std::uint64_t size = 0;
  std::uint32_t to = 0;
  std::memcpy(&size, bytes.data() + 32, sizeof size);
  std::memcpy(&to, bytes.data() + 44, sizeof to);
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(to, 2u);
}

TEST_F(UnsavedRowsTest, when_rank_0_is_lost_links_that_failed_since_the_last_round_are_left_out) {
  const auto failed = [](Sample s) {
    s.outcome = Outcome::broken;
    return s;
  };
  {
    UnsavedRows rows(options_, 3);
    rows.keep(failed(sample(1, 0)), 5);
    rows.keep(failed(sample(2, 0)), 6);
    rows.keep(sample(2, 1), 6);
    rows.keep(failed(sample(4, 0)), 6);
    rows.forget_failures(6);
  }
  const auto bytes = written();
  ASSERT_EQ(bytes.size(), 32u + 2 * 64u);
  std::uint32_t to[2] = {};
  std::memcpy(&to[0], bytes.data() + 32 + 12, sizeof to[0]);
  std::memcpy(&to[1], bytes.data() + 32 + 64 + 12, sizeof to[1]);
  EXPECT_EQ(to[0], 1u) << "rank 0 knew of that round";
  EXPECT_EQ(to[1], 2u);
}

TEST_F(UnsavedRowsTest, rows_of_a_step_that_is_measured_again_are_forgotten_and_earlier_ones_stay) {
  {
    UnsavedRows rows(options_, 3);
    for (const std::uint32_t step : {7, 8, 9}) {
      Sample row = sample(step, 0);
      row.step = step;
      rows.keep(row, 5);
    }
    rows.forget_steps_from(8);
    rows.forget_steps_from(8);
  }
  const auto bytes = written();
  ASSERT_EQ(bytes.size(), 32u + 64u);
  std::uint32_t to = 0;
  std::memcpy(&to, bytes.data() + 32 + 12, sizeof to);
  EXPECT_EQ(to, 7u);
}

TEST_F(UnsavedRowsTest, nothing_is_written_if_the_file_has_all_rows) {
  {
    UnsavedRows rows(options_, 3);
    rows.keep(sample(1, 0), 5);
    rows.report_later(9);
    rows.forget_before(9);
    rows.forget_before(10);
  }
  EXPECT_FALSE(std::filesystem::exists(options_.output + ".parts"));
}

TEST_F(UnsavedRowsTest, rows_that_were_not_reported_stay_until_a_round_reports_them) {
  {
    UnsavedRows rows(options_, 3);
    rows.keep(sample(1, 0), 5);
    rows.report_later(9);
    rows.forget_before(9);
  }
  EXPECT_EQ(written().size(), 32u + 64u);
}

TEST_F(UnsavedRowsTest, what_else_is_to_be_written_is_written_with_or_without_rows) {
  for (const bool with_rows : {false, true}) {
    int asked = 0;
    {
      UnsavedRows rows(options_, 3);
      rows.write_also([&] { ++asked; });
      if (with_rows) rows.keep(sample(1, 0), 5);
    }
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(std::filesystem::exists(options_.output + ".parts"), with_rows);
  }
  EXPECT_EQ(written().size(), 32u + 64u);
}

TEST_F(UnsavedRowsTest, a_call_that_does_not_return_ends_the_process_and_its_rows_are_written) {
  const pid_t child = ::fork();
  if (child == 0) {
    UnsavedRows rows(options_, 3);
    rows.keep(sample(1, 0), 5);
    watch(rows, 1, "this call", false);
    for (;;) ::pause();  // the library
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(written().size(), 32u + 64u);
}

TEST_F(UnsavedRowsTest, a_call_that_returns_in_time_has_no_effect) {
  UnsavedRows rows(options_, 3);
  watch(rows, 1, "this call", false);
  stop_watching();
  ::usleep(1200000);
  SUCCEED();
}

}  // namespace
}  // namespace everylink
