// A file that cannot be written any more does not end the run.
#include "record/safe_recorder.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace everylink {
namespace {

// What a test and the thread of a write share; the thread may outlive the recorder.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  bool hangs = false, returned = false;
  std::string fails;
  int rows = 0, commits = 0, ends = 0;
};

class File : public NoRecorder {
 public:
  explicit File(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
  void rows(const LinkRows&) override { ++disk_->rows; }
  Kept commit() override {
    const auto disk = disk_;
    std::unique_lock lock(disk->mutex);
    if (!disk->fails.empty()) throw MachineError(disk->fails);
    ++disk->commits;
    disk->changed.wait(lock, [&] { return !disk->hangs; });
    disk->returned = true;
    disk->changed.notify_all();
    return Kept::in_file;
  }
  Kept end(const Ending&) override {
    ++disk_->ends;
    return Kept::in_file;
  }

 private:
  std::shared_ptr<Disk> disk_;
};

// The recorder leaves a file behind whose write hangs; remembered here, it is no leak.
std::vector<const File*>& files = *new std::vector<const File*>;

class SafeRecorderTest : public ::testing::Test {
 protected:
  SafeRecorderTest() {
    auto file = std::make_unique<File>(disk_);
    files.push_back(file.get());
    recorder_ = std::make_unique<SafeRecorder>(
        std::move(file), 0.05,
        SafeRecorder::Beside{.keep = [this](const LinkRows&) { return ++kept_ <= most_; },
                             .write =
                                 [this] {
                                   ++written_;
                                   return writes_;
                                 },
                             .complain = [this](const std::string& text) { said_.push_back(text); }});
  }

  std::shared_ptr<Disk> disk_ = std::make_shared<Disk>();
  int kept_ = 0, most_ = 100, written_ = 0;
  bool writes_ = true;
  std::vector<std::string> said_;
  std::unique_ptr<SafeRecorder> recorder_;
};

TEST_F(SafeRecorderTest, rows_go_to_the_file_as_long_as_it_can_be_written) {
  recorder_->rows({});
  EXPECT_EQ(recorder_->commit(), Kept::in_file);
  EXPECT_EQ(recorder_->end({}), Kept::in_file);
  EXPECT_EQ(disk_->rows, 1);
  EXPECT_EQ(disk_->ends, 1);
  EXPECT_EQ(written_, 0);
  EXPECT_TRUE(said_.empty());
}

TEST_F(SafeRecorderTest, a_write_that_fails_ends_recording_with_one_line_and_not_the_run) {
  disk_->fails = "r.h5: H5Fflush failed (No space left on device)";
  EXPECT_EQ(recorder_->commit(), Kept::nowhere);
  for (int i = 0; i < 3; ++i) {
    recorder_->rows({});
    EXPECT_EQ(recorder_->commit(), Kept::nowhere);
  }
  EXPECT_EQ(recorder_->end({}), Kept::beside);
  EXPECT_EQ(disk_->rows, 0);
  EXPECT_EQ(disk_->ends, 0);
  EXPECT_EQ(kept_, 3);
  EXPECT_EQ(written_, 1);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_NE(said_[0].find("No space left on device"), std::string::npos);
  EXPECT_NE(said_[0].find("the run goes on"), std::string::npos);
}

TEST_F(SafeRecorderTest, a_write_that_hangs_is_left_behind) {
  disk_->hangs = true;
  EXPECT_EQ(recorder_->commit(), Kept::nowhere);
  recorder_->rows({});
  EXPECT_EQ(recorder_->commit(), Kept::nowhere);
  EXPECT_EQ(recorder_->end({}), Kept::beside);
  recorder_.reset();  // while the thread still uses the file
  ASSERT_EQ(said_.size(), 1u);
  std::unique_lock lock(disk_->mutex);
  EXPECT_EQ(disk_->commits, 1);
  EXPECT_FALSE(disk_->returned);
  disk_->hangs = false;
  disk_->changed.notify_all();
  disk_->changed.wait(lock, [&] { return disk_->returned; });
}

TEST_F(SafeRecorderTest, what_cannot_be_kept_anywhere_is_said) {
  disk_->fails = "r.h5: H5Fflush failed";
  writes_ = false;
  most_ = 2;
  EXPECT_EQ(recorder_->commit(), Kept::nowhere);
  for (int i = 0; i < 5; ++i) recorder_->rows({});
  EXPECT_EQ(recorder_->end({}), Kept::nowhere);
  ASSERT_EQ(said_.size(), 3u);
  EXPECT_NE(said_[1].find("as many rows as can be kept"), std::string::npos);
  EXPECT_NE(said_[2].find("cannot be written either"), std::string::npos);
}

}  // namespace
}  // namespace everylink
