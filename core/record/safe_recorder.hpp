// Records into a file. Once the file cannot be written any more, the run goes on: its rows are kept beside
// the file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/seconds.hpp"
#include "record/recorder.hpp"

namespace everylink {

class SafeRecorder final : public Recorder, public SceneRecorder {
 public:
  // What happens outside of the file.
  struct Beside {
    std::function<bool(const LinkRows&)> keep;  // until the file has them; false: there are too many
    std::function<bool()> write;                // those that the file does not have; false: not written
    std::function<void(const std::string&)> complain;
  };
  // A write that takes longer than `limit` never returns: the file system hangs.
  SafeRecorder(std::unique_ptr<Recorder> file, Seconds limit, Beside);
  ~SafeRecorder() override;

  void begin(const Facts&) override;
  Recalled recall(const std::function<void(const LinkRows&)>& each) override { return file_->recall(each); }
  void tuned(const std::vector<Tuning>&) override;
  void step(const StepRow&) override;
  void rows(const LinkRows&) override;
  void local_fault(int rank, const std::string& cause) override;
  void reading(const ReadingRow&) override;
  void carried(std::uint32_t reading, int rank, const Carried&) override;
  void retransmits(int rank, const Retransmits&) override;
  SceneRecorder* scenes() override { return file_->scenes() ? this : nullptr; }
  void scene(const SceneRow&, const std::vector<FlowRow>&) override;
  Kept commit() override;
  Kept end(const Ending&) override;

 private:
  // False: recording has stopped.
  bool write(const std::function<void()>& work);
  void stop(const std::string& why);

  std::unique_ptr<Recorder> file_;
  const Seconds limit_;
  const Beside beside_;
  std::string path_;
  bool has_links_ = true;  // else a load pattern, whose rows cannot be kept beside the file
  bool stopped_ = false, hangs_ = false, full_ = false;
};

}  // namespace everylink
