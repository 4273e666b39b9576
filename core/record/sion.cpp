// A results file in LinkTest's format (docs/sion.md): rank 0 creates and completes it. Every rank writes its
// own chunk (sion_chunk.hpp).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "record/recorder.hpp"
#include "record/sion_chunk.hpp"
#include "record/sion_layout.hpp"

namespace everylink {
using namespace sion;

namespace {

// The minimum, maximum and mean of values added one by one.
class Spread {
 public:
  void add(double value) {
    if (!(value > 0)) return;
    extent_.min = n_ > 0 ? std::min(extent_.min, value) : value;
    extent_.max = std::max(extent_.max, value);
    sum_ += value;
    extent_.mean = sum_ / ++n_;
  }
  bool any() const { return n_ > 0; }
  const Extent& extent() const { return extent_; }

 private:
  Extent extent_;
  double sum_ = 0, n_ = 0;
};

class SionRecorder final : public Recorder {
 public:
  // Removes a file without measurements, which is useless and would block the next run.
  ~SionRecorder() override {
    if (made_ && !times_.any() && File(path_, run_).error() == 0) ::unlink(path_.c_str());
  }

  // Leaves a readable file without measurements.
  void begin(const Facts& facts) override {
    const Options& o = facts.options;
    path_ = o.output;
    run_ = facts.run;
    layout_.emplace(static_cast<int>(facts.ranks.size()), o.all_to_all);
    totals_.iterations = o.messages_of(o.largest());
    totals_.bytes = static_cast<std::int32_t>(o.largest());
    totals_.serial = o.serial;
    totals_.mixed = o.randomize > 0;
    check_space(facts);
    check_output(o);
    remove_parts(path_);
    const std::string unfinished = path_ + ".new";
    int error = make(unfinished, facts.ranks);
    if (error == 0 && std::rename(unfinished.c_str(), path_.c_str()) != 0) error = errno;
    if (error != 0) {
      ::unlink(unfinished.c_str());
      throw UsageError(fmt::format("--output {}: cannot be written: {}", path_, std::strerror(error)));
    }
    made_ = true;
  }

  Recalled recall(const std::function<void(const LinkRows&)>&) override { return {}; }
  void tuned(const std::vector<Tuning>&) override {}
  void step(const StepRow&) override {}
  SceneRecorder* scenes() override { return nullptr; }
  void rows(const LinkRows& link) override {
    const Sample& sample = link.samples.front();
    if (sample.attempt != Attempt::main) return;
    if (sample.outcome == Outcome::ok) times_.add(sample.one_way.mean);
    all_to_all_.add(sample.all_to_all);
  }

  void commit() override { write_totals({}); }

  void end(const Ending& ending) override {
    std::vector<Slow> slow;
    for (const auto& [first, again] : ending.retests)
      if (again.outcome == Outcome::ok && again.one_way.mean > 0)
        slow.push_back({again.one_way.mean, first.one_way.mean, static_cast<std::int32_t>(first.from),
                        static_cast<std::int32_t>(first.to)});
    write_totals(slow);
  }

 private:
  void write_totals(const std::vector<Slow>& slow) {
    totals_.times = times_.extent();
    totals_.all_to_all = all_to_all_.extent();
    File file(path_, run_);
    file.put(layout_->totals_at(), totals(*layout_, totals_));
    file.put(layout_->retests_at(), retests(*layout_, slow));
    if (const int error = file.save()) throw MachineError(fmt::format("{}: {}", path_, text_of_error(error)));
  }

  // Allocates the whole file if the file system can, so that no rank finds the disk full at the end.
  int make(const std::string& path, const std::vector<RankFacts>& ranks) const {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    int error = 0;
    if (::fallocate(fd, 0, 0, layout_->file_bytes()) != 0) error = errno;
    if (error == EOPNOTSUPP || error == ENOSYS)
      error = ::ftruncate(fd, layout_->file_bytes()) == 0 ? 0 : errno;
    if (error == 0 && ::pwrite(fd, run_.data(), run_.size(), Layout::run_at) < 0) error = errno;
    ::close(fd);
    if (error != 0) return error;
    File file(path, run_);
    file.put(0, header(*layout_, std::filesystem::path(path_).filename().string(), run_));
    for (int rank = 0; rank < layout_->ranks(); ++rank)
      file.put(layout_->chunk_at(rank), head(rank, ranks[static_cast<std::size_t>(rank)].host));
    file.put(layout_->totals_at(), totals(*layout_, totals_));
    file.put(layout_->tail_at(), tail(*layout_));
    return file.save();
  }

  std::string path_;
  RunId run_{};
  std::optional<Layout> layout_;
  Totals totals_;
  Spread times_, all_to_all_;
  bool made_ = false;
};

}  // namespace

std::unique_ptr<Recorder> make_sion_recorder() { return std::make_unique<SionRecorder>(); }

}  // namespace everylink
