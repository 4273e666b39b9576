// What a rank writes beside the results file when nobody takes it.
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

TEST_F(UnsavedRowsTest, what_the_file_has_is_forgotten_and_the_rest_is_written_at_the_end) {
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
  EXPECT_EQ(std::string(bytes.data(), 8), "everylp1");
  EXPECT_EQ(bytes[8], 7);
  std::uint64_t size = 0;
  std::uint32_t to = 0;
  std::memcpy(&size, bytes.data() + 32, sizeof size);
  std::memcpy(&to, bytes.data() + 44, sizeof to);
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(to, 2u);
}

TEST_F(UnsavedRowsTest, nothing_is_written_when_the_file_has_it_all) {
  {
    UnsavedRows rows(options_, 3);
    rows.keep(sample(1, 0), 5);
    rows.report_later(9);
    rows.forget_before(9);
    rows.forget_before(10);
  }
  EXPECT_FALSE(std::filesystem::exists(options_.output + ".parts"));
}

TEST_F(UnsavedRowsTest, what_could_not_be_handed_in_stays_until_the_round_that_takes_it) {
  {
    UnsavedRows rows(options_, 3);
    rows.keep(sample(1, 0), 5);
    rows.report_later(9);
    rows.forget_before(9);
  }
  EXPECT_EQ(written().size(), 32u + 64u);
}

TEST_F(UnsavedRowsTest, what_the_ranks_own_place_in_the_file_takes_is_not_written_beside_it) {
  for (const bool takes : {true, false}) {
    int asked = 0;
    {
      UnsavedRows rows(options_, 3);
      rows.prefer([&] { return ++asked > 0 && takes; });
      rows.keep(sample(1, 0), 5);
    }
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(std::filesystem::exists(options_.output + ".parts"), !takes);
  }
  EXPECT_EQ(written().size(), 32u + 64u);
}

TEST_F(UnsavedRowsTest, a_call_that_does_not_come_back_ends_the_process_with_its_rows_written) {
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

TEST_F(UnsavedRowsTest, a_call_that_comes_back_in_time_is_left_alone) {
  UnsavedRows rows(options_, 3);
  watch(rows, 1, "this call", false);
  stop_watching();
  ::usleep(1200000);
  SUCCEED();
}

}  // namespace
}  // namespace everylink
